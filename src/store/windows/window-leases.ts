import type { Instant } from "../../core/instant.ts";
import type { Queryable } from "../database.ts";

export type WindowKind = "live" | "backfill" | "lookback" | "deep" | "refresh" | "event";

/** The right of one worker to walk one window, for as long as the database's clock says. */
export interface WindowLease {
  windowId: number;
  accountId: number;
  kind: WindowKind;
  /** Of a lookback: how far back, in powers of two. Of a deep re-read: how many in a row differed before it. */
  level: number;
  from: Instant;
  to: Instant;
  cursor: string | null;
  /** Pages kept so far, by this walk and by those before it. */
  pages: number;
  failures: number;
  restarts: number;
  fence: number;
  leaseMs: number;
  /** Requests in flight for this account at most, as configured. */
  requestsMax: number;
}

export interface ClaimOptions {
  accountId: number;
  worker: string;
  leaseMs: number;
  /** Requests in flight at most, from the configuration; what the aggregator bears may be less. */
  requestsMax: number;
  /** Fingerprint of the credentials that the worker asks with. */
  credentials?: string;
}

/**
 * Takes the most urgent window that nobody walks: what the aggregator has just told of, the newest live one, then lookback, refresh, backfill from the
 * newest to the oldest, deep re-reads last. A window whose worker fell silent counts as free.
 *
 * As many leases are given at once as the aggregator bears requests; that makes one pace of all workers together,
 * because a lease never has more than one request under way. Two workers must not both take the last free one, so this
 * runs inside a database transaction. The lock is a statement of its own: one that had to wait for it would go on
 * counting what it saw before it waited.
 */
export async function claimWindow(tx: Queryable, options: ClaimOptions): Promise<WindowLease | null> {
  const [account] = await tx.query<{ request_limit: number }>(
    `select case when state = 'refused' then 1 else least(request_limit, $2) end as request_limit
     from tieout.accounts
     where id = $1
       and state <> 'paused'
       and (not_before is null or not_before <= clock_timestamp())
       and (refused_credentials is distinct from $3 or probe_at <= clock_timestamp())
     for no key update`,
    [options.accountId, options.requestsMax, options.credentials ?? ""],
    "lock_account",
  );
  return account ? claimNext(tx, options, account.request_limit) : null;
}

async function claimNext(
  tx: Queryable,
  options: ClaimOptions,
  leasesMax: number,
): Promise<WindowLease | null> {
  const [row] = await tx.query<ClaimedRow>(
    `with walking as (
       select count(*) as leases
       from tieout.sync_windows
       where account_id = $1 and state = 'walking' and lease_until > clock_timestamp()
     ), next as (
       select w.id
       from tieout.sync_windows as w, walking
       where w.account_id = $1
         and walking.leases < $4
         and (   w.state in ('planned', 'failed') and (w.not_before is null or w.not_before <= clock_timestamp())
              or w.state = 'walking' and w.lease_until <= clock_timestamp())
       order by array_position(array['event', 'live', 'lookback', 'refresh', 'backfill', 'deep'], w.kind), w.range_to desc, w.id
       limit 1
       for update of w skip locked
     )
     update tieout.sync_windows as w
     set state = 'walking',
         fence = w.fence + 1,
         lease_until = clock_timestamp() + $3::double precision * interval '1 millisecond',
         worker = $2,
         started_at = coalesce(w.started_at, clock_timestamp())
     from next
     where w.id = next.id
     returning w.id::int as id, w.account_id, w.kind, w.level, w.range_from, w.range_to, w.cursor, w.pages, w.failures,
               w.restarts, w.fence::int as fence`,
    [options.accountId, options.worker, options.leaseMs, leasesMax],
    "claim_window",
  );
  if (!row) return null;
  return {
    windowId: row.id,
    accountId: row.account_id,
    kind: row.kind,
    level: row.level,
    from: row.range_from.toISOString() as Instant,
    to: row.range_to.toISOString() as Instant,
    cursor: row.cursor,
    pages: row.pages,
    failures: row.failures,
    restarts: row.restarts,
    fence: row.fence,
    leaseMs: options.leaseMs,
    requestsMax: options.requestsMax,
  };
}

interface ClaimedRow {
  id: number;
  account_id: number;
  kind: WindowKind;
  level: number;
  range_from: Date;
  range_to: Date;
  cursor: string | null;
  pages: number;
  failures: number;
  restarts: number;
  fence: number;
}

/** Called while a slow answer is awaited. `false` when the window belongs to someone else by now. */
export async function renewLease(database: Queryable, lease: WindowLease): Promise<boolean> {
  const rows = await database.query(
    `update tieout.sync_windows
     set lease_until = clock_timestamp() + $3::double precision * interval '1 millisecond'
     where id = $1 and fence = $2 and state = 'walking' and lease_until > clock_timestamp()
     returning id`,
    [lease.windowId, lease.fence, lease.leaseMs],
    "renew_lease",
  );
  return rows.length === 1;
}

/** Gives a window back unfinished, with its progress; another worker goes on from its cursor. */
export async function releaseWindow(database: Queryable, lease: WindowLease): Promise<void> {
  await database.query(
    `update tieout.sync_windows
     set state = 'planned', lease_until = null
     where id = $1 and fence = $2 and state = 'walking'`,
    [lease.windowId, lease.fence],
  );
}
