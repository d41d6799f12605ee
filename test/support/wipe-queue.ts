import { Redis } from "ioredis";
import type { Database } from "../../src/store/database.ts";
import { waitFor } from "./wait-for.ts";

/** Takes everything from the queue: jobs, schedules, locks. */
export async function wipePostgresQueue(db: Database): Promise<void> {
  const tables = await db.query<{ name: string }>(
    "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'queue' and tablename not like '%migration%'",
  );
  const statement = `truncate ${tables.map(({ name }) => name).join(", ")}`;
  // A worker may hold some of these tables and want the others: the one that is cut short tries again.
  await waitFor("the queue is empty", () =>
    db.query(statement).then(
      () => true,
      () => false,
    ),
  );
}

export async function wipeRedis(url: string): Promise<void> {
  const redis = new Redis(url);
  await redis.flushall();
  redis.disconnect();
}
