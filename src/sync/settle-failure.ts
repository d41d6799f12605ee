import { MINUTE, SECOND } from "../core/duration.ts";
import { instantMs } from "../core/instant.ts";
import { splitRange, type TimeRange } from "../core/window.ts";
import { noteFailing, refuseCredentials, slowDown } from "../store/accounts/account-pace.ts";
import { splitWindow } from "../store/windows/sync-windows.ts";
import { failWindow, halvingIsStuck, restartWindow } from "../store/windows/window-failures.ts";
import { releaseWindow, type WindowLease } from "../store/windows/window-leases.ts";
import { UpstreamError } from "../upstream/errors.ts";
import type { ClaimedWindow } from "./walk.ts";
import type { WindowError } from "./window-error.ts";

/** Refused credentials are tried again this often; a process that starts tries them at once. */
const probeMs = 15 * MINUTE;
/** Tries in a row that bring no page before a window counts as failed. */
const failuresMax = 10;
/** How often a window is read again from its first page before it is halved, and again once it cannot be halved further. */
const restartsMax = 3;
const backoffMs = 1 * SECOND;
const backoffMaxMs = 2 * MINUTE;
/** A failed window is reported, and still retried: most causes pass, and then the gap closes by itself. */
const failedAgainMs = 15 * MINUTE;
/** A server that finds even a minute too long refuses everything. */
const refusedRangeMinMs = 1 * MINUTE;
/** Cursors may live for seconds only; and a range of few records needs none. */
const cursorRangeMinMs = 1 * SECOND;

type Failure = UpstreamError | WindowError;

/** Decides what happens to a window whose walk failed: retry it later, halve it, or mark it as failed. */
export async function settleFailure(walk: ClaimedWindow, error: Failure): Promise<void> {
  switch (error.code) {
    case "unauthorized":
    case "forbidden":
      return stopAsking(walk, error);
    case "cursor_rejected":
    case "cursor_loop":
    case "empty_pages":
      return restartOrHalve(walk, error);
    case "bad_request":
      return halveOrFail(walk, error, refusedRangeMinMs);
    case "page_limit":
      return halveOrFail(walk, error, cursorRangeMinMs);
    case "page_too_large":
      return fail(walk, error);
    default:
      return retryLater(walk, error);
  }
}

async function stopAsking({ deps, account, lease }: ClaimedWindow, error: Failure): Promise<void> {
  const advice = account.credentials?.advice ?? "correct the account's key or secret, and start again";
  const reason = `refused with "${error.message}": ${advice}`;
  deps.log.error({ event: "account_refused", account: account.name, code: error.code, reason });
  const credentials = account.credentials?.fingerprint ?? "";
  await refuseCredentials(deps.database, account.id, { credentials, reason, probeMs });
  await releaseWindow(deps.database, lease);
}

/**
 * The cursors led nowhere. That may not happen twice, so the window is first read again from its first page; then in halves,
 * whose listings are shorter; then, where halving does not help, once more from the first page.
 */
async function restartOrHalve(walk: ClaimedWindow, error: Failure): Promise<void> {
  const { deps, account, lease } = walk;
  const halvable = lease.restarts >= restartsMax && (await mayHalve(walk, error, cursorRangeMinMs));
  if (halvable) return halve(walk, error);
  if (lease.restarts >= 2 * restartsMax) return fail(walk, error);
  const waitMs = waitWithJitter(walk, lease.restarts % restartsMax);
  deps.log.warn({
    event: "window_restarted",
    account: account.name,
    window_id: lease.windowId,
    code: error.code,
    reason: error.message,
    wait_ms: waitMs,
  });
  await restartWindow(deps.database, lease, { code: error.code, message: error.message, waitMs });
}

/** Neither the longest range that a server accepts nor its most pages per listing are shown. */
async function halveOrFail(walk: ClaimedWindow, error: Failure, rangeMinMs: number): Promise<void> {
  return (await mayHalve(walk, error, rangeMinMs)) ? halve(walk, error) : fail(walk, error);
}

/** Not if the parts would be too short to help, nor while the smallest parts of other windows fail for the same reason. */
async function mayHalve(
  { deps, lease }: ClaimedWindow,
  error: Failure,
  rangeMinMs: number,
): Promise<boolean> {
  const { fromMs, toMs } = rangeOf(lease);
  if (lease.kind === "refresh" || lease.kind === "event" || toMs - fromMs < 2 * rangeMinMs) return false;
  return !(await halvingIsStuck(deps.database, lease.accountId, { code: error.code, rangeMinMs }));
}

async function halve({ deps, lease }: ClaimedWindow, error: Failure): Promise<void> {
  const halves = splitRange(rangeOf(lease), 2);
  await splitWindow(deps.database, lease, halves, () => deps.failpoint("split.inside"));
  deps.log.info({ event: "window_split", window_id: lease.windowId, parts: 2, why: error.code });
}

async function retryLater(walk: ClaimedWindow, error: Failure): Promise<void> {
  const { deps, account, lease } = walk;
  const { retryAfterMs, detail } =
    error instanceof UpstreamError ? error : { retryAfterMs: null, detail: null };
  const backoff = waitWithJitter(walk, lease.failures);
  // What the server says is the least: a window that goes on being refused would use up its tries within seconds.
  const waitMs = Math.max(retryAfterMs ?? 0, backoff);
  await noteFailing(deps.database, account.id, error.message);
  // A 503 may also say how long. It concerns the server, and so every window of the account.
  const awayMs = retryAfterMs ?? (error.code === "rate_limited" ? backoff : 0);
  if (overloaded.has(error.code)) await slowDown(deps.database, account.id, awayMs);
  const message = detail ? `${error.message}: ${detail}` : error.message;
  const final = lease.failures + 1 >= failuresMax;
  await leaveFailed(walk, { code: error.code, message, waitMs: final ? failedAgainMs : waitMs, final });
}

async function fail(walk: ClaimedWindow, error: Failure): Promise<void> {
  // Perhaps it refuses one window only: then the next page that is kept says that it answers.
  if (error instanceof UpstreamError) await noteFailing(walk.deps.database, walk.account.id, error.message);
  await leaveFailed(walk, { code: error.code, message: error.message, waitMs: failedAgainMs, final: true });
}

async function leaveFailed(
  { deps, account, lease }: ClaimedWindow,
  failure: Parameters<typeof failWindow>[2],
): Promise<void> {
  const { code, final, waitMs } = failure;
  deps.log[final ? "error" : "warn"]({
    event: "window_failed",
    account: account.name,
    window_id: lease.windowId,
    code,
    reason: failure.message,
    final,
    wait_ms: waitMs,
  });
  await failWindow(deps.database, lease, failure);
}

/** Full jitter: workers that failed together must not come back together. */
function waitWithJitter({ deps }: ClaimedWindow, tries: number): number {
  return Math.ceil(Math.min(backoffMaxMs, backoffMs * 2 ** tries) * deps.random());
}

function rangeOf(lease: WindowLease): TimeRange {
  return { fromMs: instantMs(lease.from), toMs: instantMs(lease.to) };
}

/** How an overloaded server answers, or fails to. */
const overloaded: ReadonlySet<string> = new Set([
  "rate_limited",
  "server_error",
  "timeout",
  "connection_lost",
]);
