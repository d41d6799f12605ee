import { SECOND } from "../core/duration.ts";
import { forgetRefusals } from "../store/accounts/account-pace.ts";
import { type Coverage, readCoverage } from "../store/windows/coverage.ts";
import { isTransient } from "../store/sql-errors.ts";
import { type AccountWork, readAccountWork } from "../store/windows/sync-duties.ts";
import { countWindows, type WindowCounts } from "../store/windows/sync-windows.ts";
import { tryAgainNow } from "../store/windows/window-failures.ts";
import { type Bell, createBell } from "./bell.ts";
import { compareClocks } from "./compare-clocks.ts";
import { decideNext } from "./decide-next.ts";
import type { SyncAccount, SyncDeps } from "./deps.ts";
import { explainUnfinished, type Unfinished } from "./explain-unfinished.ts";
import { planAccount, planReadAgain, readHorizon } from "./plan-account.ts";
import { workAccount } from "./work-account.ts";

export interface SyncProgress {
  account: string;
  windows: WindowCounts;
  coverage: Coverage;
}

export interface SyncResult extends SyncProgress {
  /** Why not everything was read; `null` when it was. */
  unfinished: Unfinished | null;
}

export interface SyncOnceOptions {
  signal: AbortSignal;
  onProgress?: (progress: SyncProgress) => void;
  /** Called with what went wrong while there is nothing to do but wait for the next try. */
  onWait?: (error: string) => void;
  /** Whether to read the lookback and the open transactions again as well. True by default. */
  reread?: boolean;
}

const reportIntervalMs = 0.5 * SECOND;
const databaseWaitMs = 0.5 * SECOND;
/** A database that restarts is back within a minute; after this many tries in a row its error ends the command. */
const databaseTriesMax = 120;

/**
 * Reads everything up to now, then reads again what may have changed since, and says what is missing and why. It ends as
 * soon as nothing more can be done.
 */
export async function syncOnce(
  deps: SyncDeps,
  account: SyncAccount,
  options: SyncOnceOptions,
): Promise<SyncResult> {
  // Fixed once: if it followed the clock, this might never end.
  const horizonMs = await throughRestarts(deps, account, options.signal, async () => {
    await forgetRefusals(deps.database, [account.id]);
    await tryAgainNow(deps.database, account.id);
    await compareClocks(deps, account, options.signal);
    return readHorizon(deps, account.id);
  });
  if (options.reread ?? true)
    await throughRestarts(deps, account, options.signal, () => planReadAgain(deps, account.id, horizonMs));

  let moved = true;
  const observe: SyncDeps["observe"] = (page) => {
    moved = true;
    deps.observe?.(page);
  };
  const report = async () => {
    if (!moved) return;
    moved = false;
    options.onProgress?.(await progressOf(deps, account));
  };
  const reporter = setInterval(() => void report().catch(() => undefined), reportIntervalMs);
  try {
    const unfinished = await readAll({ ...deps, observe }, account, { ...options, horizonMs });
    return { ...(await progressOf(deps, account)), unfinished };
  } finally {
    clearInterval(reporter);
  }
}

async function readAll(
  deps: SyncDeps,
  account: SyncAccount,
  { horizonMs, signal, onWait }: SyncOnceOptions & { horizonMs: number },
): Promise<Unfinished | null> {
  const bell = createBell(deps.sleep);
  const walkers = createWalkers(deps, account, { bell, signal });
  let beganAtMs: number | null = null;
  try {
    for (;;) {
      const planFirst = walkers.wantPlan();
      const work = await throughRestarts(deps, account, signal, () =>
        lookAtWork(deps, account, { horizonMs, planFirst }),
      );
      walkers.assertSound();
      if (signal.aborted) return null;
      beganAtMs ??= work.nowMs;
      const next = decideNext(work, { walkers: walkers.count(), beganAtMs });
      if (next.end === "done") return null;
      if (next.end === "unanswered") walkers.assertDatabase();
      if (next.end !== null) return await explainUnfinished(deps, account, next.end, { ...work, beganAtMs });
      walkers.start(next.start);
      if (walkers.count() === 0 && work.lastError !== null) onWait?.(work.lastError);
      await bell.waitFor(next.waitMs, signal);
    }
  } finally {
    await walkers.stop();
  }
}

/** Extends the plan if that is due, and looks at what there is to do. */
async function lookAtWork(
  deps: SyncDeps,
  account: SyncAccount,
  { horizonMs, planFirst }: { horizonMs: number; planFirst: boolean },
): Promise<AccountWork> {
  const asking = { id: account.id, credentials: account.credentials?.fingerprint ?? "" };
  const { requestsMax } = deps.settings;
  const plan = () => planAccount(deps, account.id, { reread: false, liveMinMs: 1, horizonMs });
  if (planFirst) await plan();
  for (;;) {
    const work = await readAccountWork(deps.database, asking, { horizonMs, requestsMax });
    // Check for open windows first and for something to plan second: the other way round, the last seal could fall in between.
    if (work.open > 0 || (await plan()) === 0) return work;
  }
}

/** A restarting database is back soon, so the work is simply tried again. */
async function throughRestarts<T>(
  deps: SyncDeps,
  account: SyncAccount,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!isTransient(error) || tries >= databaseTriesMax || signal.aborted) throw error;
      deps.log.warn({ event: "database_away", account: account.name, err: error });
      await deps.sleep(databaseWaitMs, signal).catch(() => undefined);
    }
  }
}

/** The walkers of one account, started when there is work for them; each ends when it finds nothing to claim. */
function createWalkers(
  deps: SyncDeps,
  account: SyncAccount,
  { bell, signal }: { bell: Bell; signal: AbortSignal },
) {
  const { requestsMax } = deps.settings;
  const leaving = new AbortController();
  const running = new Set<Promise<void>>();
  let walkedSincePlan = requestsMax;
  let failure: unknown = null;
  let databaseError: unknown = null;

  const onWalked = () => {
    walkedSincePlan++;
    // The window may have been split, or the pace raised: there may be work for one more walker.
    if (walkedSincePlan >= requestsMax || running.size < requestsMax) bell.ring();
  };
  async function walk(): Promise<void> {
    try {
      await workAccount(deps, account, AbortSignal.any([signal, leaving.signal]), onWalked);
      walkedSincePlan = requestsMax;
      databaseError = null;
    } catch (error) {
      if (!isTransient(error)) return void (failure ??= error);
      // The window continues from its last stored page once the database is back.
      deps.log.warn({ event: "database_away", account: account.name, err: error });
      databaseError = error;
      await deps.sleep(databaseWaitMs, signal).catch(() => undefined);
    }
  }
  return {
    count: () => running.size,
    start(count: number): void {
      for (let n = 0; n < count; n++) {
        const walker = walk().finally(() => {
          running.delete(walker);
          bell.ring();
        });
        running.add(walker);
      }
    },
    /** The plan holds three windows for each walker; it is extended when a third of them may be used up, or all are. */
    wantPlan(): boolean {
      if (walkedSincePlan < requestsMax) return false;
      walkedSincePlan = 0;
      return true;
    },
    /** Throws if a walker failed in a way that another try cannot fix. */
    assertSound(): void {
      if (failure !== null) throw failure;
    },
    /** What looks like a silent aggregator may be a database that accepts nothing. */
    assertDatabase(): void {
      if (databaseError !== null) throw databaseError;
    },
    /** Releases what is still being walked. */
    async stop(): Promise<void> {
      leaving.abort();
      await Promise.all(running);
    },
  };
}

async function progressOf(deps: SyncDeps, account: SyncAccount): Promise<SyncProgress> {
  const [windows, coverage] = await Promise.all([
    countWindows(deps.database, account.id),
    readCoverage(deps.database, account.id),
  ]);
  return { account: account.name, windows, coverage };
}
