import { replicaLagMaxMs } from "../store/replica.ts";

/** Who has written something lately: a replica may not show it yet, and who wrote it must see it. */
export interface OwnWrites {
  note(actor: string): void;
  areRecent(actor: string): boolean;
}

/** Longer than a replica may lag and still be asked. */
const recentMs = 2 * replicaLagMaxMs;
const actorsMax = 10_000;

/** Of this process alone: behind a load balancer, a caller's next request may go to another one. */
export function createOwnWrites(now: () => number): OwnWrites {
  // In the order of writing, so that the oldest come first.
  const wroteAtMs = new Map<string, number>();
  return {
    note(actor) {
      wroteAtMs.delete(actor);
      wroteAtMs.set(actor, now());
      for (const [oldest, atMs] of wroteAtMs) {
        if (now() - atMs < recentMs && wroteAtMs.size <= actorsMax) break;
        wroteAtMs.delete(oldest);
      }
    },
    areRecent: (actor) => now() - (wroteAtMs.get(actor) ?? Number.NEGATIVE_INFINITY) < recentMs,
  };
}
