import type { Frame, Part } from "./frame.ts";
import { passedZones } from "./zones.ts";

/**
 * What is set per provider, as it was in force: the version for this account and provider, else the one for all accounts
 * or all providers (`*`), else the default that stands here.
 */
export function rules({ knownAt }: Frame): Part[] {
  return [
    {
      name: "rule",
      materialized: true,
      sql: `
  select distinct on (s.account_id, s.provider, v.kind, v.name) s.account_id, s.provider, v.kind, v.name, v.value
  from subjects as s
  join tieout.provider_settings as v
    on v.kind in ('tolerance', 'calendar', 'exclusion')
   and v.provider in (s.provider, '*')
   and (v.account_id = s.account_id or v.account_id is null)
   and v.saved_at <= ${knownAt}
  order by s.account_id, s.provider, v.kind, v.name, v.provider = '*', v.account_id is null, v.version desc`,
    },
    {
      name: "calendar",
      materialized: true,
      sql: `
  select s.account_id,
         s.provider,
         coalesce(r.value ->> 'period', 'month') as period,
         ('1 ' || coalesce(r.value ->> 'period', 'month'))::interval as length,
         -- A calendar that was saved since the zones were passed stops the statement, rather than count in no zone.
         case when zone.name is null then ('no zone ' || (r.value ->> 'zone') || ' was passed')::timestamptz[]
           else zone.changes end as changes,
         zone.offsets,
         zone.ends,
         zone.name = 'UTC' as is_utc,
         make_interval(days => coalesce((r.value ->> 'lag_days')::int, 30)) as lag,
         make_interval(days => coalesce((r.value ->> 'lag_days')::int, 30) + coalesce((r.value ->> 'grace_days')::int, 0))
           as patience,
         r.value -> 'minimum_payout' as minimum_payout,
         coalesce((r.value ->> 'statements_with_payout')::boolean, false) as with_payout,
         coalesce((r.value ->> 'our_share')::numeric, 1) as our_share,
         make_interval(hours => coalesce((r.value ->> 'stale_card_hours')::int, 24)) as stale_card,
         make_interval(hours => coalesce((r.value ->> 'stale_bank_hours')::int, 120)) as stale_bank
  from subjects as s
  left join rule as r
    on r.account_id = s.account_id
   and r.provider = s.provider
   and r.kind = 'calendar'
   and r.name = ''
  left join ${passedZones} on zone.name = coalesce(r.value ->> 'zone', 'UTC')`,
    },
    {
      name: "tolerance",
      materialized: true,
      sql: `
  select r.account_id, r.provider, coalesce(leg.currency, '*') as currency, coalesce(leg.leg, '*') as leg,
         leg.absolute_under, leg.absolute_over, leg.relative_under, leg.relative_over
  from rule as r
  cross join lateral jsonb_to_recordset(case jsonb_typeof(r.value) when 'array' then r.value else '[]' end) as leg (
    currency text, leg text, absolute_under numeric, absolute_over numeric, relative_under numeric, relative_over numeric
  )
  where r.kind = 'tolerance'`,
    },
    {
      name: "exclusion",
      materialized: true,
      sql: `
  select s.account_id,
         s.provider,
         coalesce(bool_or((r.value ->> 'everything')::boolean), false) as everything,
         max((r.value ->> 'before')::timestamptz) as before,
         coalesce(array_agg(listed.transaction_id) filter (where listed.transaction_id is not null), '{}') as transaction_ids
  from subjects as s
  left join rule as r
    on r.account_id = s.account_id
   and r.provider = s.provider
   and r.kind = 'exclusion'
  left join lateral jsonb_array_elements_text(r.value -> 'transaction_ids') as listed (transaction_id) on true
  group by s.account_id, s.provider`,
    },
  ];
}

/** What has been read of the aggregator, and which days the statements tell about. */
export function coverage({ mode, accounts, knownAt }: Frame): Part[] {
  const read =
    mode === "live"
      ? `
  select a.id as account_id, a.covered
  from tieout.accounts as a
  where a.id = any (${accounts})`
      : `
  select w.account_id, range_agg(tstzrange(w.range_from, w.range_to)) as covered
  from tieout.sync_windows as w
  where w.account_id = any (${accounts})
    and w.sealed_at <= ${knownAt}
    and w.kind <> 'refresh'
  group by w.account_id`;
  const standing =
    mode === "live"
      ? "v.state = 'imported'"
      : `v.imported_at <= ${knownAt}
   and (v.withdrawn_at is null or v.withdrawn_at > ${knownAt})`;
  return [
    { name: "read_so_far", materialized: true, sql: read },
    {
      name: "told",
      materialized: true,
      sql: `
  select s.account_id,
         s.provider,
         coalesce(range_agg(tstzrange(v.period_from, v.period_to)) filter (where v.period_basis = 'activity'), '{}') as activity,
         coalesce(range_agg(tstzrange(v.period_from, v.period_to)) filter (where v.period_basis = 'settlement'), '{}')
           as settlement,
         min(v.period_from) as first_from
  from subjects as s
  left join tieout.statements as v
    on v.account_id = s.account_id
   and v.provider = s.provider
   and v.period_from is not null
   and ${standing}
  group by s.account_id, s.provider`,
    },
  ];
}
