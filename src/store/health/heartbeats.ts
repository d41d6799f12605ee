import type { Queryable } from "../database.ts";

/** The database's clock; `workerAtMs` is the caller's, read in the same moment. */
export interface Heartbeat {
  job: string;
  worker: string;
  workerAtMs: number;
}

export async function recordHeartbeat(database: Queryable, heartbeat: Heartbeat): Promise<void> {
  await database.query(
    `insert into tieout.heartbeats (job, worker, database_at, worker_at)
     values ($1, $2, clock_timestamp(), to_timestamp($3::double precision / 1000))
     on conflict (job, worker) do update
     set database_at = excluded.database_at, worker_at = excluded.worker_at`,
    [heartbeat.job, heartbeat.worker, heartbeat.workerAtMs],
  );
}

/** Seconds since any worker last ran that job, by the database's clock; `null` when none ever did. */
export async function heartbeatAgeSeconds(database: Queryable, job: string): Promise<number | null> {
  const [row] = await database.query<{ age: number | null }>(
    `select extract(epoch from clock_timestamp() - max(database_at))::double precision as age
     from tieout.heartbeats
     where job = $1`,
    [job],
  );
  return row?.age ?? null;
}

/**
 * Workers that have been silent for a week are gone for good: their host and process number will not come back. Not
 * sooner, because some jobs come once a day, and when they last did is asked.
 */
export async function forgetSilentWorkers(database: Queryable): Promise<void> {
  await database.query(
    `delete from tieout.heartbeats
     where job <> 'audit-witness' and database_at < clock_timestamp() - interval '7 days'`,
  );
}
