import { and, eq, inArray, isNotNull } from "drizzle-orm";
import type { Queryable } from "../database.ts";
import { syncWindows } from "../schema/sync-windows.ts";
import { storable } from "../storable.ts";
import { LeaseLost } from "../transactions/record-page.ts";
import type { WindowLease } from "./window-leases.ts";

/** From the first page again, after a wait. What was kept stays kept; reading it again changes nothing. */
export async function restartWindow(
  database: Queryable,
  lease: WindowLease,
  reason: { code: string; message: string; waitMs: number },
): Promise<void> {
  const rows = await database.query(
    `update tieout.sync_windows
     set state = 'planned', lease_until = null, cursor = null, pages = 0, read = 0, quarantined = 0,
         restarts = restarts + 1,
         not_before = clock_timestamp() + $3::double precision * interval '1 millisecond',
         error_code = $4,
         error = $5
     where id = $1 and fence = $2 and state = 'walking'
     returning id`,
    [lease.windowId, lease.fence, reason.waitMs, reason.code, storable(reason.message)],
  );
  if (rows.length === 0) throw new LeaseLost(lease.windowId);
}

/**
 * Windows that end after `sinceMs` and were begun go back to their first page: what they have read so far was read before
 * now, and may have changed. A worker that is at one loses its lease.
 */
export async function beginAgain(database: Queryable, accountId: number, sinceMs: number): Promise<void> {
  await database.query(
    `update tieout.sync_windows
     set state = 'planned', lease_until = null, cursor = null, pages = 0, read = 0, quarantined = 0, fence = fence + 1
     where account_id = $1
       and kind in ('live', 'backfill', 'lookback')
       and (state = 'walking' or state in ('planned', 'failed') and pages > 0)
       and range_to > to_timestamp($2::double precision / 1000)`,
    [accountId, sinceMs],
  );
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
         pages = case when $3 then 0 else pages end,
         read = case when $3 then 0 else read end,
         quarantined = case when $3 then 0 else quarantined end,
         restarts = case when $3 then 0 else restarts end,
         not_before = clock_timestamp() + $4::double precision * interval '1 millisecond',
         error_code = $5,
         error = $6
     where id = $1 and fence = $2 and state = 'walking'`,
    [lease.windowId, lease.fence, failure.final, failure.waitMs, failure.code, storable(failure.message)],
  );
}

/** Smallest parts that may fail for one reason before nothing more is halved for it. */
const stuckPartsMax = 8;

/**
 * Whether halving has stopped helping: the smallest parts fail for this reason as well, and either there are many of
 * them or none of the account's windows has been read since. Without this, an aggregator that leads every walk
 * nowhere would be asked for every second of its past.
 */
export async function halvingIsStuck(
  database: Queryable,
  accountId: number,
  options: { code: string; rangeMinMs: number },
): Promise<boolean> {
  const [row] = await database.query<{ stuck: boolean }>(
    `select count(*) >= ${stuckPartsMax}
              or count(*) > 0
                 and not exists (select from tieout.sync_windows as s
                                 where s.account_id = $1 and s.state = 'sealed' and s.kind not in ('refresh', 'event')
                                   and s.sealed_at > max(w.planned_at)) as stuck
     from tieout.sync_windows as w
     where w.account_id = $1
       and w.state in ('planned', 'walking', 'failed')
       and w.kind not in ('refresh', 'event')
       and w.error_code = $2
       and w.range_to - w.range_from < 2 * $3::double precision * interval '1 millisecond'`,
    [accountId, options.code, options.rangeMinMs],
  );
  return row?.stuck ?? false;
}

/** For what reason most of the account's windows were not read to their end. */
export async function commonestFailure(
  database: Queryable,
  accountId: number,
): Promise<{ code: string; error: string; windows: number } | null> {
  const [row] = await database.query<{ code: string; error: string; windows: number }>(
    `select error_code as code, max(error) as error, count(*)::int as windows
     from tieout.sync_windows
     where account_id = $1 and state in ('planned', 'walking', 'failed') and error_code is not null
     group by error_code
     order by count(*) desc, max(range_to) desc
     limit 1`,
    [accountId],
  );
  return row ?? null;
}

/** Someone wants everything now: windows that wait for their next try are due at once, with all their tries. */
export async function tryAgainNow(database: Queryable, accountId: number): Promise<void> {
  await database.orm
    .update(syncWindows)
    .set({ notBefore: null, failures: 0, restarts: 0 })
    .where(
      and(
        eq(syncWindows.accountId, accountId),
        inArray(syncWindows.state, ["planned", "failed"]),
        isNotNull(syncWindows.notBefore),
      ),
    );
}
