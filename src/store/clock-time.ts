import { type SQL, sql } from "drizzle-orm";

/** Now, by the database's clock: `now()` would stand still for the length of a transaction. */
export const clockNow: SQL = sql`clock_timestamp()`;

/** So long from now; `null`: never. */
export function clockIn(ms: number | null): SQL {
  return sql`clock_timestamp() + ${ms}::double precision * interval '1 millisecond'`;
}
