import { setTimeout as sleep } from "node:timers/promises";
import { type Coverage, readCoverage } from "../store/coverage.ts";
import { countWindows, type WindowCounts } from "../store/sync-windows.ts";
import type { SyncAccount, SyncDeps } from "./deps.ts";
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
  // Only the first window is planned before the density is known: the plan grows while it is walked, one round at a time.
  let planning = planAccount(deps, account.id, { reread: false, liveMinMs: 1 });
  const plan = () => (planning = planning.then(() => planAccount(deps, account.id, { reread: false })));
  let idleRounds = 0;
  const walk = async () => {
    for (;;) {
      await plan();
      const walked = await workAccount(deps, account, options.signal);
      if (options.signal.aborted || idleRounds > idleRoundsMax) return;
      // After the plan has grown as far as it does now, nothing open means nothing left.
      await plan();
      const { open, failed } = await countWindows(deps.database, account.id);
      if (open + failed === 0) return;
      idleRounds = walked > 0 ? 0 : idleRounds + 1 / deps.settings.requestsMax;
      if (walked === 0) await sleep(lookAgainMs);
    }
  };
  const report = async () => options.onProgress?.(await progressOf(deps, account));
  const planner = setInterval(() => void plan().catch(() => undefined), lookAgainMs);
  const reporter = setInterval(() => void report().catch(() => undefined), 5 * lookAgainMs);
  try {
    await Promise.all(Array.from({ length: deps.settings.requestsMax }, walk));
  } finally {
    clearInterval(planner);
    clearInterval(reporter);
    await planning.catch(() => undefined);
  }
  return progressOf(deps, account);
}

async function progressOf(deps: SyncDeps, account: SyncAccount): Promise<SyncProgress> {
  const [windows, coverage] = await Promise.all([
    countWindows(deps.database, account.id),
    readCoverage(deps.database, account.id),
  ]);
  return { account: account.name, windows, coverage };
}
