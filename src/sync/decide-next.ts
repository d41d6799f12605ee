import { MINUTE, SECOND } from "../core/duration.ts";
import type { AccountWork } from "../store/windows/sync-duties.ts";

/** After this long without an answer the aggregator counts as unreachable: `sync --once` ends and says so. */
export const patienceMs = 2 * MINUTE;
/** How often to look at the windows while someone is walking them: other processes don't notify us. */
const lookAgainMs = 1 * SECOND;

export type GiveUp = "refused" | "paused" | "told_to_wait" | "unanswered" | "failed";

type Decision = { end: GiveUp | "done" } | { end: null; start: number; waitMs: number };

/**
 * What `sync --once` does next: start walkers and wait, or end. It ends as soon as it is certain that nothing more can be
 * read before its patience runs out.
 */
export function decideNext(
  work: AccountWork,
  ours: { walkers: number; /** When it began, by the database's clock. */ beganAtMs: number },
): Decision {
  if (work.open === 0) return { end: "done" };
  if (work.state === "paused") return { end: "paused" };
  if (work.refused) return { end: "refused" };

  const answeredAtMs = Math.max(ours.beganAtMs, work.answeredAtMs ?? 0);
  const patienceLeftMs = answeredAtMs + patienceMs - work.nowMs;
  const byOthers = Math.max(0, work.walking - ours.walkers);
  const wanted = Math.min(work.claimable + work.walking, work.leasesMax) - byOthers;
  const start = work.waitMs > 0 ? 0 : Math.max(0, wanted - ours.walkers);
  if (start + ours.walkers + work.walking > 0) {
    if (patienceLeftMs <= 0) return { end: "unanswered" };
    return { end: null, start, waitMs: lookAgainMs };
  }
  const nextMs = Math.max(work.waitMs, work.claimable > 0 ? 0 : (work.dueInMs ?? 0));
  if (nextMs <= patienceLeftMs) return { end: null, start: 0, waitMs: Math.ceil(nextMs) };
  if (work.waitMs > patienceLeftMs) return { end: "told_to_wait" };
  return { end: answeredAtMs > ours.beganAtMs ? "failed" : "unanswered" };
}
