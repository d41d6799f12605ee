import { and, count, eq, gt, sql } from "drizzle-orm";
import type { Queryable } from "../database.ts";
import { signInAttempts } from "../schema/people.ts";

/** Attempts older than a day say nothing about now, and go as new ones come. */
export async function noteAttempt(
  database: Queryable,
  attempt: { address: string; method: string; succeeded: boolean },
): Promise<void> {
  await database.orm
    .delete(signInAttempts)
    .where(sql`${signInAttempts.at} < clock_timestamp() - interval '1 day'`);
  await database.orm.insert(signInAttempts).values(attempt);
}

/** From one address, in all processes together. */
export async function countFailures(
  database: Queryable,
  address: string,
  { withinMs }: { withinMs: number },
): Promise<number> {
  const [row] = await database.orm
    .select({ failures: count() })
    .from(signInAttempts)
    .where(
      and(
        eq(signInAttempts.address, address),
        eq(signInAttempts.succeeded, false),
        gt(
          signInAttempts.at,
          sql`clock_timestamp() - ${withinMs}::double precision * interval '1 millisecond'`,
        ),
      ),
    );
  return row?.failures ?? 0;
}
