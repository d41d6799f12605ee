/** A view of the schema `reporting` that the lake holds. */
export interface LakeTable {
  name: string;
  /** The day or time by whose month a row is filed. */
  month: string;
  /** Rows come in a total order, so that the same rows give the same file. */
  orderBy: string;
  /** Rows are never changed, only added: the time by which new ones are known. Without, a month that has changed is written again. */
  addedAt?: string;
  /** Columns that can be told from the others, and would make old rows change. */
  without?: readonly string[];
}

/** Left out are `data_freshness` and `sync_coverage`, which say how things are at the moment of asking. */
export const lakeTables: readonly LakeTable[] = [
  {
    name: "transaction_statuses",
    month: "status_date",
    orderBy: "status_date, transaction_id, record_hash",
    addedAt: "first_seen_at",
    without: ["is_latest"],
  },
  { name: "transactions", month: "status_date", orderBy: "status_date, transaction_id" },
  {
    name: "daily_summary",
    month: "day",
    orderBy: "day, provider, transaction_type, status, source_currency, target_currency",
  },
  { name: "statements", month: "imported_at", orderBy: "statement_id" },
  { name: "statement_lines", month: "effective_at", orderBy: "line_id" },
  { name: "payouts", month: "payout_date", orderBy: "payout_id" },
  { name: "matches", month: "effective_at", orderBy: "match_id" },
  { name: "discrepancies", month: "since", orderBy: "discrepancy_id" },
  { name: "quarantined_records", month: "first_seen_at", orderBy: "raw_hash" },
  { name: "sync_windows", month: "range_from", orderBy: "window_id" },
  { name: "sync_findings", month: "found_at", orderBy: "found_at, transaction_id, finding" },
];
