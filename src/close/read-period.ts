import type { ChangedFact } from "../core/changes-text.ts";
import type { Instant } from "../core/instant.ts";
import { instantOf } from "../store/clock-time.ts";
import type { Database, Queryable } from "../store/database.ts";
import { listChangedFacts } from "../store/periods/changed-facts.ts";
import { listPeriodEvents, type PeriodEventRow } from "../store/periods/period-reads.ts";
import type { Checklist } from "./checklist.ts";
import type { Period } from "./period.ts";
import { checkPeriod } from "./prepare.ts";
import type { AcceptedLine } from "./pack-contents.ts";

/** A period with all that a person wants to know before signing it. */
export interface PeriodDetail {
  period: Period;
  checklist: Checklist;
  accepted: readonly AcceptedLine[];
  /** What has changed beneath a prepared month: its signature is as good as lapsed. */
  changes: ChangedFact[];
  events: PeriodEventRow[];
}

/** A signed month shows the checklist that was signed; an open one the checklist as it is now. */
export async function readPeriod(
  database: Database,
  period: Period,
  /** Where its signatures are read: those that are being written together with something else are seen only there. */
  signing: Queryable = database,
): Promise<PeriodDetail> {
  const events = await listPeriodEvents(signing, period);
  const prepared = events.findLast(({ event }) => event === "prepared");
  if (prepared !== undefined && (period.state === "prepared" || period.state === "closed")) {
    const { contents: _, ...checklist } = prepared.checklist as Checklist & { contents: unknown };
    return {
      period,
      checklist,
      accepted: prepared.accepted as AcceptedLine[],
      changes: await changesBeneath(signing, period),
      events,
    };
  }
  return { period, checklist: await checkPeriod(database, period), accepted: [], changes: [], events };
}

/** Of a prepared month; of any other there is no signature that could lapse. */
export async function changesBeneath(
  database: Queryable,
  { state, row, accountId, to }: Period,
): Promise<ChangedFact[]> {
  if (state !== "prepared" || row === null || row.knownAt === null) return [];
  const knownAt: Instant = instantOf(row.knownAt);
  return listChangedFacts(database, { accountId, to, knownAt });
}
