import { MINUTE, SECOND } from "../core/duration.ts";
import { pauseAccount, slowDown } from "../store/accounts/account-pace.ts";
import { LeaseLost } from "../store/transactions/record-page.ts";
import { splitWindow } from "../store/windows/sync-windows.ts";
import { failWindow, hasFailedSince, restartWindow } from "../store/windows/window-failures.ts";
import { claimWindow, releaseWindow, type WindowLease } from "../store/windows/window-leases.ts";
import { instantMs } from "../core/instant.ts";
import { splitRange } from "../core/window.ts";
import { freshenStatistics, syncedTables } from "../store/statistics.ts";
import { UpstreamError } from "../upstream/errors.ts";
import type { SyncAccount, SyncDeps } from "./deps.ts";
import { walkRefresh } from "./walk-refresh.ts";
import { walkWindow } from "./walk-window.ts";
import { WindowError } from "./window-error.ts";

const probeMs = 15 * MINUTE;
const restartsMax = 3;
const failuresMax = 10;
const backoffMs = 1 * SECOND;
const backoffMaxMs = 2 * MINUTE;
/** A window that failed for good is shown, and still tried again: most reasons pass, and a gap helps nobody. */
const failedAgainMs = 15 * MINUTE;
/** A server that refuses a minute for its length refuses everything. */
const rangeMinMs = 1 * MINUTE;
/** Cursors may live for seconds only; and a range of few records needs none. */
const cursorRangeMinMs = 1 * SECOND;

/** Claims and walks windows of one account until none is to be had. Returns how many it walked. */
export async function workAccount(
  deps: SyncDeps,
  account: SyncAccount,
  signal: AbortSignal,
): Promise<number> {
  const { leaseMs, requestsMax } = deps.settings;
  for (let walked = 0; ; walked++) {
    if (signal.aborted) return walked;
    await deps.failpoint("claim.before");
    const claim = { accountId: account.id, worker: deps.worker, leaseMs, requestsMax };
    const lease = await deps.database.transaction((tx) => claimWindow(tx, claim));
    if (!lease) return walked;
    await deps.failpoint("claim.after");
    await walkOrExplain(deps, account, lease, signal);
    await freshenStatistics(deps.database, syncedTables);
    await deps.failpoint("ack.before");
  }
}

/** Every way out of a walk leaves the window in a state that says what happened and when to go on. */
async function walkOrExplain(
  deps: SyncDeps,
  account: SyncAccount,
  lease: WindowLease,
  signal: AbortSignal,
): Promise<void> {
  try {
    const walk = lease.kind === "refresh" ? walkRefresh : walkWindow;
    const end = await walk(deps, account, lease, signal);
    deps.log.debug({
      event: "window_left",
      account: account.name,
      window_id: lease.windowId,
      kind: lease.kind,
      end,
    });
  } catch (error) {
    if (error instanceof LeaseLost) {
      deps.log.warn({ event: "lease_lost", account: account.name, window_id: lease.windowId });
      return;
    }
    if (signal.aborted) return releaseWindow(deps.database, lease);
    if (error instanceof UpstreamError) return handleUpstream(deps, account, lease, error);
    if (error instanceof WindowError) return failForNow(deps, account, lease, error);
    // The database or we ourselves: nothing can be written down now. The lease runs out, and another worker goes on.
    throw error;
  }
}

async function handleUpstream(
  deps: SyncDeps,
  account: SyncAccount,
  lease: WindowLease,
  error: UpstreamError,
): Promise<void> {
  const line = { account: account.name, window_id: lease.windowId, code: error.code, reason: error.message };
  switch (error.code) {
    case "unauthorized":
    case "forbidden":
      deps.log.error({ event: "account_paused", ...line });
      await pauseAccount(deps.database, account.id, error.message, probeMs);
      return releaseWindow(deps.database, lease);
    case "cursor_rejected":
      if (lease.restarts >= restartsMax) return halveOrFail(deps, account, lease, error);
      deps.log.warn({ event: "window_restarted", ...line });
      return restartWindow(deps.database, lease);
    case "bad_request":
      return halveOrFail(deps, account, lease, error);
    case "page_too_large":
      return failForNow(deps, account, lease, error);
    default:
      return waitAndRetry(deps, account, lease, error);
  }
}

async function waitAndRetry(
  deps: SyncDeps,
  account: SyncAccount,
  lease: WindowLease,
  error: UpstreamError,
): Promise<void> {
  // Full jitter: workers that failed together must not come back together.
  const ceilingMs = Math.min(backoffMaxMs, backoffMs * 2 ** lease.failures);
  const waitMs = error.retryAfterMs ?? Math.ceil(ceilingMs * deps.random());
  if (overloaded.has(error.code))
    await slowDown(deps.database, account.id, error.code === "rate_limited" ? waitMs : 0);
  const final = lease.failures + 1 >= failuresMax;
  deps.log.warn({
    event: "window_failed",
    account: account.name,
    window_id: lease.windowId,
    code: error.code,
    final,
    wait_ms: waitMs,
  });
  const failure = {
    code: error.code,
    message: error.detail ? `${error.message}: ${error.detail}` : error.message,
  };
  await failWindow(deps.database, lease, { ...failure, waitMs: final ? failedAgainMs : waitMs, final });
}

async function failForNow(
  deps: SyncDeps,
  account: SyncAccount,
  lease: WindowLease,
  error: WindowError | UpstreamError,
): Promise<void> {
  deps.log.error({
    event: "window_failed",
    account: account.name,
    window_id: lease.windowId,
    code: error.code,
    final: true,
  });
  await failWindow(deps.database, lease, {
    code: error.code,
    message: error.message,
    waitMs: failedAgainMs,
    final: true,
  });
}

/** What a server that has too much to do answers, or fails to. */
const overloaded: ReadonlySet<string> = new Set([
  "rate_limited",
  "server_error",
  "timeout",
  "connection_lost",
]);

/**
 * Neither the longest range a server takes nor the life of its cursors is shown: a range that is refused, or that ends
 * before its cursors do, is tried in halves. Down to a minute, and not at all while the server refuses even that: the
 * window fails then, for all to see, and in one piece.
 */
async function halveOrFail(
  deps: SyncDeps,
  account: SyncAccount,
  lease: WindowLease,
  error: UpstreamError,
): Promise<void> {
  const range = { fromMs: instantMs(lease.from), toMs: instantMs(lease.to) };
  const minMs = error.code === "cursor_rejected" ? cursorRangeMinMs : rangeMinMs;
  if (lease.kind === "refresh" || range.toMs - range.fromMs < 2 * minMs)
    return failForNow(deps, account, lease, error);
  const failure = { code: error.code, waitMs: failedAgainMs };
  if (await hasFailedSince(deps.database, account.id, failure))
    return failForNow(deps, account, lease, error);
  await splitWindow(deps.database, lease, splitRange(range, 2), () => deps.failpoint("split.inside"));
  deps.log.info({ event: "window_split", window_id: lease.windowId, parts: 2, why: error.code });
}
