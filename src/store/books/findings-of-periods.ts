import { unsettledParts } from "./due.ts";
import type { Frame, Part } from "./frame.ts";
import { periodEnd, periodStart } from "./zones.ts";

/** What a provider owes as a whole: statements and payouts that should have come by now. */
export function periodParts(frame: Frame): Part[] {
  const { asAt } = frame;
  return [
    {
      // The times of which no statement tells although it is due: usually none, and then no transaction is read.
      name: "untold",
      materialized: true,
      sql: `
  select c.account_id, c.provider, span
  from calendar as c
  join told on told.account_id = c.account_id and told.provider = c.provider
  cross join lateral (select ${periodStart(`(${asAt} - c.patience)`)}) as due (up_to)
  cross join lateral unnest(
    tstzmultirange(tstzrange(
      least(coalesce(told.first_from, '-infinity'), due.up_to),
      due.up_to
    )) - told.activity
  ) as span`,
    },
    ...unsettledParts("untold", "select range_agg(span) from untold"),
    { name: "period_findings", sql: `${statementOverdue(asAt)}\n  union all${payoutOverdue(asAt)}` },
  ];
}

/** One for all transactions of a provider, period and currency: a missing file is one thing to ask for. */
function statementOverdue(asAt: string): string {
  return `
  select 'statement_overdue', w.account_id, w.provider, null::text, null::bigint, null::text, w.period_from, w.period_to,
         sum(w.fiat_amount), 0, w.fiat_currency, null::text, null::text, abs(sum(w.fiat_amount)), w.fiat_currency, min(w.due_at), min(w.due_at)
  from untold_due as w
  where w.line_id is null
    and w.fiat_amount is not null
    and not w.is_excluded
    and not w.is_before_first
    and not w.is_told
    and w.due_at <= ${asAt}
  group by w.account_id, w.provider, w.period_from, w.period_to, w.fiat_currency`;
}

/** Owed, past the day it should have been paid, above the minimum, and no payout declares it. */
function payoutOverdue(asAt: string): string {
  return `
  select 'payout_overdue', o.account_id, o.provider, null::text, null::bigint, null::text, o.period_from, o.period_to,
         o.accrued, 0, o.currency, null::text, null::text, o.accrued, o.currency, o.period_to + o.patience, o.period_to + o.patience
  from (
    select x.*,
           sum(x.accrued) over (partition by x.account_id, x.provider, x.currency order by x.period_to) as so_far
    from (
      select l.account_id, l.provider, coalesce(l.net_currency, l.fiat_currency) as currency, c.patience, c.minimum_payout,
             ${periodStart("l.effective_at")} as period_from,
             ${periodEnd("l.effective_at")} as period_to,
             sum(l.net_amount) as accrued
      from (
        select l.account_id, l.provider, l.net_currency, l.fiat_currency, l.effective_at, l.net_amount
        from l
        where l.payout_ref is null
          and l.net_amount <> 0
          and l.line_type <> 'payout'      -- as the index of what is unpaid has it
          and l.line_type <> 'balance'
          and not exists (
            select
            from file_payout as f
            where f.statement_id = l.statement_id
              and f.currency = coalesce(l.net_currency, l.fiat_currency)
          )
        union all
        select l.account_id, l.provider, l.net_currency, l.fiat_currency, l.effective_at, l.net_amount
        from undeclared as u
        join l on l.account_id = u.account_id and l.provider = u.provider and l.payout_ref = u.ref
        where l.line_type not in ('payout', 'balance')
      ) as l
      join calendar as c on c.account_id = l.account_id and c.provider = l.provider
      group by 1, 2, 3, 4, 5, 6, 7
    ) as x
  ) as o
  where o.accrued > 0
    and o.period_to + o.patience <= ${asAt}
    and o.so_far >= coalesce((o.minimum_payout ->> o.currency)::numeric, 0)`;
}

/** Payouts that lines name and no line declares; live from what the run has just written. */
export function undeclaredPayouts({ mode, provider }: Frame): Part {
  const from =
    mode === "live"
      ? `
  select p.account_id, p.provider, p.payout_ref as ref
  from tieout.payouts as p
  where p.account_id = $1
    and p.provider = ${provider}
  group by p.account_id, p.provider, p.payout_ref
  having bool_and(p.status = 'undeclared')`
      : `
  select p.account_id, p.provider, p.ref
  from payout as p
  group by p.account_id, p.provider, p.ref
  having bool_and(p.net_declared is null)`;
  return { name: "undeclared", materialized: true, sql: from };
}
