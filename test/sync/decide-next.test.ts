import { describe, expect, test } from "vitest";
import { MINUTE, SECOND } from "../../src/core/duration.ts";
import type { AccountWork } from "../../src/store/windows/sync-duties.ts";
import { decideNext, patienceMs } from "../../src/sync/decide-next.ts";

const beganAtMs = Date.UTC(2026, 2, 1);

/** An account with ten windows to be read, whose aggregator has just answered. */
function work(over: Partial<AccountWork>): AccountWork {
  return {
    open: 10,
    claimable: 10,
    walking: 0,
    leasesMax: 4,
    dueInMs: null,
    waitMs: 0,
    nowMs: beganAtMs + MINUTE,
    answeredAtMs: beganAtMs + MINUTE,
    refused: false,
    state: "active",
    reason: null,
    lastError: null,
    ...over,
  };
}

const decide = (over: Partial<AccountWork>, walkers = 0) => decideNext(work(over), { walkers, beganAtMs });

describe("what sync --once does next", () => {
  test("is to start as many walkers as the aggregator bears and there are windows for", () => {
    expect(decide({})).toMatchObject({ end: null, start: 4 });
    expect(decide({ claimable: 2 })).toMatchObject({ start: 2 });
    expect(decide({ walking: 3, claimable: 7 }, 3)).toMatchObject({ start: 1 });
    // Three walk for another process.
    expect(decide({ walking: 3, claimable: 7 })).toMatchObject({ start: 1 });
    // Ours were started and have claimed nothing yet.
    expect(decide({}, 4)).toMatchObject({ start: 0 });
    expect(decide({ walking: 4, claimable: 6 }, 4)).toMatchObject({ start: 0 });
  });

  test("is to end when nothing is left, however long the aggregator has been silent", () => {
    expect(decide({ open: 0, claimable: 0, answeredAtMs: null, nowMs: beganAtMs + 9 * MINUTE })).toEqual({
      end: "done",
    });
  });

  test("is to wait for the first window that is due, and not to look before", () => {
    expect(decide({ claimable: 0, dueInMs: 1_234.5 })).toEqual({ end: null, start: 0, waitMs: 1_235 });
    expect(decide({ waitMs: 30 * SECOND })).toEqual({ end: null, start: 0, waitMs: 30 * SECOND });
  });

  test("is to look again in a second while someone walks", () => {
    expect(decide({ walking: 1, claimable: 0, dueInMs: MINUTE })).toEqual({
      end: null,
      start: 0,
      waitMs: SECOND,
    });
  });

  test("is to end at once when the key was refused, or a person paused the account", () => {
    expect(decide({ refused: true, walking: 2 }, 2)).toEqual({ end: "refused" });
    expect(decide({ state: "paused" })).toEqual({ end: "paused" });
    // Refused with other credentials than ours: one request finds out.
    expect(decide({ state: "refused", leasesMax: 1 })).toMatchObject({ end: null, start: 1 });
  });

  test("is to end at once when nothing is due before its patience is over", () => {
    expect(decide({ waitMs: patienceMs + 1 })).toEqual({ end: "told_to_wait" });
    expect(decide({ claimable: 0, dueInMs: patienceMs + 1 })).toEqual({ end: "failed" });
    expect(decide({ claimable: 0, dueInMs: patienceMs + 1, answeredAtMs: null })).toEqual({
      end: "unanswered",
    });
    // Half of it is used up.
    const half = { answeredAtMs: beganAtMs - 9 * MINUTE, nowMs: beganAtMs + patienceMs / 2 };
    expect(decide({ ...half, claimable: 0, dueInMs: patienceMs / 2 })).toMatchObject({ end: null });
    expect(decide({ ...half, claimable: 0, dueInMs: patienceMs / 2 + 1 })).toEqual({ end: "unanswered" });
  });

  test("is to end when no request has been answered for as long as its patience, also while some are under way", () => {
    const silent = { answeredAtMs: beganAtMs, nowMs: beganAtMs + patienceMs };
    expect(decide({ ...silent, walking: 2, claimable: 0 }, 2)).toEqual({ end: "unanswered" });
    expect(decide({ ...silent, nowMs: silent.nowMs - 1, walking: 2, claimable: 0 }, 2)).toMatchObject({
      end: null,
    });
  });
});
