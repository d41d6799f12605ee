import type { Queryable } from "../database.ts";

/** What `/metrics` shows of the reconciliation, over all accounts. */
export interface ReconcileFigures {
  providers: { provider: string; completed: number; matched: number }[];
  open: { provider: string; code: string; discrepancies: number }[];
}

/**
 * From the daily totals, which the runs keep up to date: some hundred rows a provider, however many transactions there
 * are. Only the last 90 days: what was never matched years ago must not weigh on today's ratio.
 */
export async function readReconcileFigures(database: Queryable): Promise<ReconcileFigures> {
  const providers = await database.query<ReconcileFigures["providers"][number]>(
    `select lower(coalesce(provider, '')) as provider,
            sum(transactions)::int as completed,
            coalesce(sum(transactions) filter (where class = 'matched'), 0)::int as matched
     from tieout.daily_totals
     where zone = 'UTC'
       and status = 'completed'
       and day >= (clock_timestamp() at time zone 'UTC')::date - 90
     group by 1
     order by 1
     limit 100`,
  );
  const open = await database.query<ReconcileFigures["open"][number]>(
    `select provider, code, count(*)::int as discrepancies
     from tieout.discrepancies
     where state in ('open', 'investigating')
     group by provider, code
     order by provider, code
     limit 1000`,
  );
  return { providers, open };
}
