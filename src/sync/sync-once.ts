import { setTimeout as sleep } from "node:timers/promises";
import { type Coverage, readCoverage } from "../store/windows/coverage.ts";
import { isTransient } from "../store/sql-errors.ts";
import { countWindows, type WindowCounts } from "../store/windows/sync-windows.ts";
import type { SyncAccount, SyncDeps } from "./deps.ts";
import { compareClocks } from "./compare-clocks.ts";
import { planAccount } from "./plan-account.ts";
import { workAccount } from "./work-account.ts";

export interface SyncProgress {
  account: string;
  windows: WindowCounts;
  coverage: Coverage;
}

const lookAgainMs = 100;
/** Failures wait for their next try; beyond this many rounds without any progress the rest is reported as a gap. */
const idleRoundsMax = 600;

/**
 * Reads everything up to now and returns what is still missing. Walks with as many workers as the account may have
 * requests in flight; how many of them really ask is decided by the leases.
 */
export async function syncOnce(
  deps: SyncDeps,
  account: SyncAccount,
  options: { signal: AbortSignal; onProgress?: (progress: SyncProgress) => void },
): Promise<SyncProgress> {
  await compareClocks(deps, account, options.signal);
  // Only the first window is planned before the density is known: the plan grows while it is walked, one round at a time.
  await planAccount(deps, account.id, { reread: false, liveMinMs: 1 });
  let planning: Promise<unknown> = Promise.resolve();
  const plan = () =>
    (planning = planning.catch(() => undefined).then(() => planAccount(deps, account.id, { reread: false })));
  const failed = new AbortController();
  const signal = AbortSignal.any([options.signal, failed.signal]);
  let idleRounds = 0;
  const round = async (): Promise<"walked" | "idle" | "done"> => {
    await plan();
    const walked = await workAccount(deps, account, signal);
    if (signal.aborted) return "done";
    // After the plan has grown as far as it does now, nothing open means nothing left.
    await plan();
    const left = await countWindows(deps.database, account.id);
    if (left.open + left.failed === 0) return "done";
    return walked > 0 ? "walked" : "idle";
  };
  const walk = async () => {
    for (;;) {
      const outcome = await round().catch((error: unknown) => waitForDatabase(deps, account, error));
      if (outcome === "done" || signal.aborted || idleRounds > idleRoundsMax) return;
      idleRounds = outcome === "walked" ? 0 : idleRounds + 1 / deps.settings.requestsMax;
      if (outcome === "idle") await sleep(lookAgainMs);
    }
  };
  const report = async () => options.onProgress?.(await progressOf(deps, account));
  const planner = setInterval(() => void plan().catch(() => undefined), lookAgainMs);
  const reporter = setInterval(() => void report().catch(() => undefined), 5 * lookAgainMs);
  const walks = Array.from({ length: deps.settings.requestsMax }, () =>
    walk().catch((error: unknown) => {
      failed.abort();
      throw error;
    }),
  );
  const ends = await Promise.allSettled(walks);
  clearInterval(planner);
  clearInterval(reporter);
  await planning.catch(() => undefined);
  for (const end of ends) if (end.status === "rejected") throw end.reason;
  return progressOf(deps, account);
}

/** A database that restarts is back in a moment; what was under way is done again from its last page. */
function waitForDatabase(deps: SyncDeps, account: SyncAccount, error: unknown): "idle" {
  if (!isTransient(error)) throw error;
  deps.log.warn({ event: "database_away", account: account.name, err: error });
  return "idle";
}

async function progressOf(deps: SyncDeps, account: SyncAccount): Promise<SyncProgress> {
  const [windows, coverage] = await Promise.all([
    countWindows(deps.database, account.id),
    readCoverage(deps.database, account.id),
  ]);
  return { account: account.name, windows, coverage };
}
