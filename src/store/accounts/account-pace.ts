import type { Queryable } from "../database.ts";

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

/** The key was refused. One request is tried after `probeMs`; until then nobody asks. Other accounts go on. */
export async function pauseAccount(
  database: Queryable,
  accountId: number,
  reason: string,
  probeMs: number,
): Promise<void> {
  await database.query(
    `update tieout.accounts
     set state = 'paused',
         paused_reason = $2,
         paused_at = coalesce(paused_at, clock_timestamp()),
         request_limit = 1,
         not_before = clock_timestamp() + $3::double precision * interval '1 millisecond'
     where id = $1`,
    [accountId, reason.replaceAll("\u0000", String.raw`\u0000`), probeMs],
  );
}
