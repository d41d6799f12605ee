import { comparableAddress } from "../../core/erasure.ts";
import type { TransactionRecord } from "../../core/transaction.ts";
import type { Queryable } from "../database.ts";
import { listStatusRowsOf } from "../transactions/status-rows.ts";

/** What an erasure is about. */
export interface ErasureSubject {
  accountId: number;
  kind: "wallet" | "transaction";
  value: string;
}

export interface AffectedStatusRow {
  /** The database's own text. */
  statusDate: string;
  /** Hex. */
  recordHash: string;
  record: TransactionRecord;
}

/** A row of a file that holds personal data of the subject. */
export interface AffectedRow {
  statementId: number;
  lineNo: number;
  lineId: number | null;
  /** Whether the line that it leads to was made of it, and not of a row of an earlier file. */
  isOrigin: boolean;
  text: string;
  reason: string | null;
}

export interface Affected {
  transactionIds: string[];
  statusRows: AffectedStatusRow[];
  rows: AffectedRow[];
  /** Names by which statements know the transactions. */
  names: string[];
  /** Wallets that stand in the rows and records, each as it is spelled. */
  wallets: string[];
  /** Rejected records that quote the subject. */
  quarantined: { rawHash: string; raw: string }[];
}

/** Keeps pages and imports waiting until the end of the transaction: what is found is then all there is. */
export async function holdForErasure(tx: Queryable): Promise<void> {
  await tx.query("set local statement_timeout = 0");
  await tx.query("select tieout.hold_for_erasure()");
}

export async function findAffected(tx: Queryable, subject: ErasureSubject): Promise<Affected> {
  const { accountId } = subject;
  const transactionIds = await findTransactions(tx, subject);
  const rows = await findRows(tx, subject, transactionIds);
  const statusRows = (await listStatusRowsOf(tx, accountId, transactionIds)).filter(
    ({ record }) => !isErased(record),
  );
  const lines = await tx.query<{ wallet: string | null; names: string[] }>(
    `select wallet_address as wallet,
            array_remove(array[provider_transaction_id, our_reference], null) as names
     from tieout.statement_lines
     where id = any($1::bigint[])`,
    [rows.flatMap(({ lineId }) => (lineId === null ? [] : [lineId]))],
  );
  const recordNames = statusRows.flatMap(({ record }) => [record.providerTransactionId, referenceOf(record)]);
  const wallets = [
    ...statusRows.map(({ record }) => record.walletAddress),
    ...lines.map(({ wallet }) => wallet),
  ];
  return {
    transactionIds,
    statusRows,
    rows,
    names: distinct([...recordNames, ...lines.flatMap(({ names }) => names)]),
    wallets: distinct(wallets).filter((wallet) => !wallet.startsWith("erased:")),
    quarantined: await findQuarantined(tx, subject),
  };
}

async function findTransactions(
  tx: Queryable,
  { accountId, kind, value }: ErasureSubject,
): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    kind === "wallet"
      ? "select distinct transaction_id as id from tieout.named($1, 'wallet', $2) order by 1"
      : "select transaction_id as id from tieout.transactions where account_id = $1 and transaction_id = $2",
    [accountId, kind === "wallet" ? comparableAddress(value) : value],
  );
  return rows.map(({ id }) => id);
}

/** Rows that quote the wallet, and rows of lines that are settled by one of the transactions or name the wallet. */
async function findRows(
  tx: Queryable,
  { accountId, kind, value }: ErasureSubject,
  transactionIds: readonly string[],
): Promise<AffectedRow[]> {
  return tx.query<AffectedRow>(
    `with lines as (
       select m.line_id as id
       from tieout.matches as m
       where m.account_id = $1 and m.transaction_id = any($2) and m.state = 'active'
       union
       select l.id
       from tieout.statement_lines as l
       where l.account_id = $1 and tieout.comparable_address(l.wallet_address) = $3
     )
     select r.statement_id::int as "statementId", r.line_no as "lineNo", r.line_id::int as "lineId",
            coalesce(l.statement_id = r.statement_id and l.line_no = r.line_no, false) as "isOrigin",
            r.original_text as text, r.reason
     from tieout.statements as s
     join tieout.statement_rows as r on r.statement_id = s.id
     left join tieout.statement_lines as l on l.id = r.line_id
     where s.account_id = $1
       and (r.line_id in (select id from lines) or ($4::text is not null and r.original_text ~* $4))
     order by 1, 2`,
    [
      accountId,
      transactionIds,
      kind === "wallet" ? comparableAddress(value) : null,
      kind === "wallet" ? wordPattern(value) : null,
    ],
  );
}

async function findQuarantined(tx: Queryable, { accountId, kind, value }: ErasureSubject) {
  return tx.query<{ rawHash: string; raw: string }>(
    `select encode(raw_hash, 'hex') as "rawHash", raw
     from tieout.quarantined_records
     where account_id = $1 and raw ~* $2
     order by raw_hash`,
    // An id may be short, and the beginning of another; then the record is someone else's.
    [accountId, kind === "wallet" ? wordPattern(value) : `(^|${between})${wordPattern(value)}($|${between})`],
  );
}

const between = "[^[:alnum:]_-]";

/** A text as a regular expression that Postgres and JavaScript read alike. */
export function wordPattern(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9_\s]/g, String.raw`\$&`);
}

function isErased({ extra }: TransactionRecord): boolean {
  return typeof (JSON.parse(extra) as { erased?: unknown }).erased === "string";
}

function referenceOf({ extra }: TransactionRecord): string | null {
  const { partnerContext } = JSON.parse(extra) as { partnerContext?: unknown };
  return typeof partnerContext === "string" ? partnerContext : null;
}

function distinct(values: readonly (string | null)[]): string[] {
  return [...new Set(values.filter((value) => value !== null && value !== ""))] as string[];
}
