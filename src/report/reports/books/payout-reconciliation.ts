import { date, decimal, integer, text } from "../../column.ts";
import type { Report } from "../../report.ts";
import * as shared from "./shared-columns.ts";

export const payoutReconciliation: Report = {
  ...shared.ofBooks,
  name: "payout-reconciliation",
  title: "Payout reconciliation",
  purpose: "Whether each payout that a provider declares is the sum of its lines, step by step.",
  grain: "One row per payout and currency.",
  period: {
    description: "the day the provider says it paid; for an undeclared payout, the day of its last line",
    column: "x.at",
  },
  moment: "apart",
  filters: { provider: "x.provider", payout_ref: "x.payout_ref", status: "x.status" },
  columns: [
    shared.account,
    shared.provider,
    { ...shared.payoutRef, description: "The reference that its lines carry." },
    date("payout_date", "The day the provider says it paid, in the report's zone; empty if it does not say."),
    text("currency", "Currency of all its amounts."),
    integer("line_count", "How many lines it sums, without the line that declares it."),
    shared.amount("gross", "Charges before fees, where the provider owes us the customers' money."),
    shared.amount("fees", "Less: what the provider keeps, and its fee lines."),
    shared.amount("refunds", "Less: refunds."),
    shared.amount("chargebacks", "Less: chargebacks."),
    shared.amount("chargeback_reversals", "Plus: chargebacks that were won back."),
    shared.amount("commissions", "Plus: our share, where the provider owes us only that."),
    shared.amount("adjustments", "Plus: adjustments, with their sign."),
    shared.amount("reserves", "Plus: reserves, released less withheld."),
    shared.amount("net_computed", "The sum of these steps: what the lines say was paid."),
    shared.amount("net_declared", "What the provider says it paid; empty if it does not say."),
    shared.amount("difference", "net_declared less net_computed."),
    text(
      "status",
      "tied (equal to the minor unit), expected (the same, and dated later than the report's moment), not_tied, or undeclared (no net stated).",
    ),
    shared.amount("received_amount", "How much of it had arrived at the bank or on chain."),
    shared.amount("bank_fee", "What the bank kept of it."),
    text("received_reference", "The bank's references of the bookings."),
    date("received_date", "The day on which the bank booked the last of it."),
    text(
      "state",
      "expected, declared, received, short, over, overdue (nothing by its due date), payable (below zero: we owe it to the provider), or paid (once that went out).",
    ),
    text(
      "converted_from",
      "The sums of its lines in other currencies, for example 9359.68 USD; empty if nothing was converted.",
    ),
    decimal("conversion_rate", "The provider's conversion rate, as its file states it."),
    text("rate_line", "Our id of the statement line that states the rate."),
    text("rate_file_name", "The file of that line."),
    integer("rate_line_no", "Its line in that file, counted from 1."),
    shared.amount(
      "written_off",
      "What was written off because it had not arrived, less what arrived after all; below zero if too much arrived.",
    ),
  ],
  select: (scope) => `
    select a.name as account, x.*, ${scope.day("x.declared_at")} as payout_date
    from (
      select p.account_id, p.provider, p.payout_ref, p.currency, p.line_count, p.gross, p.fees, p.refunds, p.chargebacks,
             p.chargeback_reversals, p.commissions, p.adjustments, p.reserves, p.net_computed, p.net_declared, p.difference,
             tieout.payout_status(p.status, p.payout_date, ${scope.asAt()}) as status,
             p.payout_date as declared_at,
             arrived.received as received_amount, arrived.bank_fee,
             case when tieout.goes_by('arrivals_by_bank', ${scope.knownAt()})
               then tieout.received_day(p.id, ${scope.asAt()}, ${scope.knownAt()})
               else ${scope.day("arrived.received_at")}
             end as received_date, arrived.received_reference, arrived.state,
             (
               select string_agg(concat_ws(' ', one ->> 'amount', one ->> 'currency'), ' + ' order by one ->> 'currency')
               from jsonb_array_elements(conversion.originals) as one
             ) as converted_from,
             conversion.rate as conversion_rate, 'lin_' || conversion.line_id as rate_line,
             conversion.file_name as rate_file_name, conversion.line_no as rate_line_no,
             coalesce(gone.written_off, 0) as written_off,
             coalesce(p.payout_date, p.last_line_at) as at
      from tieout.payouts_at(${scope.accounts()}, ${scope.knownAt()}) as p
      cross join lateral tieout.payout_received(p, ${scope.asAt()}, ${scope.knownAt()}) as arrived
      left join lateral tieout.payout_conversion(p, ${scope.knownAt()}) as conversion on true
      left join (             -- as the journal books it
        select account_id, provider, payout_ref, currency, trim_scale(sum(amount)) as written_off
        from tieout.receipt_movements(${scope.accounts()}, ${scope.knownAt()})
        where event in ('payout_written_off', 'difference_written_off')
          and at < ${scope.asAt()}
        group by account_id, provider, payout_ref, currency
      ) as gone using (account_id, provider, payout_ref, currency)
      where (p.line_count > 0 or p.net_declared is not null)
        and least(p.payout_date, p.last_line_at) < ${scope.asAt()}
    ) as x
    join tieout.accounts as a on a.id = x.account_id
    where ${scope.where}`,
  orderBy: "r.account, r.provider, r.at, r.payout_ref, r.currency",
};
