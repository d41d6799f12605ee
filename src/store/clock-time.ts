import { type SQL, sql } from "drizzle-orm";
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
