import type { Queryable } from "../database.ts";
import type { Mismatch } from "../transactions/integrity.ts";

const shownMax = 20;

/**
 * Discrepancies that are not what their events made of them: closed, reopened, assigned or given other figures behind
 * the service's back. Its value, and the currency of that value, follow the line without an event of their own, so they
 * only have to be what was found at some time.
 */
export async function findWrongDiscrepancies(database: Queryable): Promise<Mismatch[]> {
  const rows = await database.query<{ id: string; problem: string }>(
    `select id::text, problem
     from (
       select d.id,
              case
                when last.id is null then 'nothing says that it was ever raised'
                when (d.state, d.owner) is distinct from (last.state, last.owner)
                  then 'its events say that it is ' || last.state || coalesce(', of ' || last.owner, '')
                when d.resolved_at is not null
                  and (d.reason, d.resolved_by) is distinct from (closed.reason, closed.actor)
                  then 'it is not closed as its events say'
                when d.facts_hash <> last.facts_hash
                  or (d.expected, d.actual, d.currency, d.expected_text, d.actual_text, d.transaction_id)
                     is distinct from ((told.facts ->> 'expected')::numeric, (told.facts ->> 'actual')::numeric,
                       told.facts ->> 'currency', told.facts ->> 'expected_text', told.facts ->> 'actual_text',
                       told.facts ->> 'transaction_id')
                  then 'its facts are not those of its events'
                when (d.value, d.value_currency) is distinct from ((told.facts ->> 'value')::numeric, told.facts ->> 'value_currency')
                  and not exists (select from tieout.findings as f
                                  where f.fingerprint = d.fingerprint
                                    and (f.value, f.value_currency) is not distinct from (d.value, d.value_currency))
                  then 'nothing was ever found with this value'
              end as problem
       from tieout.discrepancies as d
       left join lateral (
         select e.* from tieout.discrepancy_events as e where e.discrepancy_id = d.id order by e.id desc limit 1
       ) as last on true
       left join lateral (
         select e.facts
         from tieout.discrepancy_events as e
         where e.discrepancy_id = d.id and e.event in ('raised', 'changed', 'reopened', 'agreed') and e.facts <> '{}'
         order by e.id desc
         limit 1
       ) as told on true
       left join lateral (
         select e.reason, e.actor
         from tieout.discrepancy_events as e
         where e.discrepancy_id = d.id and e.event in ('resolved', 'written_off', 'agreed')
         order by e.id desc
         limit 1
       ) as closed on true
     ) as judged
     where problem is not null
     order by id
     limit ${shownMax}`,
  );
  return rows.map(({ id, problem }) => ({ subject: `discrepancy dis_${id}`, problem }));
}
