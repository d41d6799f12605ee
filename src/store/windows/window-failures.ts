import type { Queryable } from "../database.ts";
import { LeaseLost } from "../transactions/record-page.ts";
import type { WindowLease } from "./window-leases.ts";

/** The cursor was refused: from the first page again. What was kept stays kept; reading it again changes nothing. */
export async function restartWindow(database: Queryable, lease: WindowLease): Promise<void> {
  const rows = await database.query(
    `update tieout.sync_windows
     set cursor = null, restarts = restarts + 1, state = 'planned', lease_until = null, pages = 0, read = 0, quarantined = 0
     where id = $1 and fence = $2 and state = 'walking'
     returning id`,
    [lease.windowId, lease.fence],
  );
  if (rows.length === 0) throw new LeaseLost(lease.windowId);
}

export interface WindowFailure {
  code: string;
  message: string;
  /** Wait this long before the next try. */
  waitMs: number;
  /** No more tries soon: shown as failed, and tried again after the wait all the same. */
  final: boolean;
}

export async function failWindow(
  database: Queryable,
  lease: WindowLease,
  failure: WindowFailure,
): Promise<void> {
  await database.query(
    `update tieout.sync_windows
     set state = case when $3 then 'failed' else 'planned' end,
         lease_until = null,
         failures = failures + 1,
         cursor = case when $3 then null else cursor end,
         not_before = clock_timestamp() + $4::double precision * interval '1 millisecond',
         error_code = $5,
         error = $6
     where id = $1 and fence = $2 and state = 'walking'`,
    [
      lease.windowId,
      lease.fence,
      failure.final,
      failure.waitMs,
      failure.code,
      // What a server said may hold anything; Postgres keeps no NUL in a text.
      failure.message.replaceAll("\u0000", String.raw`\u0000`),
    ],
  );
}

/**
 * Whether a window of the account failed for this reason and nothing has been read since: then it is not the length of
 * a range that the aggregator minds. `waitMs` is how long a failed window waits for its next try.
 */
export async function hasFailedSince(
  database: Queryable,
  accountId: number,
  failure: { code: string; waitMs: number },
): Promise<boolean> {
  const rows = await database.query(
    `select w.id
     from tieout.sync_windows as w
     join tieout.accounts as a on a.id = w.account_id
     where w.account_id = $1
       and w.state = 'failed'
       and w.error_code = $2
       and w.not_before - $3::double precision * interval '1 millisecond' > coalesce(a.last_success_at, '-infinity')
     limit 1`,
    [accountId, failure.code, failure.waitMs],
  );
  return rows.length > 0;
}
