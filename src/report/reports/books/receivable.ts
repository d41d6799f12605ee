import type { Report, Scope } from "../../report.ts";
import * as shared from "./shared-columns.ts";

/**
 * What providers owe us by their own lines: each line is earned or lost on its day, and what a provider says it paid is
 * taken off on the day it says so. `unexplained` is computed from the sums and has to be zero.
 */
export const receivable: Report = {
  ...shared.ofBooks,
  ...shared.rolledForward,
  name: "receivable",
  title: "Receivable",
  purpose: "What each provider owed us at the start, what came and went, and what it owes at the end.",
  grain: "One row per account, provider and currency.",
  filters: { provider: "x.provider" },
  columns: [
    shared.account,
    shared.provider,
    { name: "currency", type: "text", description: "Currency of all amounts: that in which it is owed." },
    shared.amount("opening", "Owed to us at the start of the period."),
    shared.amount("earned", "Plus: the net of charges and commissions, as the lines state it."),
    shared.amount("fees", "Less: fees that are lines of their own."),
    shared.amount("reversed", "Less: refunds and chargebacks, without those that were won back."),
    shared.amount("adjusted", "Plus: adjustments and reserves, with their sign."),
    shared.amount(
      "converted",
      "Plus: what moved here from another currency because the payout was made in this one; less: what moved away.",
    ),
    shared.amount("paid_out", "Less: payouts that the provider has declared."),
    shared.amount("closing", "Owed to us at the end."),
    shared.amount(
      "unexplained",
      "closing less (opening + earned - fees - reversed + adjusted + converted - paid_out): zero.",
    ),
  ],
  select: (scope) => `
    select a.name as account, x.*,
           trim_scale(x.closing - (x.opening + x.earned - x.fees - x.reversed + x.adjusted + x.converted - x.paid_out)) as unexplained
    from (${rolledForward(scope)}
    ) as x
    join tieout.accounts as a on a.id = x.account_id
    where ${scope.where}`,
  orderBy: "r.account, r.provider, r.currency",
};

function rolledForward(scope: Scope): string {
  const opening = scope.from() ?? "'-infinity'::timestamptz";
  const during = (step: string, sign = "") =>
    `trim_scale(${sign}coalesce(sum(amount) filter (where step = '${step}' and at >= ${opening}), 0))`;
  return `
      with ${movements(scope)}
      select account_id, provider, currency,
             trim_scale(coalesce(sum(amount) filter (where at < ${opening}), 0)) as opening,
             ${during("earned")} as earned,
             ${during("fees", "-")} as fees,
             ${during("reversed", "-")} as reversed,
             ${during("adjusted")} as adjusted,
             ${during("converted")} as converted,
             ${during("paid_out", "-")} as paid_out,
             trim_scale(sum(amount)) as closing
      from movements
      where at < ${scope.asAt()}
      group by account_id, provider, currency`;
}

/** Signed by what they do to our claim. A payout that was said twice counts once, as it does in its reconciliation. */
function movements(scope: Scope): string {
  return `owed as materialized (
        select l.account_id, l.provider, coalesce(l.net_currency, l.fiat_currency) as currency, l.payout_ref, l.line_type,
               l.net_amount as amount, l.effective_at as at
        from tieout.lines_at(${scope.accounts()}, ${scope.knownAt()}) as l
        where l.line_type not in ('payout', 'balance')
          and l.net_amount <> 0
      ), declared as materialized (
        select p.account_id, p.provider, p.payout_ref, p.currency, p.payout_date as at, p.net_declared, p.net_computed
        from tieout.payouts_at(${scope.accounts()}, ${scope.knownAt()}) as p
        where p.net_declared is not null
      ), foreign_lines as materialized (
        select l.*
        from owed as l
        where exists (
          select from declared as d
          where (d.account_id, d.provider, d.payout_ref) = (l.account_id, l.provider, l.payout_ref)
        ) and not exists (
          select from declared as d
          where (d.account_id, d.provider, d.payout_ref, d.currency) = (l.account_id, l.provider, l.payout_ref, l.currency)
        )
      ), conversions as (        -- payouts that take in lines of another currency, and what those come to in theirs
        select d.account_id, d.provider, d.payout_ref, d.currency, d.at, d.net_computed - coalesce(own.amount, 0) as amount
        from declared as d
        cross join lateral (
          select sum(l.amount) as amount
          from owed as l
          where (l.account_id, l.provider, l.payout_ref, l.currency) = (d.account_id, d.provider, d.payout_ref, d.currency)
        ) as own
        where d.net_computed <> coalesce(own.amount, 0)
          and exists (
            select from foreign_lines as l
            where (l.account_id, l.provider, l.payout_ref) = (d.account_id, d.provider, d.payout_ref)
          )
      ), movements as (
        select account_id, provider, currency, at, amount,
               case
                 when line_type in ('charge', 'commission') then 'earned'
                 when line_type in ('refund', 'chargeback', 'chargeback_reversal') then 'reversed'
                 when line_type = 'fee' then 'fees'
                 when line_type in ('adjustment', 'reserve') then 'adjusted'
               end as step
        from owed
        union all
        select account_id, provider, currency, at, -net_declared, 'paid_out'
        from declared
        union all
        select account_id, provider, currency, at, amount, 'converted'
        from conversions
        union all
        select l.account_id, l.provider, l.currency, to_other.at, -l.amount, 'converted'
        from foreign_lines as l
        cross join lateral (
          select c.at
          from conversions as c
          where (c.account_id, c.provider, c.payout_ref) = (l.account_id, l.provider, l.payout_ref)
          order by c.currency
          limit 1
        ) as to_other
      )`;
}
