export const discrepancyLevels = ["error", "warning"] as const;
export const discrepancyStates = ["open", "investigating", "resolved", "written_off"] as const;

/**
 * What can disagree, as a closed list: codes are stable, snake_case and never reused. The level says whether a
 * discrepancy changes the class of its subject; the form, whether its two sides are amounts or words.
 */
export const discrepancyCodes = {
  // A transaction and the lines of statements.
  missing_from_statement: { level: "error", subject: "transaction", form: "amount" },
  missing_from_records: { level: "error", subject: "line", form: "amount" },
  in_amount_mismatch: { level: "error", subject: "transaction", form: "amount" },
  out_amount_mismatch: { level: "error", subject: "transaction", form: "amount" },
  currency_mismatch: { level: "error", subject: "transaction", form: "text" },
  network_mismatch: { level: "error", subject: "transaction", form: "text" },
  direction_mismatch: { level: "error", subject: "transaction", form: "text" },
  status_mismatch: { level: "error", subject: "transaction", form: "text" },
  duplicate_settlement: { level: "error", subject: "line", form: "amount" },
  unlinked_reversal: { level: "error", subject: "line", form: "amount" },
  reversal_exceeds_original: { level: "error", subject: "transaction", form: "amount" },
  refunded_after_completed: { level: "error", subject: "transaction", form: "text" },
  charged_back: { level: "error", subject: "transaction", form: "text" },
  reference_conflict: { level: "error", subject: "line", form: "text" },
  hash_mismatch: { level: "error", subject: "transaction", form: "text" },
  address_mismatch: { level: "warning", subject: "transaction", form: "text" },
  hash_reused: { level: "error", subject: "transaction", form: "text" },
  hash_missing: { level: "warning", subject: "transaction", form: "text" },
  split_amount_mismatch: { level: "error", subject: "line", form: "amount" },
  split_crypto_mismatch: { level: "error", subject: "line", form: "amount" },
  ambiguous: { level: "error", subject: "line", form: "text" },
  // One side alone, which contradicts itself.
  line_arithmetic_mismatch: { level: "error", subject: "transaction", form: "amount" },
  rate_variance: { level: "warning", subject: "transaction", form: "amount" },
  unknown_status: { level: "error", subject: "transaction", form: "text" },
  status_regressed: { level: "error", subject: "transaction", form: "text" },
  status_reversed: { level: "error", subject: "transaction", form: "text" },
  status_recovered: { level: "warning", subject: "transaction", form: "text" },
  record_conflict: { level: "error", subject: "transaction", form: "text" },
  dates_apart: { level: "warning", subject: "transaction", form: "text" },
  stale_open: { level: "warning", subject: "transaction", form: "text" },
  // What was agreed: fee schedules, and what a provider says it owes for a month.
  fee_variance: { level: "warning", subject: "transaction", form: "amount" },
  commission_short: { level: "error", subject: "transaction", form: "amount" },
  commission_over: { level: "error", subject: "transaction", form: "amount" },
  commission_sum_mismatch: { level: "error", subject: "period", form: "amount" },
  // Payouts, and what a provider owes as a whole.
  payout_sum_mismatch: { level: "error", subject: "payout", form: "amount" },
  payout_declared_twice: { level: "error", subject: "payout", form: "amount" },
  payout_conversion_unexplained: { level: "error", subject: "payout", form: "text" },
  unexplained_movement: { level: "error", subject: "line", form: "amount" },
  statement_overdue: { level: "error", subject: "period", form: "amount" },
  payout_overdue: { level: "error", subject: "period", form: "amount" },
  position_unexplained: { level: "error", subject: "period", form: "amount" },
  // What has arrived at the bank, or on chain.
  payout_short: { level: "error", subject: "payout", form: "amount" },
  payout_over: { level: "error", subject: "payout", form: "amount" },
  payout_not_received: { level: "error", subject: "payout", form: "amount" },
  receipt_without_payout: { level: "error", subject: "receipt", form: "amount" },
} as const satisfies Record<string, DiscrepancyMeaning>;

/** Raised by comparing payouts with bank lines, and by nothing else. */
export const receiptCodes = [
  "payout_short",
  "payout_over",
  "payout_not_received",
  "receipt_without_payout",
] as const satisfies readonly (keyof typeof discrepancyCodes)[];

export type DiscrepancyCode = keyof typeof discrepancyCodes;

export interface DiscrepancyMeaning {
  readonly level: "error" | "warning";
  /** The usual subject. One that is of a transaction falls back to the line where there is no transaction. */
  readonly subject: "transaction" | "line" | "payout" | "period" | "receipt";
  readonly form: "amount" | "text";
}

/** Not late yet: no discrepancy, and never counted as one. */
export const pendingCodes = {
  awaiting_statement: "transaction",
  below_payout_threshold: "transaction",
  awaiting_records: "line",
  awaiting_payout: "line",
  in_transit_at_cutoff: "match",
} as const;
