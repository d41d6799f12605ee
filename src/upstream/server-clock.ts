/**
 * What the `Date` headers of a server tell of its clock. A header has whole seconds, and was written at some moment
 * between the sending of the request and the end of the answer; so a header only gives a range.
 */
import type { Attempt } from "./http.ts";

/** Between these two times, in milliseconds since 1970, stands the server's clock now. */
export interface ServerNow {
  readonly earliestMs: number;
  readonly latestMs: number;
}

const headerStepMs = 1_000;

export function createServerClock(now: () => number): {
  note(attempt: Attempt): void;
  /** `null` as long as no answer carried a date. */
  read(): ServerNow | null;
} {
  let ahead: { minMs: number; maxMs: number } | null = null;
  return {
    note: ({ serverDateMs, sentAtMs, endedAtMs }) => {
      if (serverDateMs === null) return;
      ahead = { minMs: serverDateMs - endedAtMs, maxMs: serverDateMs + headerStepMs - sentAtMs };
    },
    read: () => ahead && { earliestMs: now() + ahead.minMs, latestMs: now() + ahead.maxMs },
  };
}
