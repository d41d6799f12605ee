/** A view of the schema `reporting` that the lake holds. */
export interface LakeTable {
  name: string;
  /** The day or time by whose month a row is filed. */
  month: string;
  /** Rows come in a total order, so that the same rows give the same file. */
  orderBy: string;
  /** Rows are never changed, only added: the time by which new ones are known. Without, a month that has changed is written again. */
  addedAt?: string;
  /**
   * Columns that can be told from the others, and would make old rows change: a file goes without them, and the view over the
   * files says how they are told.
   */
  told?: Readonly<Record<string, string>>;
}

/** Whole UTC days, as `tieout.age_days` counts them. */
const ageDays =
  "greatest(0, (coalesce(resolved_at, now()) at time zone 'UTC')::date - (since at time zone 'UTC')::date)";

/**
 * Left out are `data_freshness`, `sync_coverage` and `execution_quality`, which say how things are at the moment of asking.
 */
export const lakeTables: readonly LakeTable[] = [
  {
    name: "transaction_statuses",
    month: "status_date",
    orderBy: "status_date, transaction_id, record_hash",
    addedAt: "first_seen_at",
    told: {
      is_latest:
        "row_number() over (partition by account, transaction_id order by status_date desc, status_rank desc, record_hash desc) = 1",
    },
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
  {
    name: "discrepancies",
    month: "since",
    orderBy: "discrepancy_id",
    told: {
      age_days: ageDays,
      bucket: `case when age_days <= 1 then '0-1' when age_days <= 3 then '2-3' when age_days <= 7 then '4-7'
         when age_days <= 30 then '8-30' when age_days <= 60 then '31-60' when age_days <= 90 then '61-90' else '91+' end`,
    },
  },
  { name: "receipts", month: "effective_at", orderBy: "receipt_line_id" },
  { name: "periods", month: "to_date(month, 'YYYY-MM')", orderBy: "account, month" },
  { name: "quarantined_records", month: "first_seen_at", orderBy: "raw_hash" },
  { name: "sync_windows", month: "range_from", orderBy: "window_id" },
  { name: "sync_findings", month: "found_at", orderBy: "found_at, transaction_id, finding" },
];
