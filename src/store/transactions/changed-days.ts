import type { Zone } from "../../core/zone.ts";
import type { Queryable } from "../database.ts";
import { localDay } from "../zone-sql.ts";

/** Transactions, the matches that settle them and what disagrees about them: each with the time of its change. */
const changes = `
  select t.account_id, t.transaction_id, t.last_changed_at as at
  from tieout.transactions as t
  where t.last_changed_at >= $1::timestamptz and t.last_changed_at < $2::timestamptz
  union all
  select m.account_id, m.transaction_id, m.matched_at
  from tieout.matches as m
  where m.matched_at >= $1::timestamptz and m.matched_at < $2::timestamptz
  union all
  select m.account_id, m.transaction_id, m.ended_at
  from tieout.matches as m
  where m.ended_at >= $1::timestamptz and m.ended_at < $2::timestamptz
  union all
  select d.account_id, d.transaction_id, d.last_changed_at
  from tieout.discrepancies as d
  where d.last_changed_at >= $1::timestamptz and d.last_changed_at < $2::timestamptz and d.transaction_id is not null`;

/** Whole instants only: changes of one instant are never torn apart, however many they are. */
export async function endOfRound(
  tx: Queryable,
  { after, until, max }: { after: string; until: string; max: number },
): Promise<{ time: string; all: boolean }> {
  const [row] = await tx.query<{ time: string }>(
    `select at::text as time from (${changes}) as changed order by at offset $3 limit 1`,
    [after, until, max],
  );
  return row === undefined || row.time === after
    ? { time: until, all: true }
    : { time: row.time, all: false };
}

export interface AccountDay {
  account_id: number;
  day: string;
  /** Its midnight, if it were a day of UTC: the text of a day before the year 1 or after 9999 is none that `Date` reads. */
  midnight_ms: number;
}

/**
 * A day loses a transaction that moved to another one, and only the status rows still know both days. A statement that has
 * come, gone or become overdue moves all of its days; the first one of a provider, and an exclusion, all there are.
 */
export async function changedDays(
  tx: Queryable,
  zone: Zone,
  { after, to }: { after: string; to: string },
): Promise<AccountDay[]> {
  const values: unknown[] = [after, to, zone.name];
  const bind = (value: string, type: string) => `$${values.push(value)}::${type}`;
  return tx.query<AccountDay & Record<string, unknown>>(
    `select account_id, day::text, (extract(epoch from day) * 1000)::double precision as midnight_ms
     from (
       select distinct s.account_id, ${localDay("s.status_date", zone, bind)} as day
       from (${changes}) as changed
       join tieout.transaction_statuses as s
         on s.account_id = changed.account_id and s.transaction_id = changed.transaction_id
       union
       select d.account_id, d.day
       from tieout.daily_totals as d
       join (
         select s.account_id, s.provider,
                case when exists (
                  select
                  from tieout.statements as earlier
                  where earlier.account_id = s.account_id
                    and earlier.provider = s.provider
                    and earlier.state = 'imported'
                    and earlier.period_from < s.period_from
                    and earlier.imported_at < $1::timestamptz
                ) then s.period_from else '-infinity' end as period_from,
                s.period_to
         from tieout.statements as s
         where s.imported_at >= $1::timestamptz and s.imported_at < $2::timestamptz
            or s.withdrawn_at >= $1::timestamptz and s.withdrawn_at < $2::timestamptz
         union all
         select o.account_id, o.provider, o.period_from, o.period_to
         from tieout.discrepancies as o
         where o.code = 'statement_overdue' and o.last_changed_at >= $1::timestamptz and o.last_changed_at < $2::timestamptz
         union all
         select p.account_id, p.provider, '-infinity', 'infinity'
         from tieout.provider_settings as v
         join tieout.account_providers as p
           on v.provider in (p.provider, '*')
          and (v.account_id = p.account_id or v.account_id is null)
         where v.kind = 'exclusion' and v.saved_at >= $1::timestamptz and v.saved_at < $2::timestamptz
       ) as told
         on told.account_id = d.account_id
        and told.provider = lower(coalesce(d.provider, ''))
        -- A day more on both sides: no zone is further from UTC, and adding up a day again changes nothing.
        and d.day >= (greatest(told.period_from, '0002-01-01') at time zone 'UTC')::date - 1
        and d.day <= (least(told.period_to, '9999-12-30') at time zone 'UTC')::date + 1
       where d.zone = $3
     ) as affected`,
    values,
  );
}
