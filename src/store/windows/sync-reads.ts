import { type AccountReader, addAccounts, addAnyOf, conditionsFor } from "../conditions.ts";
import { type Keyset, type Page, type PageWanted, readPage } from "../keyset.ts";
import { accountName } from "../transactions/record-columns.ts";

export interface WindowRow {
  id: string;
  account: string;
  kind: string;
  range_from: string;
  range_to: string;
  state: string;
  parent_id: string | null;
  failures: number;
  restarts: number;
  error_code: string | null;
  error: string | null;
  pages: number;
  read: number;
  added: number;
  quarantined: number;
  vanished: number;
  ended_by: string | null;
  planned_at: string;
  started_at: string | null;
  sealed_at: string | null;
}

const newestFirst: Keyset = { keys: [{ expression: "w.id", kind: "integer" }], descending: true };

export const windowKeyset = { keyset: newestFirst, positionOf: (row: WindowRow) => [row.id] };

export async function listWindows(
  reader: AccountReader,
  filters: { account?: readonly string[]; kind?: readonly string[]; state?: readonly string[] },
  page: PageWanted,
): Promise<Page<WindowRow>> {
  const conditions = conditionsFor(reader, "w.account_id");
  addAccounts(conditions, "w.account_id", filters.account);
  addAnyOf(conditions, "w.kind", filters.kind);
  addAnyOf(conditions, "w.state", filters.state);
  const select = `w.id::text, ${accountName("w")}, w.kind, w.range_from::text, w.range_to::text, w.state,
    w.parent_id::text, w.failures, w.restarts, w.error_code, w.error, w.pages, w.read, w.added, w.quarantined, w.vanished,
    w.ended_by, w.planned_at::text, w.started_at::text, w.sealed_at::text`;
  const from = "tieout.sync_windows as w";
  return readPage(reader.database, { select, from, conditions, keyset: newestFirst, page });
}

export interface QuarantineRow {
  account_id: number;
  account: string;
  raw_hash: string;
  reason: string;
  field: string | null;
  raw: string;
  window_id: string;
  first_seen_at: string;
  last_seen_at: string;
}

const newestQuarantinedFirst: Keyset = {
  keys: [
    { expression: "q.first_seen_at", kind: "time" },
    { expression: "q.raw_hash", kind: "hex" },
    { expression: "q.account_id", kind: "integer" },
  ],
  descending: true,
};

export const quarantineKeyset = {
  keyset: newestQuarantinedFirst,
  positionOf: (row: QuarantineRow) => [row.first_seen_at, row.raw_hash, String(row.account_id)],
};

export async function listQuarantine(
  reader: AccountReader,
  filters: { account?: readonly string[]; reason?: readonly string[] },
  page: PageWanted,
): Promise<Page<QuarantineRow>> {
  const conditions = conditionsFor(reader, "q.account_id");
  addAccounts(conditions, "q.account_id", filters.account);
  addAnyOf(conditions, "q.reason", filters.reason);
  const select = `q.account_id, ${accountName("q")}, encode(q.raw_hash, 'hex') as raw_hash, q.reason, q.field, q.raw,
    q.window_id::text, q.first_seen_at::text, q.last_seen_at::text`;
  const from = "tieout.quarantined_records as q";
  return readPage(reader.database, { select, from, conditions, keyset: newestQuarantinedFirst, page });
}
