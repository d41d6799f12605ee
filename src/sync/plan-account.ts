import { DAY } from "../core/duration.ts";
import { formatInstant } from "../core/instant.ts";
import { lookbackRange, planWindows, splitRange } from "../core/window.ts";
import {
  extendPlan,
  insertWindows,
  lastWindowEnd,
  lookbackEnds,
  readPlanState,
} from "../store/windows/sync-windows.ts";
import type { SyncDeps } from "./deps.ts";

/** Backfill windows kept ahead of the walkers, so that none of them has to wait for a plan. */
const backfillAheadPerWalker = 3;

/** Plans what the clock and the past ask for. Safe to call at any time, by anyone, any number of times. */
export async function planAccount(
  deps: Pick<SyncDeps, "database" | "settings">,
  accountId: number,
  options: { reread: boolean; liveMinMs?: number } = { reread: true },
): Promise<number> {
  const { lagMs, intervalMs, requestsMax } = deps.settings;
  const extended = await extendPlan(deps.database, accountId, (state) =>
    planWindows(
      state,
      {
        lagMs: lagMs + state.behindMs,
        liveMinMs: options.liveMinMs ?? intervalMs / 2,
        backfillAhead: requestsMax * backfillAheadPerWalker,
      },
      state.nowMs,
    ),
  );
  return extended + (options.reread ? await planRereads(deps, accountId) : 0);
}

/** Lookback of every level that is due, and the refresh of open transactions since the last one. */
async function planRereads(
  deps: Pick<SyncDeps, "database" | "settings">,
  accountId: number,
): Promise<number> {
  const { lagMs, lookbackMs, intervalMs } = deps.settings;
  const { planned, startMs, nowMs, behindMs } = await readPlanState(deps.database, accountId);
  if (planned === null) return 0;
  const baseMs = 2 * intervalMs;
  const readTo = await lookbackEnds(deps.database, accountId, nowMs - 2 * lookbackMs);
  const windows: Parameters<typeof insertWindows>[2][number][] = [];
  for (let level = 0; ; level++) {
    const state = { nowMs: nowMs - lagMs - behindMs, readToMs: readTo.get(level) ?? null };
    const range = lookbackRange(level, { baseMs, lookbackMs }, state);
    if (range === "beyond" || (range !== "not_due" && range.toMs <= startMs)) break;
    if (range === "not_due") continue;
    // What has not been read once is backfill, and comes by itself.
    const fromMs = Math.max(range.fromMs, planned.fromMs);
    if (fromMs >= range.toMs) continue;
    windows.push({ kind: "lookback", level, fromMs, toMs: range.toMs });
  }
  return (
    (await insertWindows(deps.database, accountId, windows)) + (await planRefresh(deps, accountId, nowMs))
  );
}

async function planRefresh(
  deps: Pick<SyncDeps, "database" | "settings">,
  accountId: number,
  nowMs: number,
): Promise<number> {
  const toMs = Math.floor(nowMs);
  const lastMs = await lastWindowEnd(deps.database, accountId, "refresh");
  const fromMs = lastMs ?? toMs - deps.settings.intervalMs;
  if (toMs - fromMs < deps.settings.intervalMs / 2) return 0;
  return insertWindows(deps.database, accountId, [{ kind: "refresh", fromMs, toMs }]);
}

/** Reads the last `days` again and compares. In parts of a day: each is sealed, and reports, by itself. */
export async function planDeepRead(
  deps: Pick<SyncDeps, "database" | "settings">,
  accountId: number,
  days: number,
): Promise<{ windows: number; plannedAt: string }> {
  const { planned, startMs, nowMs, behindMs } = await readPlanState(deps.database, accountId);
  const plannedAt = formatInstant(nowMs);
  if (planned === null) return { windows: 0, plannedAt };
  const toMs = Math.min(planned.toMs, nowMs - deps.settings.lagMs - behindMs);
  const fromMs = Math.max(startMs, planned.fromMs, toMs - days * DAY);
  if (fromMs >= toMs) return { windows: 0, plannedAt };
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
  return { windows, plannedAt };
}
