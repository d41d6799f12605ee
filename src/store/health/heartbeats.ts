import { and, eq, lt, ne, notInArray, sql } from "drizzle-orm";
import { DAY } from "../../core/duration.ts";
import { clockIn, clockNow } from "../clock-time.ts";
import type { Queryable } from "../database.ts";
import { heartbeats } from "../schema/heartbeats.ts";

/** The database's clock; `workerAtMs` is the caller's, read in the same moment. */
export interface Heartbeat {
  job: string;
  worker: string;
  workerAtMs: number;
}

export async function recordHeartbeat(database: Queryable, heartbeat: Heartbeat): Promise<void> {
  const { job, worker, workerAtMs } = heartbeat;
  const at = {
    databaseAt: clockNow,
    workerAt: sql`to_timestamp(${workerAtMs}::double precision / 1000)`,
  };
  await database.orm
    .insert(heartbeats)
    .values({ job, worker, ...at })
    .onConflictDoUpdate({ target: [heartbeats.job, heartbeats.worker], set: at });
}

/** Seconds since any worker last ran that job, by the database's clock; `null` when none ever did. */
export async function heartbeatAgeSeconds(database: Queryable, job: string): Promise<number | null> {
  const { databaseAt } = heartbeats;
  const [row] = await database.orm
    .select({
      age: sql<number | null>`extract(epoch from clock_timestamp() - max(${databaseAt}))::double precision`,
    })
    .from(heartbeats)
    .where(eq(heartbeats.job, job));
  return row?.age ?? null;
}

/**
 * Workers that have been silent for a week are gone for good: their host and process number will not come back. Not
 * sooner, because some jobs come once a day, and when they last did is asked.
 */
export async function forgetSilentWorkers(database: Queryable): Promise<void> {
  await database.orm
    .delete(heartbeats)
    .where(and(ne(heartbeats.job, "audit-witness"), lt(heartbeats.databaseAt, clockIn(-7 * DAY))));
}

/** When each job last came to a good end, on whatever worker, in seconds since 1970. */
export async function lastSuccesses(database: Queryable): Promise<{ job: string; atSeconds: number }[]> {
  const { job, databaseAt } = heartbeats;
  return database.orm
    .select({ job, atSeconds: sql<number>`extract(epoch from max(${databaseAt}))::double precision` })
    .from(heartbeats)
    .where(notInArray(job, ["aggregator-clock", "audit-witness"]))
    .groupBy(job);
}
