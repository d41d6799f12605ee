import { type ChangedFact, changesText } from "../core/changes-text.ts";
import { TieoutError } from "../core/errors.ts";
import type { AccountReader } from "../store/conditions.ts";
import type { Database } from "../store/database.ts";
import { addPeriodEvent, type Signer } from "../store/periods/period-writes.ts";
import { listPeriods, type Period } from "./period.ts";
import { eventOf } from "./prepare.ts";
import { changesBeneath } from "./read-period.ts";

/** Who signs for tieout itself. */
const itself: Signer = { actor: "tieout", name: "tieout" };

/** The second signature: the month is closed as it was prepared. `seen` is the pack that the approver looked at. */
export async function approvePeriod(
  database: Database,
  period: Period,
  signer: Signer,
  seen: { packSha256: string | null } = { packSha256: null },
): Promise<void> {
  const { row } = period;
  if (row?.state !== "prepared" || row.knownAt === null || row.packSha256 === null) {
    throw new TieoutError(
      "period_refused",
      `${period.month} is ${period.state}: prepare it before it can be approved`,
    );
  }
  const changes = await lapseIfChanged(database, period);
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
  const isAsked = (period.row?.reopenAskedBy ?? null) !== null;
  const event = isAsked ? "reopened" : "reopen_asked";
  await addPeriodEvent(database, { ...eventOf(period), event, reason }, signer);
  return event;
}

/** A preparation is of what was known then: when anything beneath it has changed since, it is none. Returns what changed. */
export async function lapseIfChanged(database: Database, period: Period): Promise<ChangedFact[]> {
  const changes = await changesBeneath(database, period);
  if (changes.length === 0) return [];
  const reason = `changed since it was prepared: ${changesText(changes)}`;
  await addPeriodEvent(database, { ...eventOf(period), event: "lapsed", changes, reason }, itself);
  return changes;
}

/** Looks at every prepared month of the accounts; returns those that have lapsed. */
export async function lapseChanged(
  database: Database,
  reader: Pick<AccountReader, "accountIds">,
  now: Parameters<typeof listPeriods>[1],
): Promise<Period[]> {
  const periods = await listPeriods({ database, ...reader }, now);
  const lapsed: Period[] = [];
  for (const period of periods) if ((await lapseIfChanged(database, period)).length > 0) lapsed.push(period);
  return lapsed;
}
