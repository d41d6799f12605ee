import { SECOND } from "../../core/duration.ts";
import type { Queryable } from "../database.ts";

/** Further apart than this, the aggregator's clock and the database's do not agree. */
export const aggregatorClockMaxMs = 5 * SECOND;

/**
 * Keeps how far the aggregator's clock is from the database's: a heartbeat of the aggregator, with its clock beside
 * ours. Of the times it may be there now, the one nearest to ours counts: only what is certain may widen a lag.
 */
export async function keepAggregatorClock(
  database: Queryable,
  accountId: number,
  told: { earliestMs: number; latestMs: number },
): Promise<{ aheadMs: number }> {
  const [row] = await database.query<{ ahead_ms: number }>(
    `insert into tieout.heartbeats (job, worker, database_at, worker_at)
     select 'aggregator-clock', $1::int::text, at,
            least(greatest(at, to_timestamp($2::double precision / 1000)), to_timestamp($3::double precision / 1000))
     from (select clock_timestamp() as at) as now
     on conflict (job, worker) do update
     set database_at = excluded.database_at, worker_at = excluded.worker_at
     returning (extract(epoch from worker_at - database_at) * 1000)::double precision as ahead_ms`,
    [accountId, told.earliestMs, told.latestMs],
  );
  return { aheadMs: row?.ahead_ms ?? 0 };
}

/** Whether the aggregator's clock is due for a check and may be asked now; and the database's own time. */
export async function mayAskForClock(
  database: Queryable,
  accountId: number,
): Promise<{ wanted: boolean; nowMs: number }> {
  const [row] = await database.query<{ wanted: boolean; now_ms: number }>(
    `select a.state = 'active'
              and (a.not_before is null or a.not_before <= clock_timestamp())
              and not exists (select from tieout.heartbeats as h
                              where h.job = 'aggregator-clock' and h.worker = a.id::text
                                and h.database_at > clock_timestamp() - interval '15 minutes') as wanted,
            floor(extract(epoch from clock_timestamp()) * 1000)::double precision as now_ms
     from tieout.accounts as a
     where a.id = $1`,
    [accountId],
  );
  return { wanted: row?.wanted ?? false, nowMs: row?.now_ms ?? 0 };
}

/** Accounts whose aggregator's clock was last found to disagree with the database's. */
export async function listWrongClocks(database: Queryable): Promise<{ account: string; aheadMs: number }[]> {
  return database.query(
    `select a.name as account,
            (extract(epoch from h.worker_at - h.database_at) * 1000)::double precision as "aheadMs"
     from tieout.heartbeats as h
     join tieout.accounts as a on a.id::text = h.worker
     where h.job = 'aggregator-clock'
       and h.database_at > clock_timestamp() - interval '1 day'
       and abs(extract(epoch from h.worker_at - h.database_at)) * 1000 > $1
     order by a.name`,
    [aggregatorClockMaxMs],
  );
}
