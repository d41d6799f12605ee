import type { Queryable } from "../../src/store/database.ts";

/** Whether someone waits for what someone else holds in this database. */
export async function isAnyoneWaiting(database: Queryable): Promise<boolean> {
  return (await countWaiting(database)) > 0;
}

export async function countWaiting(database: Queryable): Promise<number> {
  const waiting = await database.query(
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return waiting.length;
}
