import { DAY } from "../core/duration.ts";
import { formatInstant } from "../core/instant.ts";
import {
  allLevels,
  cutIntoWindows,
  lookbackRange,
  planWindows,
  splitRange,
  type TimeRange,
} from "../core/window.ts";
import type { Queryable } from "../store/database.ts";
import {
  isReadAgainThisMonth,
  lastLookbacks,
  lastWindowEnd,
  listReadOnce,
  readDensity,
} from "../store/windows/past-readings.ts";
import {
  extendPlan,
  insertWindows,
  type PlanStateNow,
  readPlanState,
  type WindowToPlan,
} from "../store/windows/sync-windows.ts";
import { beginAgain } from "../store/windows/window-failures.ts";
import type { SyncDeps } from "./deps.ts";

type PlanDeps = Pick<SyncDeps, "database" | "settings">;

/** Backfill windows kept ahead of the walkers, so that none of them has to wait for a plan. */
const backfillAheadPerWalker = 3;

export interface PlanOptions {
  /** Also plan second readings: the levels of the lookback, and open transactions. */
  reread: boolean;
  /** Live windows shorter than this wait for the next round. */
  liveMinMs?: number;
  /** Plan nothing newer than this. Without it, the clock decides. */
  horizonMs?: number;
}

/** Plans everything that is due. Safe to call at any time, by anyone, any number of times. */
export async function planAccount(
  deps: PlanDeps,
  accountId: number,
  options: PlanOptions = { reread: true },
): Promise<number> {
  const { intervalMs, requestsMax } = deps.settings;
  return extendPlan(deps.database, accountId, async (state, tx) => {
    const once = planWindows(
      state,
      {
        lagMs: 0, // the horizon includes it
        liveMinMs: options.liveMinMs ?? intervalMs / 2,
        backfillAhead: requestsMax * backfillAheadPerWalker,
      },
      options.horizonMs ?? horizonOf(deps, state),
    );
    const { planned } = state;
    if (!options.reread || planned === null) return once;
    const lookback = await lookbackDue(deps, tx, accountId, { ...state, planned });
    return [...once, ...lookback, ...(await refreshDue(deps, tx, accountId, state))];
  });
}

/** How far an account should be read now: to the end of its plan, or further if the clock allows. */
export async function readHorizon(deps: PlanDeps, accountId: number): Promise<number> {
  const state = await readPlanState(deps.database, accountId);
  return Math.max(horizonOf(deps, state), state.planned?.toMs ?? 0);
}

/** Records need time to become visible, and the aggregator's clock may be behind. */
function horizonOf({ settings }: PlanDeps, { nowMs, behindMs }: PlanStateNow): number {
  return nowMs - settings.lagMs - behindMs;
}

/** The levels of the lookback that are due. */
async function lookbackDue(
  deps: PlanDeps,
  tx: Queryable,
  accountId: number,
  state: PlanStateNow & { planned: TimeRange },
): Promise<WindowToPlan[]> {
  const { lookbackMs, intervalMs } = deps.settings;
  const options = { baseMs: 2 * intervalMs, lookbackMs, intervalMs };
  const last = await lastLookbacks(tx, accountId, state.nowMs - 2 * lookbackMs);
  const windows: WindowToPlan[] = [];
  for (let level = 0; ; level++) {
    const reading = { nowMs: horizonOf(deps, state), lastReading: last.get(level) ?? null };
    const range = lookbackRange(level, options, reading);
    if (range === "beyond" || (range !== "not_due" && range.toMs <= state.startMs)) return windows;
    if (range === "not_due") continue;
    // What has never been read is backfill, and planned as such.
    const fromMs = Math.max(range.fromMs, state.planned.fromMs);
    if (fromMs < range.toMs) windows.push({ kind: "lookback", level, fromMs, toMs: range.toMs });
  }
}

/** The refresh of open transactions, since the last one. */
async function refreshDue(
  { settings }: PlanDeps,
  tx: Queryable,
  accountId: number,
  { nowMs }: PlanStateNow,
): Promise<WindowToPlan[]> {
  const fromMs = (await lastWindowEnd(tx, accountId, "refresh")) ?? nowMs - settings.intervalMs;
  return nowMs - fromMs < settings.intervalMs / 2 ? [] : [{ kind: "refresh", fromMs, toMs: nowMs }];
}

/** Plans a second reading of the whole lookback up to `horizonMs`, and of every open transaction. */
export async function planReadAgain(deps: PlanDeps, accountId: number, horizonMs: number): Promise<number> {
  return extendPlan(deps.database, accountId, async (state, tx) => {
    const lookback = { fromMs: horizonMs - deps.settings.lookbackMs, toMs: horizonMs };
    await beginAgain(tx, accountId, lookback.fromMs);
    const ranges = await listReadOnce(tx, accountId, lookback);
    const density = await readDensity(tx, accountId, lookback);
    const windows = ranges
      .flatMap((range) => cutIntoWindows(range, density))
      .map((range) => ({ kind: "lookback" as const, level: allLevels, ...range }));
    const fromMs = (await lastWindowEnd(tx, accountId, "refresh")) ?? state.nowMs - 1;
    const toMs = Math.max(state.nowMs, fromMs + 1);
    return [...windows, { kind: "refresh", level: allLevels, fromMs, toMs }];
  });
}

/** Read again every night, to find records that appear later than the lookback; and, once a month, further back. */
const nightlyDays = 35;
const monthlyDays = 90;

/** The service may be off on any night, so the longer read is made on the first night of a month on which it runs. */
export async function planNightlyRead(deps: PlanDeps, accountId: number): Promise<void> {
  const { planned, startMs, nowMs } = await readPlanState(deps.database, accountId);
  if (planned === null) return;
  const fromMs = Math.max(startMs, planned.fromMs, nowMs - monthlyDays * DAY);
  const older = { fromMs, toMs: nowMs - nightlyDays * DAY };
  const isDue = fromMs < older.toMs && !(await isReadAgainThisMonth(deps.database, accountId, older));
  await planDeepRead(deps, accountId, isDue ? monthlyDays : nightlyDays);
}

interface DeepPlan {
  plannedAt: string;
  /** `null`: nothing of what was asked for has been read yet. */
  range: TimeRange | null;
  /** False if windows of an earlier plan, not read yet, overlap the range. */
  isWhole: boolean;
}

/**
 * Plans to read the last `days` again, or what `asked` names, and compare, a day at a time: each is sealed, and reported, on
 * its own. The range is what of it has been read at all.
 */
export async function planDeepRead(
  deps: Pick<SyncDeps, "database" | "settings">,
  accountId: number,
  days: number,
  asked: { fromMs?: number; toMs?: number } = {},
): Promise<DeepPlan> {
  const { planned, startMs, nowMs, behindMs } = await readPlanState(deps.database, accountId);
  const nothing = { plannedAt: formatInstant(nowMs), range: null, isWhole: true };
  if (planned === null) return nothing;
  const toMs = Math.min(planned.toMs, nowMs - deps.settings.lagMs - behindMs, asked.toMs ?? Infinity);
  const fromMs = Math.max(startMs, planned.fromMs, asked.fromMs ?? toMs - days * DAY);
  if (fromMs >= toMs) return nothing;
  const parts = splitRange({ fromMs, toMs }, Math.max(1, Math.ceil((toMs - fromMs) / DAY)));
  const windows = await insertWindows(
    deps.database,
    accountId,
    parts.map(({ fromMs: partFrom, toMs: partTo }) => ({
      kind: "deep" as const,
      fromMs: partFrom,
      toMs: partTo,
    })),
  );
  return { ...nothing, range: { fromMs, toMs }, isWhole: windows === parts.length };
}
