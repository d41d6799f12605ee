import type { Report, Scope } from "../../report.ts";
import * as shared from "./shared-columns.ts";

/** Every bank line as at a moment, what it had settled by then, and what was left. */
export const receipts: Report = {
  ...shared.ofBooks,
  name: "receipts",
  title: "Receipts",
  purpose:
    "Every line of the bank files and every on-chain transfer, which payouts it settles, and what is left.",
  grain: "One row per bank line.",
  period: { description: "the day the money was booked", column: "x.effective_at" },
  moment: "apart",
  filters: {},
  columns: [
    shared.account,
    { name: "receipt_line", type: "text", description: "Our number for the line." },
    { name: "file_name", type: "text", description: "The bank's file." },
    { name: "line_no", type: "integer", description: "Where it stands in the file." },
    {
      name: "bank_account",
      type: "text",
      description: "The bank account, or the wallet.",
      wallets: "masked",
      walletsWhere: "r.hash is not null",
    },
    { name: "value_date", type: "date", description: "The day from which the bank credits the money." },
    { name: "booking_date", type: "date", description: "When the bank booked it." },
    { name: "direction", type: "text", description: "credit (came in) or debit (went out)." },
    shared.amount("amount", "Signed: money out is negative."),
    { name: "currency", type: "text", description: "Currency of amount and unmatched." },
    { name: "is_reversal", type: "boolean", description: "Whether it takes an earlier booking back." },
    { name: "reference", type: "text", description: "The payer's reference." },
    { name: "end_to_end_id", type: "text", description: "The end-to-end id of the payment." },
    { name: "bank_reference", type: "text", description: "The bank's number of the booking." },
    { name: "hash", type: "text", description: "The hash of an on-chain transfer." },
    {
      name: "counterparty",
      type: "text",
      description: "Who paid, or was paid.",
      wallets: "masked",
      walletsWhere: "r.hash is not null",
    },
    { name: "remittance", type: "text", description: "The text of the payment.", wallets: "inside" },
    { name: "providers", type: "text", description: "Providers of the payouts that it settles." },
    { name: "payout_refs", type: "text", description: "References of the payouts that it settles." },
    { name: "settled", type: "amount", description: "How much of it settles payouts, in their currency." },
    { name: "bank_fee", type: "amount", description: "What the bank kept of these payouts." },
    { name: "match_rules", type: "text", description: "reference, end_to_end_id, hash or person." },
    shared.amount(
      "unmatched",
      "What came in without settling a payout; below zero, what the bank took back without naming a known payout.",
    ),
  ],
  select: (scope) => `
    select x.*
    from (
      select a.name as account, l.account_id, 'rcl_' || l.id as receipt_line, f.file_name, w.line_no, l.bank_account, l.value_date,
             l.booking_date, l.effective_at, l.direction, case l.direction when 'credit' then l.amount else -l.amount end as amount,
             l.currency, l.is_reversal, l.reference, l.end_to_end_id, l.bank_reference, l.hash, l.counterparty, l.remittance,
             s.providers, s.payout_refs, s.settled, s.bank_fee, s.rules as match_rules,
             case when s.settled <> 0 and l.original_currency is not null and ${isConverted(scope)} then 0
                  when l.direction = 'credit' then trim_scale(l.amount - s.settled)
                  when l.is_reversal and tieout.goes_by('reversals_unmatched', ${scope.knownAt()}) then trim_scale(-l.amount - s.settled)
                  else 0 end as unmatched,
             l.id
      from tieout.receipt_lines_at(${scope.accounts()}, ${scope.knownAt()}) as l
      join tieout.accounts as a on a.id = l.account_id
      join tieout.receipt_files as f on f.id = l.file_id
      join tieout.receipt_rows as w on w.file_id = l.file_id and w.row_no = l.row_no
      cross join lateral tieout.receipt_settled(l.id, ${scope.asAt()}, ${scope.knownAt()}) as s
      where l.effective_at < ${scope.asAt()}
    ) as x
    where ${scope.where}`,
  orderBy: "r.account, r.effective_at, r.id",
};

/**
 * Whether a line settles a payout in the currency that was sent: what is left of it in its own is then not known. At first every line
 * with such a currency was taken for one.
 */
function isConverted(scope: Scope): string {
  return `(not tieout.goes_by('unmatched_in_own_currency', ${scope.knownAt()}) or exists (
               select
               from tieout.receipt_matches as m
               where m.receipt_line_id = l.id
                 and lower(m.currency) <> lower(l.currency)
                 and m.effective_at < ${scope.asAt()}
                 and m.matched_at <= ${scope.knownAt()}
                 and (m.ended_at is null or m.ended_at > ${scope.knownAt()})
             ))`;
}
