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
  return database.query<AccountFigures>(
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

export interface RowCounts {
  transactions: number;
  statusRows: number;
}

/** From the windows' own counters, which are written with the rows: counting the rows themselves would take a scan. */
export async function countRows(database: Queryable, accountId: number): Promise<RowCounts> {
  const [row] = await database.query<RowCounts>(
    `select (select count(*)::int from tieout.transactions where account_id = $1) as transactions,
            (select coalesce(sum(added), 0)::int from tieout.sync_windows where account_id = $1) as "statusRows"`,
    [accountId],
  );
  return row ?? { transactions: 0, statusRows: 0 };
}
