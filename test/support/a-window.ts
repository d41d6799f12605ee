import { HOUR } from "../../src/core/duration.ts";
import { formatInstant } from "../../src/core/instant.ts";
import type { Database } from "../../src/store/database.ts";
import { insertWindows } from "../../src/store/windows/sync-windows.ts";
import { claimWindow, type WindowKind, type WindowLease } from "../../src/store/windows/window-leases.ts";

let windowsMade = 0;

/** An account of which nothing is known yet, for tests that need no aggregator. */
export async function bareAccount(
  db: Database,
  options: { syncStartMs?: number; requestLimit?: number } = {},
): Promise<number> {
  const [row] = await db.query<{ id: number }>(
    `insert into tieout.accounts (name, base_url, sync_start, request_limit)
     values ($1, 'http://127.0.0.1', $2, $3)
     returning id`,
    [
      `bare ${process.pid} ${performance.now()}`,
      formatInstant(options.syncStartMs ?? Date.UTC(2026, 0, 1)),
      options.requestLimit ?? 100,
    ],
  );
  return row?.id ?? 0;
}

/** A window that nobody else plans, and the lease of it. */
export async function leaseWindow(
  db: Database,
  accountId: number,
  options: { fromMs?: number; toMs?: number; kind?: WindowKind; leaseMs?: number; worker?: string } = {},
): Promise<WindowLease> {
  const fromMs = options.fromMs ?? Date.UTC(2026, 0, 1) + windowsMade++ * HOUR;
  await insertWindows(db, accountId, [
    { kind: options.kind ?? "backfill", fromMs, toMs: options.toMs ?? fromMs + HOUR },
  ]);
  const { worker = "test", leaseMs = 60_000 } = options;
  const lease = await db.transaction((tx) =>
    claimWindow(tx, { accountId, worker, leaseMs, requestsMax: 100 }),
  );
  if (!lease) throw new Error("there was no window to lease");
  return lease;
}

/** What the window's row says of its progress and its end. */
export async function readWindow(db: Database, windowId: number): Promise<Record<string, unknown>> {
  const [row] = await db.query(
    `select state, cursor, fence::int as fence, worker, pages, read, added, quarantined, digest::text, failures, restarts,
            error_code, error, ended_by, vanished, sealed_at::text, lease_until is not null as leased
     from tieout.sync_windows
     where id = $1`,
    [windowId],
  );
  if (!row) throw new Error(`there is no window ${windowId}`);
  return row;
}

/** All windows of an account, oldest first. */
export async function readWindows(
  db: Database,
  accountId: number,
): Promise<{ id: number; kind: string; state: string; fromMs: number; toMs: number }[]> {
  return db.query(
    `select id::int as id, kind, state,
            (extract(epoch from range_from) * 1000)::double precision as "fromMs",
            (extract(epoch from range_to) * 1000)::double precision as "toMs"
     from tieout.sync_windows
     where account_id = $1
     order by range_from, id`,
    [accountId],
  );
}
