import { type SQL, sql } from "drizzle-orm";
import type { Instant } from "../core/instant.ts";
import type { Queryable } from "./database.ts";

/** Now, by the database's clock: `now()` would stand still for the length of a transaction. */
export const clockNow: SQL = sql`clock_timestamp()`;

/** So long from now; `null`: never. */
export function clockIn(ms: number | null): SQL {
  return sql`clock_timestamp() + ${ms}::double precision * interval '1 millisecond'`;
}

/** For several statements that are to say the same time; in the database's own text, with its microseconds. */
export async function readClock(database: Queryable): Promise<string> {
  const [row] = await database.query<{ now: string }>("select clock_timestamp()::text as now");
  return row?.now ?? "";
}

/** Postgres writes no trailing zeros, and our sessions are in UTC. */
const databaseForm = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d+))?\+00$/;

/** From the database's own text, `2023-07-28 07:56:42.012+00`, which is always a valid time: only the form changes. */
export function instantOf(text: string): Instant {
  const [found, day, time, fraction = ""] = databaseForm.exec(text) ?? [];
  if (found === undefined) throw new Error(`the time ${text} of the database cannot be read back`);
  return `${day}T${time}.${fraction.padEnd(3, "0")}Z` as Instant;
}
