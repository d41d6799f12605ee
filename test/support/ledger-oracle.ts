import { createHash } from "node:crypto";
import { canonicaliseJson, emptyObject } from "../../src/core/canonical-json.ts";
import { parseDecimal } from "../../src/core/decimal.ts";
import { type Instant, parseInstant } from "../../src/core/instant.ts";
import { recordHash } from "../../src/core/record-hash.ts";
import { compareStatusRows } from "../../src/core/status.ts";
import type { TransactionRecord } from "../../src/core/transaction.ts";
import type { Database } from "../../src/store/database.ts";
import { readCoverage } from "../../src/store/windows/coverage.ts";
import { decimalFromWire, parseExactJson } from "../../src/upstream/exact-json.ts";
import { normaliseRecord } from "../../src/upstream/normalise.ts";

/** How our tables differ from what the aggregator has. Empty lists all over mean that they tie out. */
export interface Verdict {
  /** Not finished is not lost: with an entry here, nothing else can be judged. */
  readonly unfinished: string[];
  readonly lost: string[];
  readonly phantom: string[];
  readonly doubled: number;
  /** Transactions whose latest row is not the latest of the ledger. */
  readonly latestWrong: string[];
  /** Status rows whose columns do not make the record that was hashed. */
  readonly unfaithful: string[];
  readonly sumsWrong: string[];
  readonly digestDiffers: boolean;
  readonly quarantineWrong: string[];
}

export const tiedOut: Verdict = {
  unfinished: [],
  lost: [],
  phantom: [],
  doubled: 0,
  latestWrong: [],
  unfaithful: [],
  sumsWrong: [],
  digestDiffers: false,
  quarantineWrong: [],
};

/** What a complete and correct copy holds. */
export interface Expected {
  readonly records: readonly TransactionRecord[];
  /** Distinct texts that can only be set aside. */
  readonly malformed: number;
}

/** All that a listing of the sandbox shows at this moment; with `rows: "latest"`, as one that shows only the latest. */
export async function readLedger(
  sandbox: { readonly url: string; readonly apiKey: string; readonly apiSecret: string },
  options: { rows?: "all" | "latest" } = {},
): Promise<Expected> {
  const headers = { authorization: sandbox.apiKey, "x-service-secret": sandbox.apiSecret };
  const answer = await fetch(`${sandbox.url}/sandbox/ledger/records`, { headers });
  const lines = (await answer.text()).split("\n").filter((line) => line !== "");
  const rows = lines.map((line) => JSON.parse(line) as LedgerLine).filter(({ visible }) => visible);
  const records = rows.flatMap(({ recordHash: hash, text }) => (hash === null ? [] : [readText(text, hash)]));
  const malformed = new Set(rows.filter((row) => row.recordHash === null).map(({ text }) => text));
  if (records.length === 0) throw new Error("an empty ledger proves nothing");
  return {
    records: options.rows === "latest" ? [...latestOf(records).values()] : records,
    malformed: malformed.size,
  };
}

interface LedgerLine {
  readonly recordHash: string | null;
  readonly visible: boolean;
  readonly text: string;
}

function readText(text: string, hash: string): TransactionRecord {
  const outcome = normaliseRecord(parseExactJson(text));
  // The sandbox made this hash with its own reading of the record: two readers, one result.
  if (outcome.kind !== "record" || hashOf(outcome.record) !== hash)
    throw new Error(`the ledger and we read this record differently: ${text}`);
  return outcome.record;
}

export async function compareWithLedger(
  db: Database,
  accountId: number,
  expected: Expected,
): Promise<Verdict> {
  const kept = await readStatusRows(db, accountId);
  const [counted] = await db.query<{ statuses: number; quarantined: number }>(
    `select (select count(*)::int from tieout.transaction_statuses where account_id = $1) as statuses,
            (select count(*)::int from tieout.quarantined_records where account_id = $1) as quarantined`,
    [accountId],
  );
  const ours = new Set(kept.map(({ identity }) => identity));
  const theirs = new Set(expected.records.map(identityOf));
  const records = kept.map(({ record }) => record);
  return {
    unfinished: await findUnfinished(db, accountId),
    lost: first20([...theirs].filter((line) => !ours.has(line))),
    phantom: first20([...ours].filter((line) => !theirs.has(line))),
    doubled: (counted?.statuses ?? 0) - ours.size,
    latestWrong: await findWrongLatest(db, accountId, expected.records),
    unfaithful: first20(
      kept
        .filter(({ identity, record }) => identity !== identityOf(record))
        .map(({ identity }) => `${identity}: its columns make another hash`),
    ),
    sumsWrong: [
      ...compareSums("status rows", sumsOf(records), sumsOf(expected.records)),
      ...compareSums(
        "transactions",
        sumsOf(await readTransactions(db, accountId)),
        sumsOf([...latestOf(expected.records).values()]),
      ),
    ],
    digestDiffers: digestOf([...ours]) !== digestOf([...theirs]),
    quarantineWrong:
      counted?.quarantined === expected.malformed
        ? []
        : [`${counted?.quarantined} quarantined, ${expected.malformed} malformed`],
  };
}

async function findUnfinished(db: Database, accountId: number): Promise<string[]> {
  const windows = await db.query<{ says: string }>(
    `select kind || ' window ' || id || ' is ' || state || coalesce(': ' || error_code, '') as says
     from tieout.sync_windows
     where account_id = $1 and state not in ('sealed', 'split')
     order by id
     limit 20`,
    [accountId],
  );
  const { gaps, share } = await readCoverage(db, accountId);
  return [
    ...windows.map(({ says }) => says),
    ...gaps.map(({ from, to }) => `gap from ${from} to ${to}`),
    ...(share < 1 ? [`only ${share} is covered`] : []),
  ];
}

const columns = `transaction_id, encode(record_hash, 'hex') as hash, status, transaction_type, provider,
  provider_transaction_id, payment_method, country, source_currency, in_amount::text, target_currency,
  out_amount::text, transaction_hash, wallet_address, api_key, extra::text,
  to_char(status_date at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at`;

interface KeptRow {
  readonly identity: string;
  readonly record: TransactionRecord;
}

async function readStatusRows(db: Database, accountId: number): Promise<KeptRow[]> {
  const rows = await db.query<Record<string, string | null>>(
    `select ${columns} from tieout.transaction_statuses where account_id = $1`,
    [accountId],
  );
  return rows.map((row) => ({ identity: `${row["transaction_id"]}|${row["hash"]}`, record: recordOf(row) }));
}

async function readTransactions(db: Database, accountId: number): Promise<TransactionRecord[]> {
  const rows = await db.query<Record<string, string | null>>(
    `select ${columns} from tieout.transactions where account_id = $1`,
    [accountId],
  );
  return rows.map(recordOf);
}

async function findWrongLatest(
  db: Database,
  accountId: number,
  expected: readonly TransactionRecord[],
): Promise<string[]> {
  const held = await db.query<{ transaction_id: string; hash: string }>(
    `select transaction_id, encode(record_hash, 'hex') as hash from tieout.transactions where account_id = $1`,
    [accountId],
  );
  const ours = new Map(held.map(({ transaction_id, hash }) => [transaction_id, hash]));
  const theirs = latestOf(expected);
  const wrong = [...theirs]
    .filter(([id, record]) => ours.get(id) !== hashOf(record))
    .map(([id, record]) => `${id}: ours is ${ours.get(id) ?? "missing"}, theirs ${hashOf(record)}`);
  const unknown = [...ours.keys()].filter((id) => !theirs.has(id)).map((id) => `${id}: not theirs`);
  return first20([...wrong, ...unknown]);
}

function latestOf(records: readonly TransactionRecord[]): Map<string, TransactionRecord> {
  const latest = new Map<string, TransactionRecord>();
  for (const record of records) {
    const held = latest.get(record.transactionId);
    if (!held || compareStatusRows(keyOf(record), keyOf(held)) > 0) latest.set(record.transactionId, record);
  }
  return latest;
}

function keyOf(record: TransactionRecord) {
  return { statusDate: record.statusDate, status: record.status, recordHash: hashOf(record) };
}

const hashes = new WeakMap<TransactionRecord, string>();

function hashOf(record: TransactionRecord): string {
  const hash = hashes.get(record) ?? recordHash(record);
  hashes.set(record, hash);
  return hash;
}

function identityOf(record: TransactionRecord): string {
  return `${record.transactionId}|${hashOf(record)}`;
}

function recordOf(row: Record<string, string | null>): TransactionRecord {
  const text = (column: string) => row[column] ?? null;
  const amount = (column: string) => {
    const digits = text(column);
    return digits === null ? null : parseDecimal(digits);
  };
  return {
    transactionId: row["transaction_id"] ?? "",
    status: row["status"] ?? "",
    statusDate: (parseInstant(row["at"] ?? "") ?? "") as Instant,
    transactionType: text("transaction_type"),
    provider: text("provider"),
    providerTransactionId: text("provider_transaction_id"),
    paymentMethod: text("payment_method"),
    country: text("country"),
    sourceCurrency: text("source_currency"),
    inAmount: amount("in_amount"),
    targetCurrency: text("target_currency"),
    outAmount: amount("out_amount"),
    transactionHash: text("transaction_hash"),
    walletAddress: text("wallet_address"),
    apiKey: text("api_key"),
    extra: canonicaliseJson(row["extra"] ?? "{}") ?? emptyObject,
  };
}

function sumsOf(records: readonly TransactionRecord[]): Map<string, string> {
  const units = new Map<string, string[]>();
  const add = (side: string, currency: string | null, amount: string | null) => {
    if (currency === null || amount === null) return;
    const key = `${side} ${currency}`;
    const amounts = units.get(key);
    if (amounts) amounts.push(amount);
    else units.set(key, [amount]);
  };
  for (const record of records) {
    add("in", record.sourceCurrency, record.inAmount);
    add("out", record.targetCurrency, record.outAmount);
  }
  return new Map([...units].map(([key, amounts]) => [key, addTexts(amounts)]));
}

/** Adds as a person would on paper, digit by digit: not with the code that is being tested. */
function addTexts(amounts: readonly string[]): string {
  const decimals = Math.max(...amounts.map((amount) => amount.split(".")[1]?.length ?? 0));
  const total = amounts.reduce((sum, amount) => {
    const [whole = "0", fraction = ""] = amount.split(".");
    return sum + BigInt(whole + fraction.padEnd(decimals, "0"));
  }, 0n);
  return decimals === 0 ? String(total) : `${total}e-${decimals}`;
}

function compareSums(what: string, ours: Map<string, string>, theirs: Map<string, string>): string[] {
  const keys = new Set([...ours.keys(), ...theirs.keys()]);
  return [...keys]
    .filter((key) => decimalFromWire(ours.get(key)) !== decimalFromWire(theirs.get(key)))
    .map((key) => `${what}, ${key}: ours ${ours.get(key)}, theirs ${theirs.get(key)}`);
}

function digestOf(lines: readonly string[]): string {
  return createHash("sha256").update(lines.toSorted().join("\n")).digest("hex");
}

function first20(lines: readonly string[]): string[] {
  return lines.slice(0, 20);
}
