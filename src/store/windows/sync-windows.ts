import type { PlanState, TimeRange } from "../../core/window.ts";
import { aggregatorClockMaxMs } from "../accounts/aggregator-clocks.ts";
import type { Database, Queryable } from "../database.ts";
import { LeaseLost } from "../transactions/record-page.ts";
import type { WindowKind, WindowLease } from "./window-leases.ts";

/** What planning has to know of an account, and the clocks that it goes by. */
export interface PlanStateNow extends PlanState {
  /** The database's. */
  nowMs: number;
  /** How far the aggregator's is behind it; 0 where they agree, or where it is ahead. */
  behindMs: number;
}

export async function readPlanState(database: Queryable, accountId: number): Promise<PlanStateNow> {
  const [row] = await database.query<{
    start_ms: number;
    from_ms: number | null;
    to_ms: number | null;
    density: number | null;
    backfill_open: number;
    failed: number;
    now_ms: number;
    behind_ms: number | null;
  }>(
    `select ${ms("a.sync_start")} as start_ms,
            ${ms("extent.range_from")} as from_ms,
            ${ms("extent.range_to")} as to_ms,
            recent.density,
            (select count(*)::int
             from tieout.sync_windows as w
             where w.account_id = a.id and w.kind = 'backfill' and w.state in ('planned', 'walking')) as backfill_open,
            (select count(*)::int
             from tieout.sync_windows as w
             where w.account_id = a.id and w.kind in ('live', 'backfill') and w.state = 'failed') as failed,
            ${ms("clock_timestamp()")} as now_ms,
            (select ${ms("h.database_at - h.worker_at")}
             from tieout.heartbeats as h
             where h.job = 'aggregator-clock' and h.worker = a.id::text
               and h.database_at > clock_timestamp() - interval '1 day') as behind_ms
     from tieout.accounts as a
     cross join lateral (
       select min(range_from) as range_from, max(range_to) as range_to
       from tieout.sync_windows as w
       where w.account_id = a.id and w.kind in ('live', 'backfill')
     ) as extent
     cross join lateral (          -- of the windows sealed last: density changes from season to season
       select (sum(read) / nullif(sum(extract(epoch from range_to - range_from)), 0))::double precision as density
       from (
         select read, range_from, range_to
         from tieout.sync_windows as w
         where w.account_id = a.id and w.kind in ('live', 'backfill') and w.state = 'sealed'
         order by w.sealed_at desc, w.id desc
         limit 16
       ) as sealed
     ) as recent
     where a.id = $1`,
    [accountId],
    "read_plan_state",
  );
  if (!row) throw new Error(`there is no account ${accountId}`);
  return {
    startMs: row.start_ms,
    planned: row.from_ms === null || row.to_ms === null ? null : { fromMs: row.from_ms, toMs: row.to_ms },
    density: row.density,
    backfillOpen: row.backfill_open,
    failed: row.failed,
    // Whole milliseconds: all that a request can ask for.
    nowMs: Math.floor(row.now_ms),
    behindMs: Math.ceil((row.behind_ms ?? 0) > aggregatorClockMaxMs ? (row.behind_ms ?? 0) : 0),
  };
}

/**
 * Adds windows to the plan. `decide` sees the plan as it is, under a lock: two planners at once would both extend it
 * from the same edge. A window that would overlap an open one of its kind is left out; it will be planned later.
 */
export async function extendPlan(
  database: Database,
  accountId: number,
  decide: (state: PlanStateNow, tx: Queryable) => readonly WindowToPlan[] | Promise<readonly WindowToPlan[]>,
): Promise<number> {
  return database.transaction(async (tx) => {
    await tx.query("select id from tieout.accounts where id = $1 for no key update", [accountId]);
    const windows = await decide(await readPlanState(tx, accountId), tx);
    return insertWindows(tx, accountId, windows);
  });
}

export interface WindowToPlan extends TimeRange {
  kind: WindowKind;
  level?: number;
  parentId?: number;
  restarts?: number;
}

export async function insertWindows(
  database: Queryable,
  accountId: number,
  windows: readonly WindowToPlan[],
): Promise<number> {
  if (windows.length === 0) return 0;
  const rows = await database.query(
    `insert into tieout.sync_windows (account_id, kind, level, range_from, range_to, parent_id, restarts)
     select $1, kind, level, to_timestamp(from_ms / 1000.0), to_timestamp(to_ms / 1000.0), parent_id, restarts
     from unnest($2::text[], $3::smallint[], $4::double precision[], $5::double precision[], $6::bigint[], $7::int[])
       with ordinality as planned (kind, level, from_ms, to_ms, parent_id, restarts, place)
     where not exists (                  -- the constraint sees it too, but waits for the one who may be sealing it, who waits for us
       select
       from tieout.sync_windows as w
       where w.account_id = $1
         and w.kind = planned.kind
         and w.state in ('planned', 'walking', 'failed')
         and tstzrange(w.range_from, w.range_to)
          && tstzrange(to_timestamp(from_ms / 1000.0), to_timestamp(to_ms / 1000.0)))
     order by place
     on conflict do nothing
     returning id`,
    [
      accountId,
      windows.map(({ kind }) => kind),
      windows.map(({ level }) => level ?? 0),
      windows.map(({ fromMs }) => fromMs),
      windows.map(({ toMs }) => toMs),
      windows.map(({ parentId }) => parentId ?? null),
      windows.map(({ restarts }) => restarts ?? 0),
    ],
  );
  return rows.length;
}

/**
 * The end was explicit and every page is kept: from now on the range counts as covered. The pace grows with every
 * window that was read without trouble: twofold until the first trouble, by one request from then on.
 *
 * A deep re-read that differs from what we had is read once more, until a reading agrees with the one before it: records
 * move while we page. Its level counts the readings. A listing that never comes to rest is reported, not read for ever.
 */
export async function sealWindow(database: Queryable, lease: WindowLease, endedBy: string): Promise<void> {
  const rows = await database.query(
    `with sealed as (
       update tieout.sync_windows as w
       set state = 'sealed', sealed_at = clock_timestamp(), lease_until = null, cursor = null, ended_by = $3,
           error_code = case when ${differs} and w.level + 1 >= ${readingsMax} then 'unstable' end,
           error = case when ${differs} and w.level + 1 >= ${readingsMax}
                        then 'read ${readingsMax} times in a row, and each time the aggregator listed something else' end
       where id = $1 and fence = $2 and state = 'walking' and lease_until > clock_timestamp()
       returning account_id, kind, level, range_from, range_to, ${differs} as differs
     ), once_more as (
       insert into tieout.sync_windows (account_id, kind, level, range_from, range_to)
       select account_id, kind, level + 1, range_from, range_to
       from sealed
       where differs and level + 1 < ${readingsMax}
       on conflict do nothing
     )
     update tieout.accounts as a
     set covered = case when sealed.kind in ('refresh', 'event') then a.covered
                        else a.covered + tstzmultirange(tstzrange(sealed.range_from, sealed.range_to)) end,
         request_limit = least($4,    -- more than is used could be halved without effect
           case when a.not_before is null then 2 * a.request_limit else a.request_limit + 1 end)
     from sealed
     where a.id = sealed.account_id
     returning a.id`,
    [lease.windowId, lease.fence, endedBy, lease.requestsMax],
    "seal_window",
  );
  if (rows.length === 0) throw new LeaseLost(lease.windowId);
}

/** Readings in a row that differ before a listing is called unstable. */
export const readingsMax = 5;

const differs = `(w.kind = 'deep' and exists (select from tieout.sync_findings as f where f.window_id = w.id))`;

/**
 * The parent is closed and its parts are planned in one database transaction: the union is the same, always. `inside`
 * is called between the two, for tests that stop a worker there.
 */
export async function splitWindow(
  database: Database,
  lease: WindowLease,
  parts: readonly TimeRange[],
  inside: () => Promise<void> | void = () => undefined,
): Promise<void> {
  await database.transaction(async (tx) => {
    const rows = await tx.query(
      `update tieout.sync_windows
       set state = 'split', lease_until = null, cursor = null
       where id = $1 and fence = $2 and state = 'walking' and lease_until > clock_timestamp()
       returning id`,
      [lease.windowId, lease.fence],
    );
    if (rows.length === 0) throw new LeaseLost(lease.windowId);
    await inside();
    // Each part of a deep re-read records which transactions it saw.
    if (lease.kind === "deep")
      await tx.query("delete from tieout.deep_read_seen where window_id = $1", [lease.windowId]);
    // A part goes on where its parent stopped: with its restarts used up, it is halved at once.
    const { kind, level, restarts, windowId: parentId } = lease;
    const children = parts.map((part) => ({ ...part, kind, level, restarts, parentId }));
    const planned = await insertWindows(tx, lease.accountId, children);
    if (planned !== parts.length)
      throw new Error(`window ${lease.windowId}: ${planned} of ${parts.length} parts were planned`);
  });
}

export interface WindowCounts {
  open: number;
  failed: number;
  sealed: number;
  pages: number;
  read: number;
  added: number;
  /** Records in quarantine, however often they were read. */
  quarantined: number;
}

export async function countWindows(database: Queryable, accountId: number): Promise<WindowCounts> {
  const [row] = await database.query<WindowCounts & Record<string, number>>(
    `select count(*) filter (where state in ('planned', 'walking'))::int as open,
            count(*) filter (where state = 'failed')::int as failed,
            count(*) filter (where state = 'sealed')::int as sealed,
            coalesce(sum(pages), 0)::int as pages,
            coalesce(sum(read), 0)::int as read,
            coalesce(sum(added), 0)::int as added,
            (select count(*)::int from tieout.quarantined_records as q where q.account_id = $1) as quarantined
     from tieout.sync_windows
     where account_id = $1`,
    [accountId],
  );
  return row ?? { open: 0, failed: 0, sealed: 0, pages: 0, read: 0, added: 0, quarantined: 0 };
}

/** A time or a span of it in milliseconds. */
export function ms(expression: string): string {
  return `(extract(epoch from ${expression}) * 1000)::double precision`;
}
