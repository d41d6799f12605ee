import type { Queryable } from "../database.ts";

/** How long a provider has taken so far, in whole days after the end of a period; `null` where too little has been seen. */
export interface LearntLags {
  statementLagDays: number | null;
  statements: number;
  payoutLagDays: number | null;
  payouts: number;
}

/** Fewer could be chance. */
const seenMin = 3;

/**
 * What nineteen of twenty files and payouts kept to: to be proposed, never to be set. A statement counts when it states
 * when it was made: the day of an import tells of people, not of the provider.
 */
export async function learnLags(
  database: Queryable,
  { accountId, provider }: { accountId: number; provider: string },
): Promise<LearntLags> {
  const [learnt] = await database.query<LearntLags>(
    `with statement_lags as (
       select greatest(0, ceil(extract(epoch from s.made_at - s.period_to) / 86400)) as days
       from tieout.statements as s
       where s.account_id = $1
         and s.provider = $2
         and s.withdrawn_at is null
         and s.period_to is not null
         and s.generated_at_from in ('command', 'file', 'file_name')
     ), payout_lags as (
       select greatest(0, ceil(extract(epoch from p.payout_date - due.period_to) / 86400)) as days
       from tieout.payouts as p
       cross join lateral (
         select d.period_to
         from tieout.due_dates as d
         where d.account_id = p.account_id
           and d.provider = p.provider
           and d.period_from <= p.last_line_at
           and d.period_to > p.last_line_at
           and d.known_to is null
         limit 1
       ) as due
       where p.account_id = $1
         and p.provider = $2
         and p.net_declared is not null
     )
     select case when s.seen >= $3 then s.days end as "statementLagDays", s.seen as statements,
            case when p.seen >= $3 then p.days end as "payoutLagDays", p.seen as payouts
     from (select percentile_disc(0.95) within group (order by days)::int as days, count(*)::int as seen from statement_lags) as s,
          (select percentile_disc(0.95) within group (order by days)::int as days, count(*)::int as seen from payout_lags) as p`,
    [accountId, provider, seenMin],
  );
  return learnt ?? { statementLagDays: null, statements: 0, payoutLagDays: null, payouts: 0 };
}
