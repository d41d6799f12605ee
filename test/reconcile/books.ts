import { createHash } from "node:crypto";
import type { LineStatus, LineType } from "../../src/core/statement-line.ts";
import type { Database } from "../../src/store/database.ts";
import { recordPage } from "../../src/store/transactions/record-page.ts";
import { preparePage } from "../../src/sync/page.ts";
import { leaseWindow } from "../support/a-window.ts";

/** An account that has read everything of the first half of 2026, and the statements of its providers. */
export interface Books {
  readonly db: Database;
  readonly accountId: number;
  readonly name: string;
}

let made = 0;

export async function openBooks(
  db: Database,
  options: { readFrom?: string; readTo?: string } = {},
): Promise<Books> {
  const name = `books ${++made}`;
  const from = options.readFrom ?? "2026-01-01T00:00:00Z";
  const to = options.readTo ?? "2026-07-01T00:00:00Z";
  const [row] = await db.query<{ id: number }>(
    `insert into tieout.accounts (name, base_url, sync_start, request_limit, covered)
     values ($1, 'http://127.0.0.1', $2::timestamptz, 100, tstzmultirange(tstzrange($2::timestamptz, $3::timestamptz)))
     returning id`,
    [name, from, to],
  );
  const accountId = row?.id ?? 0;
  await db.query(
    `insert into tieout.sync_windows (account_id, kind, range_from, range_to, state, sealed_at, ended_by)
     values ($1, 'live', $2, $3, 'sealed', clock_timestamp(), 'absent')`,
    [accountId, from, to],
  );
  return { db, accountId, name };
}

/** In the aggregator's own words; what is left out is a card buy of 100 EUR for 0.002 BTC at MoonPay. */
export interface ARecord {
  id: string;
  status?: string;
  at?: string;
  [field: string]: unknown;
}

export async function addRecords({ db, accountId }: Books, records: readonly ARecord[]): Promise<void> {
  const lease = await leaseWindow(db, accountId, { fromMs: Date.UTC(2025, 0, 1) + made++ * 3_600_000 });
  const raw = records.map(({ id, status = "completed", at = "2026-03-10T12:00:00.000Z", ...fields }) => ({
    transactionId: id,
    status,
    statusDate: at,
    onramp: "moonpay",
    onrampTransactionId: `mp-${id}`,
    transactionType: "buy",
    paymentMethod: "creditcard",
    country: "de",
    sourceCurrency: "eur",
    inAmount: "100",
    targetCurrency: "btc",
    outAmount: status === "completed" ? "0.002" : "0",
    transactionHash: status === "completed" ? hex(id) : "",
    walletAddress: `wallet-of-${id}`,
    apiKey: "pk",
    ...fields,
  }));
  await recordPage(db, lease, { ...preparePage(raw), nextCursor: null });
  await db.query(
    "update tieout.sync_windows set state = 'sealed', sealed_at = clock_timestamp() where id = $1",
    [lease.windowId],
  );
}

/** A line that settles the record of the same id, unless told otherwise. */
export interface ALine {
  /** Of the transaction it settles: keys and amounts follow from it. */
  of?: string;
  key?: string;
  type?: LineType;
  status?: LineStatus;
  [column: string]: unknown;
}

export interface AStatement {
  provider?: string;
  fileName?: string;
  from?: string;
  to?: string;
  basis?: "activity" | "settlement";
  generatedAt?: string;
  model?: "commission" | "gross";
  lines: readonly ALine[];
}

/** By database: a file's hash is in committed answers, and must not depend on what other tests of this process have imported. */
const statementsMade = new WeakMap<Database, number>();

/** What an import would have kept: a file, its rows and its lines. */
export async function addStatement({ db, accountId }: Books, given: AStatement): Promise<number> {
  const number = (statementsMade.get(db) ?? 0) + 1;
  statementsMade.set(db, number);
  const provider = given.provider ?? "moonpay";
  const period = { from: given.from ?? "2026-03-01T00:00:00Z", to: given.to ?? "2026-04-01T00:00:00Z" };
  return db.transaction(async (tx) => {
    const [statement] = await tx.query<{ id: number }>(
      `insert into tieout.statements (account_id, provider, file_name, sha256, byte_count, profile, profile_version, profile_used,
         parser_version, encoding, delimiter, generated_at, generated_at_from, period_from, period_to, period_basis, header_rows,
         rows_of_file, rows_read, rows_accepted, imported_at, imported_by)
       values ($1, $2, $3, $4, 1, 'test', 1, $5::jsonb, 1, 'utf-8', ',', $6, 'file', $7, $8, $9, 1, $10::int + 1, $10, $10,
         clock_timestamp(), 'test')
       returning id::int`,
      [
        accountId,
        provider,
        given.fileName ?? `file-${number}.csv`,
        createHash("sha256").update(`file ${number}`).digest(),
        JSON.stringify({ model: given.model ?? "commission" }),
        given.generatedAt ?? period.to,
        period.from,
        period.to,
        given.basis ?? "activity",
        given.lines.length,
      ],
    );
    const statementId = statement?.id ?? 0;
    for (const [index, line] of given.lines.entries()) {
      const row = lineRow(line, provider);
      const columns = Object.keys(row);
      const [kept] = await tx.query<{ id: string }>(
        `insert into tieout.statement_lines (account_id, provider, statement_id, line_no, content_hash, imported_at, ${columns.join(", ")})
         values ($1, $2, $3, $4, $5, clock_timestamp(), ${columns.map((_, at) => `$${at + 6}`).join(", ")})
         returning id::text`,
        [
          accountId,
          provider,
          statementId,
          index + 2,
          createHash("sha256").update(JSON.stringify(row)).digest(),
          ...Object.values(row),
        ],
      );
      await tx.query(
        `insert into tieout.statement_rows (statement_id, line_no, outcome, original_text, line_id)
         values ($1, $2, 'accepted', '', $3)`,
        [statementId, index + 2, kept?.id],
      );
    }
    return statementId;
  });
}

/** Takes a file back: its lines do not count any more. */
export async function withdraw({ db }: Books, statementId: number): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query(
      `update tieout.statements
       set state = 'withdrawn', withdrawn_at = clock_timestamp(), withdrawn_by = 'test', withdrawn_reason = 'test'
       where id = $1`,
      [statementId],
    );
    await tx.query(
      `insert into tieout.line_retirements (line_id, retired_at, reason, statement_id)
       select id, clock_timestamp(), 'withdrawn', statement_id
       from tieout.statement_lines
       where statement_id = $1`,
      [statementId],
    );
  });
}

function lineRow({ of, key, type = "charge", status = "settled", ...columns }: ALine, provider: string) {
  const hasNoOrder = type === "payout" || type === "balance";
  return {
    line_key: key ?? `${type}:${of ?? ++made}`,
    occurrence: 1,
    version: 1,
    line_type: type,
    status,
    provider_status: status,
    side: hasNoOrder ? null : "buy",
    ...(hasNoOrder
      ? {}
      : {
          fiat_currency: "EUR",
          fiat_gross: "100",
          fiat_net: "97",
          fee_total: "3",
          fee_currency: "EUR",
          asset: "btc",
          network: "bitcoin",
          crypto_amount: "0.002",
        }),
    ...(of === undefined
      ? {}
      : {
          provider_transaction_id: provider === "moonpay" ? `mp-${of}` : of,
          our_reference: of,
          transaction_hash: hex(of),
          wallet_address: `wallet-of-${of}`,
        }),
    net_amount: type === "refund" || type === "chargeback" ? "-1" : "0",
    net_currency: "EUR",
    effective_at: "2026-03-10T12:01:00Z",
    ...columns,
  };
}

/** Looks like a hash of a chain without meaning one. */
export function hex(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

export interface Found {
  code: string;
  subject: string;
  state: string;
  expected: string | null;
  actual: string | null;
  delta: string | null;
  currency: string | null;
  expected_text: string | null;
  actual_text: string | null;
}

/** Every discrepancy of the books that has not agreed, in a fixed order. */
export async function discrepanciesOf({ db, accountId }: Books): Promise<Found[]> {
  return db.query(
    `select d.code,
            coalesce(case d.subject_kind when 'line' then l.line_key when 'payout' then p.payout_ref end,
                     d.transaction_id, to_char(d.period_from, 'YYYY-MM')) as subject,
            d.state, d.expected::text, d.actual::text, d.delta::text, d.currency, d.expected_text, d.actual_text
     from tieout.discrepancies as d
     left join tieout.statement_lines as l on l.id = d.line_id
     left join tieout.payouts as p on p.id = d.payout_id
     where d.account_id = $1
       and (d.state, d.reason) is distinct from ('resolved', 'agreed')
     order by d.code, 2, d.currency, d.period_from, d.period_to`,
    [accountId],
  );
}

export async function codesOf(books: Books): Promise<string[]> {
  return (await discrepanciesOf(books)).map(({ code, subject }) => `${code} ${subject}`);
}

export interface AMatch {
  line: string;
  transaction: string;
  role: string;
  rule: string;
  state: string;
  name: string | null;
}

export async function matchesOf({ db, accountId }: Books): Promise<AMatch[]> {
  return db.query(
    `select l.line_key as line, m.transaction_id as transaction, m.role, m.rule, m.state, m.difference_name as name
     from tieout.matches as m
     join tieout.statement_lines as l on l.id = m.line_id
     where m.account_id = $1
       and m.state <> 'ended'
     order by l.line_key, m.transaction_id`,
    [accountId],
  );
}
