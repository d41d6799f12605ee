import { earliestMs, formatInstant, type Instant, instantMs } from "../core/instant.ts";
import type { WindowLease } from "../store/windows/window-leases.ts";

/** The inclusivity of the bounds is not shown, so we ask for 1 ms more on both sides; duplicates cost nothing. */
const paddingMs = 1;

/** From when to when the aggregator is asked for a window. */
export function askedRange(lease: WindowLease): { from: Instant; to: Instant } {
  return {
    from: formatInstant(Math.max(instantMs(lease.from) - paddingMs, earliestMs)),
    to: formatInstant(instantMs(lease.to) + paddingMs),
  };
}
