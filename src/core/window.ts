import { DAY, HOUR, SECOND } from "./duration.ts";

/** A half-open time range `[fromMs, toMs)`. */
export interface TimeRange {
  fromMs: number;
  toMs: number;
}

/** The level of a reading that spreads nothing over time: the whole lookback, or every open transaction, at once. */
export const allLevels = -1;

/** What planning looks at: how far windows reach already, and how dense records were where we have read. */
export interface PlanState {
  startMs: number;
  /** Extent of all live and backfill windows so far; `null` when there is none. */
  planned: TimeRange | null;
  /** Records per second, newest first in mind; `null` before the first window was sealed. */
  density: number | null;
  /** Backfill windows that wait or are being walked. */
  backfillOpen: number;
  /** Live and backfill windows that failed, and are tried again later. */
  failed: number;
}

export interface PlanOptions {
  lagMs: number;
  /** Live windows shorter than this wait for the next round. */
  liveMinMs: number;
  /** How many backfill windows to keep ahead of the walkers. */
  backfillAhead: number;
}

export interface PlannedWindow extends TimeRange {
  kind: "live" | "backfill";
}

/** A window of some twenty pages: its last, half-empty page weighs little, and a crash repeats little. */
export const recordsPerWindow = 1_000;
const firstWindowMs = 1 * HOUR;
const windowMaxMs = 7 * DAY;
const windowMinMs = 1 * SECOND;
/** A bound on one round of planning after a long absence; the next round continues. */
const liveWindowsMax = 500;

/**
 * Extends the plan at both ends: forward to the clock, backward to the start. Neighbours share their edge, so that the
 * union has no gap and no overlap, whatever the sequence of rounds and clock values.
 */
export function planWindows(state: PlanState, options: PlanOptions, nowMs: number): PlannedWindow[] {
  const horizonMs = nowMs - options.lagMs;
  const windows: PlannedWindow[] = [];
  let planned = state.planned;

  if (planned === null) {
    if (horizonMs <= state.startMs) return [];
    planned = { fromMs: Math.max(state.startMs, horizonMs - firstWindowMs), toMs: horizonMs };
    windows.push({ kind: "live", ...planned });
  } else if (horizonMs - planned.toMs >= options.liveMinMs) {
    const sizeMs = windowMs(state.density);
    for (let fromMs = planned.toMs; fromMs < horizonMs && windows.length < liveWindowsMax;) {
      const toMs = Math.min(fromMs + sizeMs, horizonMs);
      windows.push({ kind: "live", fromMs, toMs });
      fromMs = toMs;
    }
  }

  // Until the first window is sealed nothing is known of the density, and a guess could be off by a factor of 1,000. One
  // that fails must not hold up all the others, though: some are tried then, and those that fail as well count.
  if (state.density !== null) windows.push(...planBackfill(state, planned, options));
  else if (state.failed > 0)
    windows.push(
      ...planBackfill({ ...state, backfillOpen: state.backfillOpen + state.failed }, planned, options),
    );
  return windows;
}

function planBackfill(state: PlanState, planned: TimeRange, options: PlanOptions): PlannedWindow[] {
  const windows: PlannedWindow[] = [];
  const sizeMs = windowMs(state.density);
  let toMs = planned.fromMs;
  while (toMs > state.startMs && state.backfillOpen + windows.length < options.backfillAhead) {
    const fromMs = Math.max(state.startMs, toMs - sizeMs);
    windows.push({ kind: "backfill", fromMs, toMs });
    toMs = fromMs;
  }
  return windows;
}

/** Cuts a range into windows of a few pages each, as far as the density of records tells. */
export function cutIntoWindows(range: TimeRange, density: number | null): TimeRange[] {
  return splitRange(range, Math.ceil((range.toMs - range.fromMs) / windowMs(density)));
}

function windowMs(density: number | null): number {
  if (density === null) return firstWindowMs;
  const wantedMs = density > 0 ? (recordsPerWindow / density) * SECOND : windowMaxMs;
  return Math.round(Math.min(windowMaxMs, Math.max(windowMinMs, wantedMs)));
}

/** Cuts a window into parts with the same union. A window of a single millisecond cannot be cut. */
export function splitRange(range: TimeRange, parts: number): TimeRange[] {
  const widthMs = range.toMs - range.fromMs;
  const count = Math.min(parts, widthMs);
  const edge = (index: number) => range.fromMs + Math.floor((widthMs * index) / count);
  return Array.from({ length: count }, (_, index) => ({ fromMs: edge(index), toMs: edge(index + 1) }));
}

/** The last reading of a level of the lookback. */
export interface LookbackReading {
  toMs: number;
  /** How long before it something was last found late at this level, less than 0 if by itself; `null` for never. */
  quietMs: number | null;
}

/**
 * Lookback. A status may change late, and most often soon: so the recent past is read again often, the older past
 * seldom. Level n reads what is between `base·2ⁿ` and twice as old, once in its own length and each time from where the
 * last reading ended; so each moment is read again some log₂(lookback / base) times, whatever the volume, and none
 * slips between two rounds that come late. The highest level ends at the lookback, and so comes round sooner.
 *
 * A level where something was found late is read again after an eighth of its length, all of it; each reading that
 * finds nothing doubles the wait, until it is the length again.
 */
export function lookbackRange(
  level: number,
  options: { baseMs: number; lookbackMs: number; intervalMs: number },
  state: { nowMs: number; lastReading: LookbackReading | null },
): TimeRange | "not_due" | "beyond" {
  const youngMs = options.baseMs * 2 ** level;
  if (youngMs >= options.lookbackMs) return "beyond";
  const isHighest = youngMs * 2 >= options.lookbackMs;
  const widthMs = isHighest ? options.lookbackMs - youngMs : youngMs;
  const toMs = state.nowMs - youngMs;
  if (state.lastReading === null) return { fromMs: toMs - widthMs, toMs };
  const { toMs: readToMs, quietMs } = state.lastReading;
  const soonestMs = Math.max(options.intervalMs, widthMs / 8);
  // To wait as long again as nothing was found doubles the wait with every reading.
  const waitMs = Math.min(widthMs, Math.max(soonestMs, quietMs ?? widthMs));
  if (toMs - readToMs < waitMs) return "not_due";
  // After an outage each level would read the whole of it; what is much too old for one is left to the highest.
  const oldestMs = isHighest ? Number.NEGATIVE_INFINITY : toMs - 4 * widthMs;
  return { fromMs: Math.max(oldestMs, Math.min(readToMs, toMs - widthMs)), toMs };
}
