import type { Queryable } from "../database.ts";

/** What `/metrics` asks of the tables. Each question is answered from an index over what is open, never from history. */
export interface AccountFigures {
  account: string;
  /** Seconds up to which nothing is missing; `null` before the first window was read. */
  lagSeconds: number | null;
  planned: number;
  walking: number;
  failed: number;
  /** How far the aggregator's clock is ahead of the database's, as last told. */
  clockAheadSeconds: number | null;
}

export async function readAccountFigures(database: Queryable): Promise<AccountFigures[]> {
  return database.query<AccountFigures & Record<string, unknown>>(
    `select a.name as account,
            f.lag_seconds as "lagSeconds",
            count(w.id) filter (where w.state = 'planned')::int as planned,
            count(w.id) filter (where w.state = 'walking')::int as walking,
            count(w.id) filter (where w.state = 'failed')::int as failed,
            (select extract(epoch from h.worker_at - h.database_at)::double precision
             from tieout.heartbeats as h
             where h.job = 'aggregator-clock' and h.worker = a.id::text) as "clockAheadSeconds"
     from tieout.accounts as a
     join reporting.data_freshness as f on f.account = a.name
     left join tieout.sync_windows as w on w.account_id = a.id and w.state in ('planned', 'walking', 'failed')
     group by a.id, a.name, f.lag_seconds
     order by a.name`,
  );
}

export async function countRunningExports(database: Queryable): Promise<number> {
  const [row] = await database.query<{ running: number }>(
    "select count(*)::int as running from tieout.exports where state = 'running'",
  );
  return row?.running ?? 0;
}

/** When each job last came to a good end, on whatever worker, in seconds since 1970. */
export async function lastSuccesses(database: Queryable): Promise<{ job: string; atSeconds: number }[]> {
  const rows = await database.query<{ job: string; at: number }>(
    `select job, extract(epoch from max(database_at))::double precision as at
     from tieout.heartbeats
     where job not in ('aggregator-clock', 'audit-witness')
     group by job`,
  );
  return rows.map(({ job, at }) => ({ job, atSeconds: at }));
}
