import { setTimeout as sleep } from "node:timers/promises";
import { carryForward } from "../close/carry-forward.ts";
import { findPeriod, isOver, listPeriods, type Period } from "../close/period.ts";
import { checkPeriod, preparePeriod } from "../close/prepare.ts";
import { askToReadAgain } from "../close/read-again.ts";
import { approvePeriod } from "../close/sign.ts";
import { MINUTE, SECOND } from "../core/duration.ts";
import { formatInstant } from "../core/instant.ts";
import type { Database } from "../store/database.ts";
import type { Signer } from "../store/periods/period-writes.ts";
import type { CommandContext } from "./context.ts";

const preparer: Signer = { actor: "demo:preparer", name: "Paula (demo)" };
const approver: Signer = { actor: "demo:approver", name: "Anton (demo)" };
/** Why the month is signed all the same, as people would say it. */
const reasons: Record<string, string> = {
  statements: "the provider sends its statement later",
  payouts: "the providers were asked why these payouts differ",
  receipts: "the bank was asked what these are for",
  discrepancies: "the providers were asked; what they owe is corrected when they answer",
};
const readAgainMaxMs = 5 * MINUTE;
const lookEveryMs = 2 * SECOND;

/**
 * What someone sees of closing who starts without any configuration: the months that were over are closed, with their open
 * errors carried forward, and the last of them is prepared with its red lines accepted, for a second person to look at.
 */
export async function closeDemoMonths(
  deps: {
    context: Pick<CommandContext, "say" | "log" | "now">;
    database: Database;
    stopping: AbortSignal;
  },
  account: { id: number; name: string },
): Promise<void> {
  const { context, database, stopping } = deps;
  try {
    const now = formatInstant(context.now());
    const periods = await listPeriods({ database, accountIds: [account.id] }, now);
    const over = periods.filter((period) => isOver(period, now));
    // Whatever someone has done here since the first start is theirs.
    if (over.some(({ row }) => row !== null)) return;
    for (const period of over) await askToReadAgain(database, period, await checkPeriod(database, period));
    for (const [index, period] of over.entries()) {
      if (!(await waitUntilRead(database, period, stopping))) return;
      const isLast = index === over.length - 1;
      await signDemoMonth(database, period, { isLast });
      context.say(`Close: ${period.month} is ${isLast ? "prepared" : "closed"}; see the page Close`);
    }
  } catch (error) {
    // Closing must not spoil the first impression either.
    if (!stopping.aborted) context.log.warn({ event: "demo_close_failed", err: error });
  }
}

async function signDemoMonth(
  database: Database,
  period: Period,
  { isLast }: { isLast: boolean },
): Promise<void> {
  if (!isLast) {
    const carried = { owner: preparer.name, reason: "the provider was asked" };
    await carryForward(database, period, carried, preparer);
  }
  const { lines } = await checkPeriod(database, period);
  const accepted = lines
    .filter(({ state }) => state === "red")
    .map(({ line }) => ({ line, reason: reasons[line] ?? "looked at; nothing of it changes the month" }));
  await preparePeriod(database, period, accepted, preparer);
  if (isLast) return;
  const { accountId, account, month } = period;
  const prepared = await findPeriod({ database, accountIds: [accountId] }, { account, month });
  await approvePeriod(database, prepared, approver);
}

/** The workers read the month again meanwhile; the demonstration does not depend on it. */
async function waitUntilRead(database: Database, period: Period, stopping: AbortSignal): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < readAgainMaxMs; waitedMs += lookEveryMs) {
    const { lines } = await checkPeriod(database, period);
    if (lines.find(({ line }) => line === "read_again")?.state === "green") return true;
    await sleep(lookEveryMs, undefined, { signal: stopping }).catch(() => undefined);
    if (stopping.aborted) return false;
  }
  return true;
}
