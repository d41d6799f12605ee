import type { PoolClient } from "pg";
import { type Database, type Queryable, statementsOn } from "../../src/store/database.ts";

/** A session whose clock stands still: `now()` and `clock_timestamp()` in its statements say what the test says. */
export interface FixedClock extends Queryable {
  client: PoolClient;
  set(instant: string): Promise<void>;
}

/**
 * Postgres looks a function up along the search path, and its own schema comes first only as long as the path does not
 * name it. So the statements run as they are, and rows get times that a committed output can hold. Views and column
 * defaults were bound to the real clock when they were made.
 */
export async function withFixedClock<T>(
  database: Database,
  use: (session: FixedClock) => Promise<T>,
): Promise<T> {
  await database.query("create schema if not exists fixed_clock");
  for (const name of ["now", "clock_timestamp"]) {
    await database.query(
      `create or replace function fixed_clock.${name}() returns timestamptz
       language sql stable as $$ select current_setting('fixed_clock.now')::timestamptz $$`,
    );
  }
  await database.query("grant usage on schema fixed_clock to tieout_reader");
  return database.session(async (client) => {
    try {
      await client.query("set search_path to fixed_clock, pg_catalog, tieout, public");
      return await use({
        client,
        ...statementsOn(client),
        set: async (instant) => {
          await client.query("select set_config('fixed_clock.now', $1, false)", [instant]);
        },
      });
    } finally {
      await client.query("reset all");
    }
  });
}
