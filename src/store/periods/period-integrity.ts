import type { Queryable } from "../database.ts";
import type { Mismatch } from "../transactions/integrity.ts";

/**
 * Whether the events of every period are those that were written, and the periods what their events make of them. Told by
 * the number of the event.
 */
export async function findPeriodMismatches(database: Queryable): Promise<Mismatch[]> {
  return database.query<{ subject: string; problem: string }>(
    `with chained as (
       select e.id, e.account_id, e.month, e.event, e.state_after, e.known_at, e.pack_sha256, e.previous_hash,
              e.hash = sha256(e.previous_hash || convert_to(tieout.period_event_text(e.entry), 'UTF8')) as is_own,
              e.previous_hash = coalesce(lag(e.hash) over (partition by e.account_id, e.month order by e.id), sha256('')) as is_chained,
              row_number() over (partition by e.account_id, e.month order by e.id desc) = 1 as is_last
       from (
         select e.*, e as entry,
                case e.event
                  when 'prepared' then 'prepared'
                  when 'approved' then 'closed'
                  when 'reopen_asked' then 'closed'
                  when 'reopened' then 'reopened'
                  else case when bool_or(e.event = 'reopened') over (partition by e.account_id, e.month order by e.id)
                    then 'reopened' else 'open' end
                end as state_after
         from tieout.period_events as e
       ) as e
     )
     select 'period event ' || c.id as subject,
            case when not c.is_own then 'its hash does not fit what it says' else 'it does not follow the event before it' end as problem
     from chained as c
     where not c.is_own or not c.is_chained
     union all
     select 'period ' || a.name || ' ' || p.month, 'it is ' || p.state || ', and its events make it ' || coalesce(c.state_after, 'open')
     from tieout.periods as p
     join tieout.accounts as a on a.id = p.account_id
     left join chained as c on c.account_id = p.account_id and c.month = p.month and c.is_last
     where c.state_after is distinct from p.state
        or c.id is distinct from p.last_event_id
        or c.event in ('prepared', 'approved') and (c.known_at, c.pack_sha256) is distinct from (p.known_at, p.pack_sha256)
     order by 1`,
  );
}
