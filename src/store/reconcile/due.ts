import type { Frame, Part } from "./frame.ts";

/**
 * Completed transactions with what decides whether they are pending or late: whether a rule excludes them, whether a line
 * settles them, when a statement is due, and whether one tells about their time.
 */
export function dueParts({ mode }: Frame): Part[] {
  return [
    {
      name: "settled",
      ...(mode === "past" ? { materialized: true } : {}),
      sql: `
  select m.account_id, m.transaction_id, m.line_id
  from m
  join l on l.id = m.line_id
  where m.role = 'settles'`,
    },
    {
      name: "completed",
      materialized: false,
      sql: `
  select t.account_id, t.provider, t.transaction_id, t.status_date, t.fiat_currency, t.fiat_amount,
         settled.line_id,
         e.everything or coalesce(t.status_date < e.before, false) or t.transaction_id = any (e.transaction_ids) as is_excluded,
         settled.line_id is null and coalesce(t.status_date < told.first_from, false) as is_before_first,
         told.activity @> t.status_date or told.settlement @> tstzrange(t.status_date, t.status_date + c.lag, '[]') as is_told,
         date_trunc(c.period, t.status_date at time zone c.zone) at time zone c.zone as period_from,
         (date_trunc(c.period, t.status_date at time zone c.zone) + c.length) at time zone c.zone as period_to,
         c.patience
  from t
  join calendar as c on c.account_id = t.account_id and c.provider = t.provider
  join exclusion as e on e.account_id = t.account_id and e.provider = t.provider
  join told on told.account_id = t.account_id and told.provider = t.provider
  left join settled on settled.account_id = t.account_id and settled.transaction_id = t.transaction_id
  where t.status = 'completed'`,
    },
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
  where c.with_payout
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
    {
      name: "due",
      materialized: false,
      sql: `
  select w.*,
         coalesce(carried.carried_to, w.period_to) + w.patience as due_at,
         coalesce(carried.carried_to > w.period_to, false) as is_carried
  from completed as w
  left join carried
    on carried.account_id = w.account_id
   and carried.provider = w.provider
   and carried.fiat_currency = w.fiat_currency
   and carried.period_to = w.period_to`,
    },
  ];
}
