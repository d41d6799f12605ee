import { type ChangedFact, changesText } from "../core/changes-text.ts";
import { TieoutError } from "../core/errors.ts";
import { tieBetween } from "../core/signing-together.ts";
import type { AccountReader } from "../store/conditions.ts";
import { type Database, joinTransaction, type Transaction } from "../store/database.ts";
import { listPeriodEvents, type PeriodEventRow, readPeriodRow } from "../store/periods/period-reads.ts";
import { addPeriodEvent, lockReopening, type Signer } from "../store/periods/period-writes.ts";
import { periodRuleOf } from "../store/sql-errors.ts";
import { listPeriods, type Period } from "./period.ts";
import { eventOf } from "./prepare.ts";
import { changesBeneath } from "./read-period.ts";

/** Who signs for tieout itself. */
const itself: Signer = { actor: "tieout", name: "tieout" };

/**
 * The second signature: the month is closed as it was prepared. `seen` is the pack that the approver looked at. A lapse is
 * written through `lapsing`: it stays, although the approval is refused and what else it wrote is taken back.
 */
export async function approvePeriod(
  database: Database,
  period: Period,
  signer: Signer,
  seen: { packSha256: string | null } = { packSha256: null },
  { lapsing = database }: { lapsing?: Database } = {},
): Promise<void> {
  const { row } = period;
  if (row?.state !== "prepared" || row.knownAt === null || row.packSha256 === null) {
    throw new TieoutError(
      "period_refused",
      `${period.month} is ${period.state}: prepare it before it can be approved`,
    );
  }
  const changes = await lapseIfChanged(lapsing, period);
  if (changes.length > 0) {
    throw new TieoutError(
      "period_refused",
      `${period.month} has changed since it was prepared, and so its signature has lapsed: prepare it again. Changed: ${changesText(changes)}`,
    );
  }
  const packSha256 = seen.packSha256 ?? row.packSha256.toString("hex");
  await addPeriodEvent(
    database,
    { ...eventOf(period), event: "approved", knownAt: row.knownAt, packSha256 },
    signer,
  );
}

/** Two people reopen a month: the first asks, with a reason; another agrees. Returns what has happened. */
export async function reopenPeriod(
  database: Database,
  period: Period,
  reason: string,
  signer: Signer,
): Promise<"reopen_asked" | "reopened"> {
  return database.transaction(async (tx, client) => {
    await lockReopening(tx, period.accountId);
    const isAsked = ((await readPeriodRow(tx, period))?.reopenAskedBy ?? null) !== null;
    const asked = isAsked ? await lastRequest(tx, period) : null;
    if (asked !== null) refuseTied(period, signer, asked);
    const event = asked === null || isRenewed(signer, asked) ? "reopen_asked" : "reopened";
    await addPeriodEvent(joinTransaction(tx, client), { ...eventOf(period), event, reason }, signer);
    return event;
  });
}

async function lastRequest(tx: Transaction, period: Period): Promise<PeriodEventRow | null> {
  const events = await listPeriodEvents(tx, period);
  return events.findLast(({ event }) => event === "reopen_asked") ?? null;
}

/** Asked once more by the same person, who has signed in another way since: someone may agree now who could not before. */
function isRenewed({ actor, vouchedBy = null }: Signer, asked: PeriodEventRow): boolean {
  return actor === asked.actor && vouchedBy !== asked.vouchedBy;
}

/** The database refuses it as well, but says only that another person has to agree. */
function refuseTied({ month }: Period, { actor, vouchedBy = null }: Signer, asked: PeriodEventRow): void {
  if (actor === asked.actor || tieBetween({ actor, vouchedBy }, asked) === null) return;
  throw new TieoutError(
    "period_refused",
    `${asked.actorName} asked to reopen ${month}, and one of you signed in through a link that the other could have used: another person has to agree`,
  );
}

/**
 * A preparation is of what was known then: if anything beneath it has changed since, its signature lapses. Returns what
 * changed; nothing, if the month has been prepared again in the meantime.
 */
export async function lapseIfChanged(database: Database, period: Period): Promise<ChangedFact[]> {
  return (await tryToLapse(database, period)).changes;
}

/** Looks at every prepared month of the accounts; returns those that it has let lapse. */
export async function lapseChanged(
  database: Database,
  reader: Pick<AccountReader, "accountIds">,
  now: Parameters<typeof listPeriods>[1],
): Promise<Period[]> {
  const periods = await listPeriods({ database, ...reader }, now);
  const lapsed: Period[] = [];
  for (const period of periods) if ((await tryToLapse(database, period)).byUs) lapsed.push(period);
  return lapsed;
}

/** Two workers, or a worker and an approver, may find the same change: the first to write lets the month lapse. */
async function tryToLapse(
  database: Database,
  period: Period,
): Promise<{ changes: ChangedFact[]; byUs: boolean }> {
  const changes = await changesBeneath(database, period);
  if (changes.length === 0) return { changes, byUs: false };
  const reason = `changed since it was prepared: ${changesText(changes)}`;
  try {
    await addPeriodEvent(database, { ...eventOf(period), event: "lapsed", changes, reason }, itself);
    return { changes, byUs: true };
  } catch (error) {
    const rule = error instanceof TieoutError ? periodRuleOf(error.cause) : null;
    if (rule === "only_prepared_periods_lapse") return { changes, byUs: false };
    if (rule === "only_changed_periods_lapse") return { changes: [], byUs: false };
    throw error;
  }
}
