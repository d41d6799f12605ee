import { setTimeout as sleep } from "node:timers/promises";
import { SECOND } from "../core/duration.ts";
import { filterWords, totalsAsOf } from "../store/books/overview-reads.ts";
import { refreshDailyTotals } from "../store/transactions/daily-totals.ts";
import type { FilterChoices, Visitor, Web } from "./deps.ts";

/** Nobody waits longer for totals to be brought up to date; the page says how old they are, and the next one has them. */
const patienceMs = 80;
/** Before the first time there are none at all, and a first look without figures helps nobody. */
const firstPatienceMs = 1 * SECOND;
export const totalsKeepMs = 15 * SECOND;

const seenFresh = new WeakSet<Web>();

/** Brings the daily totals up to date when they are older than a few seconds, and gives up waiting soon. */
export async function freshenTotals(web: Web): Promise<void> {
  const refreshed = web.totals.get("daily", () => refreshDailyTotals(web.api.deps.database));
  const settled = refreshed.then(
    () => void seenFresh.add(web),
    (error: unknown) => web.api.deps.log.error({ event: "totals_not_refreshed", err: error }),
  );
  await Promise.race([settled, sleep(patienceMs, undefined, { ref: false })]);
  if (
    seenFresh.has(web) ||
    (await totalsAsOf({ database: web.api.deps.database, accountIds: null })) !== null
  )
    return;
  await Promise.race([settled, sleep(firstPatienceMs, undefined, { ref: false })]);
}

export async function choicesFor(web: Web, visitor: Visitor): Promise<FilterChoices> {
  await freshenTotals(web);
  const { accountIds } = visitor.caller;
  const key = accountIds === null ? "all" : accountIds.join(",");
  const choices = await web.choices.get(key, () => filterWords(visitor.reader));
  // Nothing to choose from yet is nothing to remember.
  if (choices.providers.length === 0) web.choices.forget(key);
  return choices;
}
