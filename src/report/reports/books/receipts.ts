import { boolean, date, decimal, integer, text } from "../../column.ts";
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
    text("receipt_line", "Our number for the line."),
    text("file_name", "The bank's file."),
    integer("line_no", "Where it stands in the file."),
    text("bank_account", "The bank account, or the wallet.", {
      wallets: "masked",
      walletsWhere: "r.hash is not null",
    }),
    date("value_date", "The day from which the bank credits the money."),
    date("booking_date", "When the bank booked it."),
    text("direction", "credit (came in) or debit (went out)."),
    shared.amount("amount", "Signed: money out is negative."),
    text("currency", "Currency of amount and unmatched."),
    boolean("is_reversal", "Whether it takes an earlier booking back."),
    text("reference", "The payer's reference."),
    text("end_to_end_id", "The end-to-end id of the payment."),
    text("bank_reference", "The bank's number of the booking."),
    text("hash", "The hash of an on-chain transfer."),
    text("counterparty", "Who paid, or was paid.", { wallets: "masked", walletsWhere: "r.hash is not null" }),
    text("remittance", "The text of the payment.", { wallets: "inside" }),
    text("providers", "Providers of the payouts that it settles."),
    text("payout_refs", "References of the payouts that it settles."),
    decimal("settled", "How much of it settles payouts, in their currency."),
    decimal("bank_fee", "What the bank kept of these payouts."),
    text("match_rules", "reference, end_to_end_id, hash or person."),
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
