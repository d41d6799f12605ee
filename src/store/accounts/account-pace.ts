import { and, eq, inArray, isNotNull, sql } from "drizzle-orm";
import { clockNow } from "../clock-time.ts";
import type { Queryable } from "../database.ts";
import { accounts } from "../schema/accounts.ts";
import { storable } from "../storable.ts";

/**
 * The aggregator is overloaded or says "slower": half as many requests from now on, and none before `waitMs` is over.
 * Many workers meet the same trouble in the same second; it counts once.
 */
export async function slowDown(database: Queryable, accountId: number, waitMs: number): Promise<void> {
  await database.query(
    `update tieout.accounts
     set request_limit = case when not_before > clock_timestamp() - interval '1 second' then request_limit
                              else greatest(1, request_limit / 2) end,
         not_before = greatest(not_before, clock_timestamp() + $2::double precision * interval '1 millisecond')
     where id = $1`,
    [accountId, waitMs],
  );
}

/** A request for records was not answered. The next page that is kept says that they are again. */
export async function noteFailing(database: Queryable, accountId: number, error: string): Promise<void> {
  await database.orm
    .update(accounts)
    .set({ failingSince: sql`coalesce(${accounts.failingSince}, ${clockNow})`, lastError: storable(error) })
    .where(eq(accounts.id, accountId));
}

/**
 * The key or the secret was refused. No process asks with these credentials before `probeMs` is over, and then one at
 * a time; processes with other credentials go on, and so do the other accounts.
 */
export async function refuseCredentials(
  database: Queryable,
  accountId: number,
  refusal: { credentials: string; reason: string; probeMs: number },
): Promise<void> {
  await database.query(
    `update tieout.accounts
     set refused_credentials = $2,
         probe_at = clock_timestamp() + $3::double precision * interval '1 millisecond',
         request_limit = 1,
         state = case when state = 'paused' then state else 'refused' end,
         paused_reason = case when state = 'paused' then paused_reason else $4 end,
         paused_at = case when state = 'active' then clock_timestamp() else paused_at end
     where id = $1`,
    [accountId, refusal.credentials, refusal.probeMs, storable(refusal.reason)],
  );
}

/**
 * A process starts: perhaps with other credentials, perhaps because the aggregator's side was mended. The next worker
 * asks at once. What people see stays as it is until there is an answer.
 */
export async function forgetRefusals(database: Queryable, accountIds: readonly number[]): Promise<void> {
  await database.orm
    .update(accounts)
    .set({ refusedCredentials: null, probeAt: null })
    .where(and(inArray(accounts.id, [...accountIds]), isNotNull(accounts.refusedCredentials)));
}
