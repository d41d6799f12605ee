import type { Frame, Part } from "./frame.ts";
import { periodEnd, periodStart } from "./zones.ts";

/**
 * Completed transactions with what decides whether they are pending or late: whether a rule excludes them, whether a line
 * settles them, when a statement is due, and whether one tells about their time.
 */
export function dueParts({ mode, scope }: Frame): Part[] {
  return [
    {
      name: "settled",
      // Of the whole live state it stays a question to the table, which has an index and counts for it: a list that was
      // made in passing has neither, and would be searched from end to end for every transaction.
      materialized: mode === "past" || scope === "touched",
      sql: `
  select m.account_id, m.transaction_id, m.line_id, m.id as match_id
  from m
  join l on l.id = m.line_id
  where m.role = 'settles'`,
    },
    { name: "completed", materialized: false, sql: judged("t") },
    {
      name: "accrued",
      materialized: true,
      sql: `
  select w.account_id, w.provider, w.fiat_currency, w.period_to,
         sum(sum(w.fiat_amount * c.our_share)) over (
           partition by w.account_id, w.provider, w.fiat_currency order by w.period_to
         ) >= (c.minimum_payout ->> w.fiat_currency)::numeric as is_enough
  from calendar as c
  join completed as w on w.account_id = c.account_id and w.provider = c.provider
  where (select coalesce(bool_or(with_payout and minimum_payout is not null), false) from calendar)   -- asked once
    and c.with_payout
    and c.minimum_payout ? w.fiat_currency
    and w.line_id is null
    and not w.is_excluded
    and not w.is_before_first
  group by w.account_id, w.provider, w.fiat_currency, w.period_to, c.minimum_payout`,
    },
    {
      // The statement of a period in which too little has come together is that of the first later one with enough.
      name: "carried",
      materialized: true,
      sql: `
  select a.account_id, a.provider, a.fiat_currency, a.period_to,
         coalesce((
           select min(later.period_to)
           from accrued as later
           where later.account_id = a.account_id
             and later.provider = a.provider
             and later.fiat_currency = a.fiat_currency
             and later.period_to >= a.period_to
             and later.is_enough
         ), 'infinity') as carried_to
  from accrued as a`,
    },
    { name: "due", materialized: false, sql: withDueDate("completed") },
  ];
}

/**
 * The same of those that no line settles and that lie in the given times, chosen before anything else is asked of them:
 * of millions of transactions these are a few.
 */
export function unsettledParts(name: string, times: string): Part[] {
  return [
    {
      name: `${name}_unsettled`,
      materialized: true,
      sql: `
  select t.*
  from unnest((${times})) as span           -- they never overlap, and an index finds what lies in each
  join t
    on t.status_date >= coalesce(lower(span), '-infinity')
   and t.status_date < coalesce(upper(span), 'infinity')
  where t.status = 'completed'
    and not exists (
      select from settled where settled.account_id = t.account_id and settled.transaction_id = t.transaction_id
    )`,
    },
    { name: `${name}_judged`, materialized: false, sql: judged(`${name}_unsettled`) },
    { name: `${name}_due`, materialized: false, sql: withDueDate(`${name}_judged`) },
  ];
}

function judged(source: string): string {
  return `
  select t.account_id, t.provider, t.transaction_id, t.status_date, t.fiat_currency, t.fiat_amount, t.in_is_fiat,
         t.provider_transaction_id, t.in_amount, t.source_currency, t.out_amount, t.target_currency,
         settled.line_id,
         settled.match_id,
         e.everything or coalesce(t.status_date < e.before, false) or t.transaction_id = any (e.transaction_ids) as is_excluded,
         settled.line_id is null and coalesce(t.status_date < told.first_from, false) as is_before_first,
         told.activity @> t.status_date or told.settlement @> tstzrange(t.status_date, t.status_date + c.lag, '[]') as is_told,
         ${periodStart("t.status_date")} as period_from,
         ${periodEnd("t.status_date")} as period_to,
         c.patience
  from ${source} as t
  join calendar as c on c.account_id = t.account_id and c.provider = t.provider
  join exclusion as e on e.account_id = t.account_id and e.provider = t.provider
  join told on told.account_id = t.account_id and told.provider = t.provider
  left join settled on settled.account_id = t.account_id and settled.transaction_id = t.transaction_id
  where t.status = 'completed'`;
}

function withDueDate(source: string): string {
  return `
  select w.*,
         coalesce(carried.carried_to, w.period_to) + w.patience as due_at,
         coalesce(carried.carried_to > w.period_to, false) as is_carried
  from ${source} as w
  left join carried
    on carried.account_id = w.account_id
   and carried.provider = w.provider
   and carried.fiat_currency = w.fiat_currency
   and carried.period_to = w.period_to`;
}
