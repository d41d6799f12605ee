import { formatInstant } from "../core/instant.ts";
import { SECOND } from "../core/duration.ts";
import {
  aggregatorClockMaxMs,
  keepAggregatorClock,
  mayAskForClock,
} from "../store/accounts/aggregator-clocks.ts";
import type { SyncAccount, SyncDeps } from "./deps.ts";

/**
 * Compares the aggregator's clock with the database's, and stores the difference for all planners. If theirs is behind, we
 * would seal minutes that have not happened over there yet, so the plan stays that much further behind now.
 */
export async function compareClocks(
  deps: Pick<SyncDeps, "database" | "log">,
  account: SyncAccount,
  signal?: AbortSignal,
): Promise<void> {
  const { serverNow } = account.upstream;
  if (!serverNow) return;
  if (serverNow() === null) await askForDate(deps, account, signal);
  const told = serverNow();
  if (told === null) return;
  const { aheadMs } = await keepAggregatorClock(deps.database, account.id, told);
  if (Math.abs(aheadMs) <= aggregatorClockMaxMs) return;
  deps.log.warn({
    event: "aggregator_clock",
    account: account.name,
    offset_ms: Math.round(aheadMs),
    effect: aheadMs < 0 ? "live windows end that much earlier" : "none on what is read",
  });
}

/** Before the first window is planned there is no answer to take a date from, so ask for one second of the past. */
async function askForDate(
  deps: Pick<SyncDeps, "database" | "log">,
  account: SyncAccount,
  signal?: AbortSignal,
): Promise<void> {
  const { wanted, nowMs } = await mayAskForClock(deps.database, account.id);
  if (!wanted) return;
  const range = { from: formatInstant(nowMs - SECOND), to: formatInstant(nowMs), limit: 1 };
  // A refusal carries a date as well. The walkers will be refused too, and deal with it.
  await account.upstream
    .fetchPage(range, { attemptsMax: 1, ...(signal ? { signal } : {}) })
    .catch((error: unknown) =>
      deps.log.debug({ event: "aggregator_clock_unknown", account: account.name, err: error }),
    );
}
