import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/core/duration.ts";
import {
  lookbackRange,
  planWindows,
  splitRange,
  type PlannedWindow,
  type TimeRange,
} from "../../src/core/window.ts";

const start = Date.UTC(2026, 0, 1);
const options = { lagMs: 30 * SECOND, liveMinMs: 30 * SECOND, backfillAhead: 48 };

describe("planning", () => {
  test("begins with the last hour, and goes back to the start once it knows how dense records are", () => {
    const first = planWindows(
      { startMs: start, planned: null, density: null, backfillOpen: 0, failed: 0 },
      options,
      start + DAY,
    );
    expect(first).toEqual([
      { kind: "live", fromMs: start + DAY - 30 * SECOND - HOUR, toMs: start + DAY - 30 * SECOND },
    ]);
    const planned = first[0] as TimeRange;
    expect(
      planWindows(
        { startMs: start, planned, density: null, backfillOpen: 0, failed: 0 },
        options,
        start + DAY,
      ),
    ).toEqual([]);
    // A record a second makes windows of 1,000 seconds.
    const next = planWindows(
      { startMs: start, planned, density: 1, backfillOpen: 46, failed: 0 },
      options,
      start + DAY,
    );
    expect(next).toEqual([
      { kind: "backfill", fromMs: planned.fromMs - 1_000_000, toMs: planned.fromMs },
      { kind: "backfill", fromMs: planned.fromMs - 2_000_000, toMs: planned.fromMs - 1_000_000 },
    ]);
  });

  test("a first window that failed lets some of the past be tried, in hours; those that fail count", () => {
    const planned = { fromMs: start + DAY - HOUR, toMs: start + DAY };
    const state = { startMs: start, planned, density: null, backfillOpen: 0, failed: 1 };
    const windows = planWindows(state, options, start + DAY + options.lagMs);
    expect(windows).toHaveLength(Math.min(23, options.backfillAhead - 1));
    expect(new Set(windows.map(({ fromMs, toMs }) => toMs - fromMs))).toEqual(new Set([HOUR]));
    const allFailed = { ...state, failed: options.backfillAhead };
    expect(planWindows(allFailed, options, start + DAY + options.lagMs)).toEqual([]);
  });

  test("has no gap and no overlap, for any sequence of rounds, densities and clock values", () => {
    const round = fc.record({
      clockMs: fc.integer({ min: -2 * DAY, max: 3 * DAY }),
      density: fc.option(fc.double({ min: 0, max: 1_000, noNaN: true })),
      backfillOpen: fc.nat(60),
      lagMs: fc.constantFrom(0, 30 * SECOND, HOUR),
      liveMinMs: fc.constantFrom(1, 30 * SECOND),
    });
    fc.assert(
      fc.property(
        fc.array(round, { maxLength: 30 }),
        fc.integer({ min: -DAY, max: DAY }),
        (rounds, firstMs) => {
          let nowMs = start + firstMs;
          let planned: TimeRange | null = null;
          const windows: PlannedWindow[] = [];
          for (const { clockMs, density, backfillOpen, ...more } of rounds) {
            nowMs += clockMs;
            const added = planWindows(
              { startMs: start, planned, density, backfillOpen, failed: 0 },
              { ...options, ...more },
              nowMs,
            );
            const horizonMs = nowMs - more.lagMs;
            const isSound = ({ kind, fromMs, toMs }: PlannedWindow) =>
              fromMs < toMs &&
              Number.isInteger(fromMs) &&
              Number.isInteger(toMs) &&
              (kind === "backfill" || toMs <= horizonMs);
            expect(added.filter((window) => !isSound(window))).toEqual([]);
            windows.push(...added);
            planned = extentOf(windows);
            expectContiguous(windows);
            expect(planned?.fromMs ?? start).toBeGreaterThanOrEqual(start);
          }
        },
      ),
      { numRuns: 1_000 },
    );
  });

  test("reaches from the start to the clock in the end, whatever happened before", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 20 * DAY }), { minLength: 1, maxLength: 8 }),
        (steps) => {
          let nowMs = start + HOUR;
          const windows: PlannedWindow[] = [];
          const plan = () => {
            const state = {
              startMs: start,
              planned: extentOf(windows),
              density: 0.01,
              backfillOpen: 0,
              failed: 0,
            };
            return planWindows(state, { ...options, liveMinMs: 1 }, nowMs);
          };
          for (const step of steps) {
            nowMs += step;
            for (let added = plan(); added.length > 0; added = plan()) windows.push(...added);
          }
          expect(extentOf(windows)).toEqual({ fromMs: start, toMs: nowMs - options.lagMs });
          expectContiguous(windows);
        },
      ),
    );
  });
});

describe("splitting", () => {
  test("keeps the union: no instant is lost or doubled, however often a part is split again", () => {
    const range = fc
      .tuple(fc.integer({ min: 0, max: 10 * DAY }), fc.integer({ min: 1, max: 10 * DAY }))
      .map(([fromMs, widthMs]) => ({ fromMs: start + fromMs, toMs: start + fromMs + widthMs }));
    const cuts = fc.array(fc.record({ at: fc.nat(), parts: fc.integer({ min: 1, max: 64 }) }), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(range, cuts, (whole, splits) => {
        let parts = [whole];
        for (const { at, parts: count } of splits) {
          const index = at % parts.length;
          parts = parts.toSpliced(index, 1, ...splitRange(parts[index] as TimeRange, count));
        }
        expect(parts.every(({ fromMs, toMs }) => fromMs < toMs)).toBe(true);
        expect(extentOf(parts)).toEqual(whole);
        expectContiguous(parts);
      }),
      { numRuns: 1_000 },
    );
  });

  test("cannot cut a single millisecond", () => {
    expect(splitRange({ fromMs: start, toMs: start + 1 }, 8)).toEqual([{ fromMs: start, toMs: start + 1 }]);
    expect(splitRange({ fromMs: start, toMs: start + 3 }, 8).length).toBe(3);
  });
});

describe("looking back", () => {
  const lookback = { baseMs: 2 * MINUTE, lookbackMs: 7 * DAY, intervalMs: MINUTE };
  const readTo = (toMs: number, quietMs: number | null = null) => ({ toMs, quietMs });

  /** What a level reads in rounds that come after these delays. */
  function readAtLevel(level: number, delaysMs: readonly number[]): TimeRange[] {
    let nowMs = start;
    const read: TimeRange[] = [];
    for (const delayMs of delaysMs) {
      nowMs += delayMs;
      const last = read.at(-1);
      const range = lookbackRange(level, lookback, { nowMs, lastReading: last ? readTo(last.toMs) : null });
      if (range === "beyond") throw new Error(`there is no level ${level}`);
      if (range === "not_due") continue;
      expect(nowMs - range.toMs).toBeGreaterThanOrEqual(lookback.baseMs * 2 ** level);
      read.push(range);
    }
    return read;
  }

  test("reads every moment again at every level, however uneven the rounds are", () => {
    const level = fc.nat(12);
    const delays = fc.array(fc.integer({ min: 1, max: 2 * MINUTE }), { minLength: 20, maxLength: 200 });
    fc.assert(
      fc.property(level, delays, (at, delaysMs) => {
        const scaled = delaysMs.map((delayMs) => delayMs * 2 ** at);
        const read = readAtLevel(at, scaled);
        expect(read.length).toBeGreaterThan(0);
        expectContiguous(read);
      }),
      { numRuns: 300 },
    );
  });

  test("reads every moment at the highest level even after an outage; the others leave a long one to it", () => {
    const delays = fc.array(fc.integer({ min: MINUTE, max: 10 * DAY }), { minLength: 2, maxLength: 40 });
    fc.assert(
      fc.property(delays, (delaysMs) => expectContiguous(readAtLevel(12, delaysMs))),
      { numRuns: 300 },
    );
    const [, afterOutage] = readAtLevel(0, [MINUTE, 10 * DAY]);
    expect(afterOutage).toMatchObject({ toMs: start + MINUTE + 10 * DAY - 2 * MINUTE });
    expect((afterOutage?.toMs ?? 0) - (afterOutage?.fromMs ?? 0)).toBe(8 * MINUTE);
  });

  test("ends with a level that reaches as far as the lookback, and comes round before a moment slips past it", () => {
    const top = 12;
    const first = lookbackRange(top, lookback, { nowMs: start, lastReading: null });
    expect(first).toEqual({ fromMs: start - 7 * DAY, toMs: start - lookback.baseMs * 2 ** top });
    expect(lookbackRange(top + 1, lookback, { nowMs: start, lastReading: null })).toBe("beyond");
    const { toMs } = first as TimeRange;
    const widthMs = 7 * DAY - lookback.baseMs * 2 ** top;
    const lastReading = readTo(toMs);
    expect(lookbackRange(top, lookback, { nowMs: start + widthMs - 1, lastReading })).toBe("not_due");
    expect(lookbackRange(top, lookback, { nowMs: start + widthMs, lastReading })).toEqual({
      fromMs: toMs,
      toMs: toMs + widthMs,
    });
  });

  test("reads a level again soon where something was found late, all of it, and ever less often while nothing is", () => {
    const level = 9;
    const widthMs = lookback.baseMs * 2 ** level;
    /** When this level is read after a reading that found something, in eighths of its length. */
    const readAt: number[] = [];
    let last = readTo(start - widthMs, -SECOND);
    for (let nowMs = start; nowMs < start + 4 * widthMs; nowMs += MINUTE) {
      const range = lookbackRange(level, lookback, { nowMs, lastReading: last });
      if (range === "beyond" || range === "not_due") continue;
      expect(range).toEqual({ fromMs: nowMs - 2 * widthMs, toMs: nowMs - widthMs });
      readAt.push(Math.round(((nowMs - start) / widthMs) * 8));
      last = readTo(range.toMs, nowMs - start);
    }
    expect(readAt).toEqual([1, 2, 4, 8, 16, 24]);
  });

  test("reads the youngest level at every interval at most, whatever was found", () => {
    const last = readTo(start - 2 * MINUTE, -1);
    expect(lookbackRange(0, lookback, { nowMs: start + MINUTE - 1, lastReading: last })).toBe("not_due");
    expect(lookbackRange(0, lookback, { nowMs: start + MINUTE, lastReading: last })).toEqual({
      fromMs: start - 3 * MINUTE,
      toMs: start - MINUTE,
    });
  });
});

function extentOf(windows: readonly TimeRange[]): TimeRange | null {
  if (windows.length === 0) return null;
  return {
    fromMs: Math.min(...windows.map(({ fromMs }) => fromMs)),
    toMs: Math.max(...windows.map(({ toMs }) => toMs)),
  };
}

/** Laid side by side by their beginning, each ends where the next begins. */
function expectContiguous(windows: readonly TimeRange[]): void {
  const sorted = windows.toSorted((a, b) => a.fromMs - b.fromMs);
  for (const [at, window] of sorted.entries()) {
    const next = sorted[at + 1];
    if (next && next.fromMs !== window.toMs)
      throw new Error(`one ends at ${window.toMs}, the next begins at ${next.fromMs}`);
  }
}
