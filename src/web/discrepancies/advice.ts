import { discrepancyCodes, type DiscrepancyCode } from "../../core/discrepancy-codes.ts";

/** For the people who have not learnt the codes; a code of a later version explains itself. */
export function explain(code: string): string {
  const level = discrepancyCodes[code as DiscrepancyCode]?.level;
  const words = meanings[code as DiscrepancyCode] ?? "Two facts that should agree do not.";
  return level === "warning" ? `${words} A warning: it does not change the class of the transaction.` : words;
}

/** What usually settles it, as docs/reconciliation.md says; `null`: of a code that is not known here. */
export function nextStep(code: string): string | null {
  return steps[code as DiscrepancyCode] ?? null;
}

const meanings: Record<DiscrepancyCode, string> = {
  missing_from_statement: "Completed with us, but not on the statement that covers its day.",
  missing_from_records: "On a statement, but the aggregator has no record of it.",
  in_amount_mismatch: "What the customer paid differs by more than the tolerance.",
  out_amount_mismatch: "What the customer received differs by more than the tolerance.",
  currency_mismatch: "The two sides name different currencies.",
  network_mismatch: "The two sides name different networks of one coin.",
  direction_mismatch: "A buy on one side, a sell on the other.",
  status_mismatch: "The two statuses contradict each other.",
  duplicate_settlement: "A second line settles a transaction that another line has settled.",
  unlinked_reversal: "A refund or chargeback that belongs to no transaction we know.",
  reversal_exceeds_original: "More was taken back than was ever charged.",
  refunded_after_completed:
    "Completed with us; the provider says that it was refunded, but no line moves the money back yet.",
  charged_back:
    "Completed with us; the provider says that it was charged back, but no line moves the money back yet.",
  reference_conflict: "The line’s id names one transaction, its reference or hash another.",
  hash_mismatch: "The two sides name different chain transactions.",
  address_mismatch: "The two sides name different wallet addresses.",
  hash_reused: "Two completed transactions share hash, address, coin and amount.",
  hash_missing: "A completed buy without a chain hash after a day.",
  split_amount_mismatch: "The parts of the split do not add up to the line’s amount.",
  split_crypto_mismatch: "The line’s coins do not equal those of the transactions it is split over.",
  ambiguous: "A line that could belong to several transactions. Choose one, or leave it.",
  line_arithmetic_mismatch: "The line’s own figures do not add up.",
  rate_variance: "The line’s rate times its amount does not give its crypto amount.",
  unknown_status: "A status that is not mapped.",
  status_regressed: "The status went backwards.",
  status_reversed: "Failed or canceled after it had been completed.",
  status_recovered: "Open or completed again after it had failed.",
  record_conflict: "Two records of the same time contradict each other.",
  dates_apart: "The two dates are further apart than is usual for this provider’s statements.",
  stale_open: "Open for longer than its payment method should take.",
  fee_variance: "The customer’s fees differ from what the fee schedule says.",
  commission_short: "Our share is less than the fee schedule says.",
  commission_over: "Our share is more than the fee schedule says.",
  commission_sum_mismatch: "The share stated for a month differs from the sum of its lines.",
  payout_sum_mismatch: "The payout’s lines do not add up to what the provider declared.",
  payout_declared_twice: "Two lines declare different sums for one payout.",
  payout_conversion_unexplained: "Lines and payout are in different currencies, and no rate is stated.",
  unexplained_movement: "An adjustment or reserve without a transaction or a known category.",
  statement_overdue: "Completed transactions whose statement is overdue.",
  payout_overdue: "At least the minimum payout is owed, it was due, and no payout was declared.",
  position_unexplained:
    "The provider’s closing balance is not its opening balance plus activity less payouts.",
  payout_short: "Less has arrived at the bank than the provider declared.",
  payout_over: "More has arrived at the bank than the provider declared.",
  payout_not_received: "Nothing of this payout had arrived at the bank by its due date.",
  receipt_without_payout: "Money that arrived, or that the bank took back, names no payout we know.",
};

export const steps: Record<DiscrepancyCode, string> = {
  missing_from_statement: "ask the provider with its id, hash, amount and date",
  missing_from_records: "check whether another account has it; if not, ask the aggregator",
  in_amount_mismatch: "compare the fee columns; then ask the provider",
  out_amount_mismatch: "where our amount stays a quote, widen the tolerance of this provider",
  currency_mismatch: "usually an alias is missing in the profile",
  network_mismatch: "check the address on both; money may have gone astray",
  direction_mismatch: "check the profile; if it is right, ask the provider",
  status_mismatch: "the newer side is usually right; re-read the transaction",
  duplicate_settlement: "ask the provider what it is, or to take it back",
  unlinked_reversal: "find the original with the provider, and match it by hand",
  reversal_exceeds_original: "ask the provider",
  refunded_after_completed: "wait for the refund line, or ask for it",
  charged_back: "wait for the chargeback line, or ask for it",
  reference_conflict: "the match by id stands; have the provider correct the other",
  hash_mismatch: "look both up on the chain",
  address_mismatch: "some providers state their own address; otherwise treat it as urgent",
  hash_reused: "one delivery was counted twice: ask for which of the two it was",
  hash_missing: "ask the provider for it",
  split_amount_mismatch: "split it again, or ask the provider what the rest is",
  split_crypto_mismatch: "check whether a transaction is missing from the split",
  ambiguous: "choose one by hand, with a reason",
  line_arithmetic_mismatch: "ask the provider; it is their arithmetic",
  rate_variance: "look at the rounding of the rate",
  unknown_status: "add it to the profile, or tell us",
  status_regressed: "re-read it; if it stays, tell the aggregator",
  status_reversed: "look for the refund",
  status_recovered: "nothing, if a line settles it",
  record_conflict: "tell the aggregator",
  dates_apart: "check that the id was not used twice",
  stale_open: "ask the provider",
  fee_variance: "ask the provider, or import the current schedule",
  commission_short: "ask for the rest",
  commission_over: "expect the provider to take it back, or import the current schedule",
  commission_sum_mismatch: "compare the lines with what the provider counted",
  payout_sum_mismatch: "see the itemised report of this payout; a line or a file is missing",
  payout_declared_twice: "ask which one was paid",
  payout_conversion_unexplained: "ask for the rate",
  unexplained_movement: "ask what it is; then explain the word in the profile",
  statement_overdue: "fetch it",
  payout_overdue: "remind the provider",
  position_unexplained:
    "go through the period with the itemised report: a line is missing, or there is one too many",
  payout_short: "ask the provider or the bank; book the bank's fee with the match",
  payout_over: "ask the provider; match the rest with another payout",
  payout_not_received: "ask the provider for the transfer, and the bank for its files",
  receipt_without_payout: "match it by hand, or import the statement that declares it",
};
