import type { Frame, Part } from "./frame.ts";

/** The balances that providers state, numbered in the order of their times. */
export const balances: Part = {
  name: "balance",
  materialized: true,
  sql: `
  select l.account_id, l.provider, l.net_currency as currency, l.id as line_id, l.line_key, l.occurrence, l.net_amount as stated,
         l.effective_at,
         dense_rank() over (partition by l.account_id, l.provider, l.net_currency order by l.effective_at) as nth
  from l
  where l.line_type = 'balance'`,
};

/**
 * A stated balance is the one before it, plus what the lines since have added, less what was paid out. The first has none
 * before it and says only where to begin. `among` narrows the spans to those that a run has to look at.
 */
export function positionParts(frame: Frame, among: string | null = null): Part[] {
  return [
    balances,
    {
      name: "span",
      materialized: true,
      sql: `
  select b.account_id, b.provider, b.currency, b.line_id, b.nth, b.stated, b.effective_at as closed_at,
         o.effective_at as opened_at, o.stated as opening
  from balance as b
  join (
    -- Two of one time: each is held against the one before, and the next against one and the same of them.
    select distinct on (account_id, provider, currency, nth) account_id, provider, currency, nth, stated, effective_at
    from balance
    order by account_id, provider, currency, nth, line_key desc, occurrence desc
  ) as o on (o.account_id, o.provider, o.currency, o.nth) = (b.account_id, b.provider, b.currency, b.nth - 1)${among === null ? "" : `\n  where ${among}`}`,
    },
    { name: "paid", materialized: true, sql: paidOut(frame) },
    {
      name: "moved",
      materialized: true,
      // Every line is put into its span by a search in the list of times, and is read once, however many balances there are.
      sql: `
  select s.account_id, s.provider, s.currency, width_bucket(v.at - interval '1 microsecond', s.times) + 1 as nth, sum(v.amount) as amount
  from (
    select account_id, provider, currency, array_agg(distinct effective_at order by effective_at) as times
    from balance
    group by account_id, provider, currency
  ) as s
  join (
    select l.account_id, l.provider, coalesce(l.net_currency, l.fiat_currency) as currency, l.effective_at as at, l.net_amount as amount
    from l
    where l.line_type not in ('payout', 'balance')
      and l.effective_at > (select min(opened_at) from span)
      and l.effective_at <= (select max(closed_at) from span)
    union all
    select p.account_id, p.provider, p.currency, p.at, -p.net
    from paid as p
  ) as v on v.account_id = s.account_id and v.provider = s.provider and v.currency = s.currency
  group by 1, 2, 3, 4`,
    },
    {
      name: "position_findings",
      sql: `
  select 'position_unexplained', s.account_id, s.provider, null::text, s.line_id, null::text, s.opened_at, s.closed_at,
         computed.amount, s.stated, s.currency, null::text, null::text, abs(s.stated - computed.amount), s.currency, s.closed_at, s.closed_at
  from span as s
  left join moved on (moved.account_id, moved.provider, moved.currency, moved.nth) = (s.account_id, s.provider, s.currency, s.nth)
  cross join lateral (select s.opening + coalesce(moved.amount, 0)) as computed (amount)
  left join tieout.currency_words as w on w.word = lower(s.currency)
  where abs(s.stated - computed.amount) > coalesce(power(10::numeric, -w.places), 0.01)`,
    },
  ];
}

/** What payouts have declared; live from what the run has just written. */
function paidOut({ mode, provider }: Frame): string {
  return mode === "live"
    ? `
  select p.account_id, p.provider, p.currency, p.payout_date as at, p.net_declared as net
  from tieout.payouts as p
  where p.account_id = $1
    and p.provider = ${provider}
    and p.net_declared is not null`
    : `
  select p.account_id, p.provider, p.currency, p.payout_date as at, p.net_declared as net
  from payout as p
  where p.net_declared is not null`;
}
