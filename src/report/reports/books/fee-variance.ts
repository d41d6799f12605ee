import { date, integer, text } from "../../column.ts";
import { expectedByTerms, feeTerms } from "../../../store/books/fee-expectations.ts";
import type { Report, Scope } from "../../report.ts";
import * as shared from "./shared-columns.ts";

/** The lines of the period alone, before anything is looked up for them. */
function dated(scope: Scope): string {
  const [from, to] = [scope.from(), scope.to()];
  return [
    ...(from === null ? [] : [`\n        and l.effective_at >= ${from}`]),
    ...(to === null ? [] : [`\n        and l.effective_at < ${to}`]),
  ].join("");
}

/** By the schedules that were known at the report's moment, whichever was valid on the day of the order. */
export const feeVariance: Report = {
  ...shared.ofBooks,
  name: "fee-variance",
  title: "Fee variance",
  purpose: "Where fees and our share differ from what was agreed with the provider, and by how much.",
  grain: "One row per order and kind of fee that differs from its schedule.",
  period: { description: "the time the line took effect", column: "x.effective_at" },
  moment: "apart",
  filters: { provider: "x.provider", payment_method: "x.payment_method", currency: "upper(x.currency)" },
  columns: [
    shared.account,
    shared.provider,
    shared.transactionId,
    shared.providerTransactionId,
    shared.payoutRef,
    shared.fileName,
    shared.lineNo,
    date("line_date", "The day the line took effect, in the report's zone."),
    text("side", "buy or sell."),
    text("payment_method", "Payment method id, as received."),
    text("currency", "Currency of all amounts."),
    shared.amount("order_amount", "The order before fees, as the line states it."),
    text("kind", "share (ours), processing_fee (all but the network's) or total_fee."),
    shared.amount("expected", "What the schedule says."),
    shared.amount("actual", "What the line states."),
    shared.amount("difference", "actual less expected."),
    integer("schedule_version", "The version of the schedule that applies."),
    shared.codes,
  ],
  totalsBy: "kind",
  select: (scope) => {
    const [accounts, asAt, knownAt] = [scope.accounts(), scope.asAt(), scope.knownAt()];
    return `
    with terms as materialized (${feeTerms(accounts, knownAt)}
    ), lines as materialized (
      -- Before anything is looked up for them: of most lines nothing is expected.
      select l.account_id, l.provider, l.id, l.statement_id, l.effective_at, l.side, l.fiat_currency, l.fiat_gross,
             l.net_amount, l.net_currency, l.fee_total, l.fee_network, l.fee_partner, l.fee_processing, l.fee_currency
      from tieout.lines_at(${accounts}, ${knownAt}) as l
      where l.line_type = 'charge'
        and l.status in ('settled', 'delivering')
        and l.fiat_gross is not null
        and l.effective_at < ${asAt}${dated(scope)}
        and exists (
          select
          from terms as s
          where s.account_id = l.account_id
            and s.provider = l.provider
            and l.effective_at >= s.valid_from
            and l.effective_at < s.valid_to
        )
    ), charges as materialized (
      select l.account_id, l.provider, m.transaction_id, l.id as line_id, l.effective_at,
             coalesce(l.side, t.transaction_type) as side, held.payment_method, l.fiat_currency as currency, l.fiat_gross as gross,
             l.net_amount, l.net_currency, l.fee_total, l.fee_network, l.fee_partner, l.fee_currency,
             -- With it, lines are compared that state no fee of the network; in months that were signed earlier they were not.
             case when tieout.goes_by('fees_without_network', ${knownAt}) then l.fee_processing end as fee_processing,
             not coalesce(file.is_gross, false) and (l.fee_partner is not null or l.net_amount <> 0) as owes_share,
             coalesce(w.places, 2) as places
      from lines as l
      join tieout.matches as m
        on m.line_id = l.id
       and m.part_amount is null              -- what each order of a split cost is not stated
       and m.role = 'settles'
       and m.rule <> 'suggested'
       and m.matched_at <= ${knownAt}
       and (m.ended_at is null or m.ended_at > ${knownAt})
      join tieout.completed_at(${accounts}, ${asAt}, ${knownAt}) as t
        on t.account_id = m.account_id
       and t.transaction_id = m.transaction_id
      join tieout.transactions as held on held.account_id = m.account_id and held.transaction_id = m.transaction_id
      left join tieout.currency_words as w on w.word = lower(l.fiat_currency)
      left join (select s.id, s.profile_used ->> 'model' = 'gross' as is_gross from tieout.statements as s) as file
        on file.id = l.statement_id
    )
    select a.name as account, x.*, ${scope.day("x.effective_at")} as line_date
    from (
      select e.account_id, e.provider, e.transaction_id, e.line_id, e.effective_at, e.side, e.payment_method, e.currency,
             trim_scale(e.gross) as order_amount, e.kind, e.expected, e.actual, trim_scale(e.actual - e.expected) as difference,
             e.version as schedule_version, l.provider_transaction_id, l.payout_ref, file.file_name, place.line_no,
             (select string_agg(distinct f.code, ' ' order by f.code)
              from tieout.findings_at(${accounts}, ${asAt}, ${knownAt}) as f
              where f.account_id = e.account_id
                and f.transaction_id = e.transaction_id
                and f.is_open
                and f.code in ('fee_variance', 'commission_short', 'commission_over')) as codes
      from (${expectedByTerms("charges", "terms")}
      ) as e
      join tieout.statement_lines as l on l.id = e.line_id
      left join tieout.line_files_at(${knownAt}) as place on place.line_id = e.line_id
      left join tieout.statements as file on file.id = place.statement_id
      where e.actual <> e.expected
    ) as x
    join tieout.accounts as a on a.id = x.account_id
    where ${scope.where}`;
  },
  orderBy: "r.account, r.provider, r.effective_at, r.line_id, r.kind",
};
