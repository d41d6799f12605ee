import { addMissingNames } from "../../src/store/transactions/rebuild.ts";
import { readFile } from "node:fs/promises";
import type { Readable } from "node:stream";
import { parse } from "csv-parse/sync";
import { findReport } from "../../src/report/catalogue.ts";
import type { OpenReport, ReportAccess } from "../../src/report/open-report.ts";
import { type GivenParameters, parseRequest, type ReportRequest } from "../../src/report/parameters.ts";
import type { Report, ReportFormat } from "../../src/report/report.ts";
import { streamReport, type StreamedReport } from "../../src/report/stream-report.ts";
import type { Database } from "../../src/store/database.ts";

/** A transaction as a test writes it; what it leaves out is ordinary. */
export interface TransactionToKeep {
  transaction_id: string;
  status?: string;
  status_date?: string;
  transaction_type?: string | null;
  provider?: string | null;
  provider_transaction_id?: string | null;
  payment_method?: string | null;
  country?: string | null;
  source_currency?: string | null;
  in_amount?: string | null;
  target_currency?: string | null;
  out_amount?: string | null;
  transaction_hash?: string | null;
  wallet_address?: string | null;
  extra?: object | null;
}

export const seesAll: ReportAccess = { accountIds: null, wallets: true };
export const october = { from: ["2026-10-01"], to: ["2026-11-01"] };

/** What a report takes of a question that suits most of them. */
export function inOctober({ period, moment }: Report): Record<string, string[]> {
  if (period === null) return { as_at: ["2026-11-01"] };
  return moment === "apart" ? { ...october, as_at: ["2026-11-01"] } : october;
}

/** An account of which a period has been read completely. */
export async function keepAccount(
  db: Database,
  name: string,
  covered = "{[2026-01-01,2026-11-14)}",
): Promise<number> {
  const [row] = await db.query<{ id: number }>(
    `insert into tieout.accounts (name, base_url, sync_start, covered)
     values ($1, 'https://aggregator.example', '2026-01-01', $2) returning id`,
    [name, covered],
  );
  return row?.id ?? 0;
}

export async function keepTransactions(
  db: Database,
  accountId: number,
  records: readonly TransactionToKeep[],
): Promise<void> {
  const ordinary = {
    status: "completed",
    status_date: "2026-10-10T12:00:00Z",
    transaction_type: "buy",
    provider: "acme",
    provider_transaction_id: "p-1",
    payment_method: "creditcard",
    country: "de",
    source_currency: "eur",
    in_amount: "100",
    target_currency: "btc",
    out_amount: "0.001",
    transaction_hash: "",
    wallet_address: "bc1qexampleaddress",
    extra: null,
  };
  const rows = JSON.stringify(records.map((record) => ({ ...ordinary, ...record })));
  for (const table of ["transaction_statuses", "transactions"]) {
    const more =
      table === "transactions"
        ? {
            columns: "is_final, first_seen_at, last_changed_at",
            values: "status in ('completed', 'failed', 'canceled'), now(), now()",
          }
        : { columns: "window_id, first_seen_at", values: "1, now()" };
    await db.query(
      `insert into tieout.${table} (account_id, transaction_id, record_hash, hash_version, status, status_rank, status_date,
         transaction_type, provider, provider_transaction_id, payment_method, country, source_currency, in_amount,
         target_currency, out_amount, transaction_hash, wallet_address, api_key, extra, ${more.columns})
       select $1, transaction_id, sha256(convert_to(transaction_id, 'UTF8')), 1, status, 60, status_date, transaction_type,
         provider, provider_transaction_id, payment_method, country, source_currency, in_amount, target_currency,
         out_amount, transaction_hash, wallet_address, 'pk_test', extra, ${more.values}
       from jsonb_to_recordset($2::jsonb) as r (transaction_id text, status text, status_date timestamptz,
         transaction_type text, provider text, provider_transaction_id text, payment_method text, country text,
         source_currency text, in_amount numeric, target_currency text, out_amount numeric, transaction_hash text,
         wallet_address text, extra jsonb)`,
      [accountId, rows],
    );
  }
  await addMissingNames(db);
}

/** Many plain ones, made by the database itself. */
export async function keepMany(db: Database, accountId: number, count: number): Promise<void> {
  await db.query(
    `insert into tieout.transactions (account_id, transaction_id, record_hash, hash_version, status, status_rank,
       status_date, transaction_type, provider, provider_transaction_id, payment_method, country, source_currency,
       in_amount, target_currency, out_amount, transaction_hash, wallet_address, api_key, is_final, first_seen_at,
       last_changed_at)
     select $1, 'many-' || lpad(n::text, 9, '0'), sha256(n::text::bytea), 1, 'completed', 60,
       timestamptz '2026-10-01Z' + n * interval '1 second', 'buy', 'acme', 'p-' || n, 'creditcard', 'de', 'eur',
       n / 100.0, 'btc', n / 100000000.0, encode(sha256(n::text::bytea), 'hex'), 'bc1q' || n, 'pk_test', true, now(), now()
     from generate_series(1, $2::int) as n`,
    [accountId, count],
  );
}

export function requestFor(
  name: string,
  given: GivenParameters = {},
  format: ReportFormat = "csv",
): ReportRequest {
  const report = findReport(name);
  if (report === null) throw new Error(`there is no report ${name}`);
  return parseRequest(report, format, given);
}

export function openStream(
  db: Database,
  request: ReportRequest,
  access: ReportAccess = seesAll,
  before: (report: OpenReport) => Promise<void> = async () => undefined,
): Promise<StreamedReport> {
  return streamReport(db, request, access, {
    rowsMax: 1_000_000,
    before,
    signal: new AbortController().signal,
  });
}

/** The whole file as text. */
export async function readReport(
  db: Database,
  request: ReportRequest,
  access: ReportAccess = seesAll,
): Promise<string> {
  const { body } = await openStream(db, request, access);
  return (await readAll(body)).toString("utf8");
}

export async function readAll(body: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** As someone else's program reads it. */
export function parseCsv(text: string): Record<string, string>[] {
  return parse(text, { columns: true, bom: true, relax_column_count: false });
}

export async function parseCsvFile(path: string): Promise<Record<string, string>[]> {
  return parseCsv(await readFile(path, "utf8"));
}
