import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { TieoutError } from "../../core/errors.ts";
import { SECOND } from "../../core/duration.ts";
import type { Database, Queryable } from "../database.ts";
import { asDatabaseError } from "../sql-errors.ts";

/** The queue trusts each worker's own clock, so a worker that is far off may take over live jobs or leave dead ones. */
export const clockOffsetMaxMs = 2 * SECOND;

/** How far this machine's clock is ahead of the database's. */
export async function clockOffsetMs(database: Queryable, now: () => number): Promise<number> {
  let best = { roundTripMs: Number.POSITIVE_INFINITY, offsetMs: 0 };
  // The answer is off by at most half a round trip; the quickest of three is the truest.
  for (let tries = 0; tries < 3; tries++) {
    const before = now();
    const [row] = await database.query<{ ms: number }>(
      "select extract(epoch from clock_timestamp())::double precision * 1000 as ms",
    );
    const after = now();
    const roundTripMs = after - before;
    if (roundTripMs < best.roundTripMs)
      best = { roundTripMs, offsetMs: before + roundTripMs / 2 - (row?.ms ?? 0) };
  }
  return best.offsetMs;
}

export async function refuseWrongClock(database: Queryable, now: () => number): Promise<number> {
  const offsetMs = await clockOffsetMs(database, now);
  if (Math.abs(offsetMs) > clockOffsetMaxMs) {
    const seconds = Math.abs(offsetMs / SECOND).toFixed(1);
    throw new TieoutError(
      "clock_skew",
      `this machine's clock is ${seconds} s ${offsetMs > 0 ? "ahead of" : "behind"} the database's: set both by NTP; at most 2 s are allowed`,
    );
  }
  return offsetMs;
}

/**
 * A replica, or a server that was set to read only: many hosts do that by themselves when the disk is nearly full. And one
 * whose disk is full, which still answers every question: so it is given more rows than fit into the little memory that it
 * is allowed, and has to put a megabyte on its disk. That leaves nothing behind, neither in tables nor in the log of changes.
 */
export async function checkWrites(database: Pick<Database, "transaction">): Promise<void> {
  await database.transaction(async (tx) => {
    const [row] = await tx.query<{ refused: boolean }>(
      "select current_setting('transaction_read_only')::boolean as refused, set_config('work_mem', '64kB', true)",
    );
    if (row?.refused === true) throw asDatabaseError({ code: "25006" });
    await tx.query("select count(*) from generate_series(1, 50000)");
  });
}

/** A queue that fills up is held by a session that listens and does not end its transaction; full, nothing commits. */
export async function checkNotifyQueue(database: Pick<Database, "query">): Promise<{ used: string }> {
  const [row] = await database.query<{ usage: number }>("select pg_notification_queue_usage() as usage");
  const usage = row?.usage ?? 0;
  const used = `${Math.round(usage * 100)} %`;
  if (usage > queueUsageMax)
    throw new Error(
      `the queue of notifications is ${used} full: end the session whose transaction holds it (docs/security.md)`,
    );
  return { used };
}

const queueUsageMax = 0.5;

/**
 * The queue on Postgres is woken by LISTEN and NOTIFY, which a transaction pooler between us and the server swallows
 * without a word. So one is sent through, from one session to another.
 */
export async function checkNotify(database: Database): Promise<void> {
  const channel = `tieout_check_${randomUUID().replaceAll("-", "")}`;
  await database.session(async (listener) => {
    await listener.query(`listen ${channel}`);
    const heard = once(listener, "notification");
    await database.query("select pg_notify($1, '')", [channel]);
    await heard;
    await listener.query(`unlisten ${channel}`);
  });
}
