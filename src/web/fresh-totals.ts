import { setTimeout as sleep } from "node:timers/promises";
import { SECOND } from "../core/duration.ts";
import { utc, type Zone } from "../core/zone.ts";
import { filterWords, totalsAsOf } from "../store/books/overview-reads.ts";
import { refreshDailyTotals } from "../store/transactions/daily-totals.ts";
import type { FilterChoices, Visitor, Web } from "./deps.ts";

/** The longest that a page waits for totals to be brought up to date; then it says how old they are, and the next one has them. */
const patienceMs = 80;
/** Before the first time there are none at all, and a first look without figures is of no use. */
const firstPatienceMs = 1 * SECOND;
export const totalsKeepMs = 15 * SECOND;

/** Brings the daily totals up to date when they are older than a few seconds, and gives up waiting soon. */
export async function freshenTotals(web: Web, zone: Zone, firstWaitMs = firstPatienceMs): Promise<void> {
  const { database, log } = web.api.deps;
  const isMissing = async () => (await totalsAsOf({ database, accountIds: null }, zone.name)) === null;
  const refreshed = web.totals.get(`daily ${zone.name}`, async () => {
    const done = await refreshDailyTotals(database, { zone });
    // A worker that is adding up does not know of a zone that was never looked at.
    return done === null && (await isMissing()) ? refreshDailyTotals(database, { zone, waits: true }) : done;
  });
  const settled = refreshed.then(
    () => undefined,
    (error: unknown) => log.error({ event: "totals_not_refreshed", err: error }),
  );
  const isSettled = await Promise.race([settled.then(() => true), sleep(patienceMs, false, { ref: false })]);
  if (isSettled || !(await isMissing())) return;
  await Promise.race([settled, sleep(firstWaitMs, undefined, { ref: false })]);
}

export async function choicesFor(web: Web, visitor: Visitor): Promise<FilterChoices> {
  await freshenTotals(web, utc);
  const { accountIds } = visitor.caller;
  const key = accountIds === null ? "all" : accountIds.join(",");
  const choices = await web.choices.get(key, () => filterWords(visitor.reader));
  // Nothing to choose from yet is nothing to remember.
  if (choices.providers.length === 0) web.choices.forget(key);
  return choices;
}
