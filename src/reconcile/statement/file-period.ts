import { compareInstants, type Instant } from "../../core/instant.ts";
import { addDays, dayOf, startOfDay } from "../../core/period.ts";
import type { Zone } from "../../core/zone.ts";
import { findNeighbours } from "../../store/statements/statements.ts";
import type { Queryable } from "../../store/database.ts";
import { daysAround, type FileNameMoments } from "./moments.ts";
import type { FileOutcome } from "./read-file.ts";
import { unreadable } from "./refusal.ts";

export interface StatedMoments {
  readonly generatedAt: Instant | null;
  readonly periodFrom: Instant | null;
  readonly periodTo: Instant | null;
}

export interface FilePeriod {
  /** As far as anything tells. It decides which value counts only where it is stated: see `made_at` of a statement. */
  readonly generatedAt: Instant;
  readonly generatedAtFrom: "command" | "file" | "file_name" | "rows" | "import";
  readonly from: Instant | null;
  readonly to: Instant | null;
}

/** When the file was made and what it covers: what the command says, else the file, else its name, else its rows. */
export function settlePeriod(
  command: StatedMoments,
  { facts, greatestTime, activity }: FileOutcome,
  { name, importedAt, zone }: { name: FileNameMoments; importedAt: Instant; zone: Zone },
): FilePeriod {
  const stated = [command, facts, name].find(({ periodFrom, periodTo }) => periodFrom && periodTo);
  const days = activity && daysAround(activity, zone);
  const from = stated?.periodFrom ?? days?.from ?? null;
  const to = stated?.periodTo ?? days?.to ?? null;
  if (from !== null && to !== null && compareInstants(from, to) >= 0) {
    throw unreadable(`its period ${from} to ${to} is empty: correct it`);
  }
  return { ...settleGeneratedAt(), from, to };

  function settleGeneratedAt(): Pick<FilePeriod, "generatedAt" | "generatedAtFrom"> {
    if (command.generatedAt) return { generatedAt: command.generatedAt, generatedAtFrom: "command" };
    if (facts.generatedAt) return { generatedAt: facts.generatedAt, generatedAtFrom: "file" };
    if (name.generatedAt) return { generatedAt: name.generatedAt, generatedAtFrom: "file_name" };
    if (greatestTime) return { generatedAt: greatestTime, generatedAtFrom: "rows" };
    return { generatedAt: importedAt, generatedAtFrom: "import" };
  }
}

export interface PeriodWarning {
  readonly code: "period_overlap" | "period_gap";
  readonly message: string;
  readonly statementIds: readonly number[];
}

/** Overlaps are harmless and gaps may be meant, so both are shown and neither stops anything. */
export async function warnOfPeriod(
  tx: Queryable,
  period: {
    accountId: number;
    provider: string;
    from: Instant | null;
    to: Instant | null;
    except: readonly number[];
    /** In which its days are days. */
    zone: Zone;
  },
): Promise<PeriodWarning[]> {
  const { from, to } = period;
  if (from === null || to === null) return [];
  const { overlapping, before, after } = await findNeighbours(tx, { ...period, from, to });
  const warnings: PeriodWarning[] = [];
  if (overlapping.length > 0) {
    const names = overlapping.map(({ fileName }) => fileName).join(", ");
    const statementIds = overlapping.map(({ id }) => id);
    warnings.push({ code: "period_overlap", message: `shares days with ${names}`, statementIds });
  }
  const reachesBack = overlapping.some(({ periodFrom }) => periodFrom < from);
  if (before && before.periodTo < from && !reachesBack) {
    const message = `nothing covers ${spanWords(before.periodTo, from, period.zone)}, after ${before.fileName}`;
    warnings.push({ code: "period_gap", message, statementIds: [before.id] });
  }
  const reachesOn = overlapping.some(({ periodTo }) => periodTo > to);
  if (after && after.periodFrom > to && !reachesOn) {
    const message = `nothing covers ${spanWords(to, after.periodFrom, period.zone)}, before ${after.fileName}`;
    warnings.push({ code: "period_gap", message, statementIds: [after.id] });
  }
  return warnings;
}

/** In days, where it is made of whole ones. */
function spanWords(from: Instant, to: Instant, zone: Zone): string {
  const [first, end] = [dayOf(from, zone), dayOf(to, zone)];
  if (startOfDay(first, zone) !== from || startOfDay(end, zone) !== to) return `${from} to ${to}`;
  const last = addDays(end, -1);
  return first === last ? first : `${first} to ${last}`;
}
