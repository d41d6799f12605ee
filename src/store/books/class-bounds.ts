import { execute, type Run } from "./run.ts";

/**
 * Of the newest transactions no statement tells yet, and there may be a million of them. A list of what is settled, or of
 * what something stands against, begins below these dates instead of looking at each. They only ever rise: too high costs
 * a little time, too low would hide a row.
 */
export async function raiseBounds(run: Run): Promise<void> {
  await execute(
    run,
    `update tieout.account_providers as p
     set settled_to = greatest(p.settled_to, seen.settled_to),
         accused_to = greatest(p.accused_to, seen.accused_to)
     from (
       select provider, max(settled_to) as settled_to, max(accused_to) as accused_to
       from (
         select provider, max(status_date) as settled_to, null::timestamptz as accused_to
         from pg_temp.run_pairs
         where line_type = 'charge'
         group by provider
         union all
         select f.provider, null, max(t.status_date)
         from pg_temp.run_findings as f
         join tieout.transactions as t on t.account_id = :account_id and t.transaction_id = f.transaction_id
         where f.subject_kind = 'transaction'
           and f.level = 'error'
         group by f.provider
       ) as either
       group by provider
     ) as seen
     where p.account_id = :account_id
       and p.provider = seen.provider
       and (seen.settled_to > p.settled_to or seen.accused_to > p.accused_to)`,
  );
}
