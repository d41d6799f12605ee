import {
  type CoverageRow,
  everyAccount,
  type FreshnessRow,
  listCoverage,
  listFreshness,
} from "../../store/accounts/account-reads.ts";
import { type AgeingRow, ageing, moneyAtRisk, type ValueTotal } from "../../store/books/discrepancy-reads.ts";
import {
  anyCompared,
  type ClassFigures,
  classFigures,
  type DayFigures,
  dayFigures,
  type Days,
  type ProviderFigures,
  providerFigures,
  totalsAsOf,
  type VolumeFigures,
  volumeFigures,
} from "../../store/books/overview-reads.ts";
import { formatInstant } from "../../core/instant.ts";
import { addDays, dayOf } from "../../core/period.ts";
import type { Zone } from "../../core/zone.ts";
import type { AccountReader } from "../../store/conditions.ts";
import { booksVersion } from "../../store/books/runs.ts";
import { may, type Visitor, type Web } from "../deps.ts";
import { longWaitMs } from "../kept-figures.ts";

/** Everything that the overview shows. */
export interface Overview {
  days: Days;
  dayCount: number;
  totalsAsOf: string | null;
  accounts: (FreshnessRow & { coverage: CoverageRow | null })[];
  byDay: DayFigures[];
  providers: ProviderFigures[];
  volumes: VolumeFigures[];
  /** `null` without the right to see reconciliation. */
  reconciliation: OverviewReconciliation | null;
}

export interface OverviewReconciliation {
  classes: ClassFigures[];
  /** What is owed to us and in doubt. */
  atRisk: ValueTotal[];
  ageing: AgeingRow[];
  /** Whether anything has been compared at all: without it, no discrepancy means nothing. */
  compared: boolean;
}

export const periods = [7, 30, 90] as const;
export type PeriodDays = (typeof periods)[number];

export async function readOverview(
  web: Web,
  visitor: Visitor,
  nowMs: number,
  { dayCount, zone }: { dayCount: PeriodDays; zone: Zone },
): Promise<Overview> {
  const { reader } = visitor;
  const days = lastDays(nowMs, dayCount, zone);
  const [freshness, coverage, asOf, byDay, providers, volumes, reconciliation] = await Promise.all([
    listFreshness(reader, {}, everyAccount),
    listCoverage(reader, {}, everyAccount),
    totalsAsOf(reader, zone.name),
    dayFigures(reader, days),
    providerFigures(reader, days),
    volumeFigures(reader, days),
    may(visitor, "reconcile:read") ? readReconciliation(web, visitor, days) : null,
  ]);
  const coverageOf = new Map(coverage.rows.map((row) => [row.name, row]));
  return {
    days,
    dayCount,
    totalsAsOf: asOf,
    accounts: freshness.rows.map((row) => Object.assign(row, { coverage: coverageOf.get(row.name) ?? null })),
    byDay,
    providers,
    volumes,
    reconciliation,
  };
}

async function readReconciliation(
  web: Web,
  { reader }: Visitor,
  days: Days,
): Promise<OverviewReconciliation> {
  // Of all open discrepancies: the same for everyone who sees the same accounts, until something changes.
  const version = await booksVersion(reader.database);
  const key = ["at risk", reader.accountIds?.join(",") ?? "all", version].join(" ");
  const [classes, open] = await Promise.all([
    classFigures(reader, days),
    web.figures.get(key, () => readOpen(reader), { waitMs: longWaitMs, freshOnly: true }),
  ]);
  return { classes, ...(open ?? (await readOpen(reader))) };
}

async function readOpen(reader: AccountReader): Promise<Omit<OverviewReconciliation, "classes">> {
  const [ages, atRisk, compared] = await Promise.all([
    ageing(reader),
    moneyAtRisk(reader),
    anyCompared(reader),
  ]);
  return { ageing: ages, atRisk, compared };
}

/** Whole days of the zone, today included. */
export function lastDays(nowMs: number, count: number, zone: Zone): Days {
  const today = dayOf(formatInstant(nowMs), zone);
  return { from: addDays(today, 1 - count), to: addDays(today, 1), zone: zone.name };
}
