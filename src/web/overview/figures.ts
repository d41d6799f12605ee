import {
  type CoverageRow,
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
import { may, type Visitor } from "../deps.ts";

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

const accountsShown = 50;

export const periods = [7, 30, 90] as const;
export type PeriodDays = (typeof periods)[number];

export async function readOverview(
  visitor: Visitor,
  nowMs: number,
  { dayCount, zone }: { dayCount: PeriodDays; zone: Zone },
): Promise<Overview> {
  const { reader } = visitor;
  const days = lastDays(nowMs, dayCount, zone);
  const page = { limit: accountsShown, after: null };
  const [freshness, coverage, asOf, byDay, providers, volumes, reconciliation] = await Promise.all([
    listFreshness(reader, {}, page),
    listCoverage(reader, {}, page),
    totalsAsOf(reader, zone.name),
    dayFigures(reader, days),
    providerFigures(reader, days),
    volumeFigures(reader, days),
    may(visitor, "reconcile:read") ? readReconciliation(visitor, days) : null,
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

async function readReconciliation({ reader }: Visitor, days: Days): Promise<OverviewReconciliation> {
  const [classes, ages, atRisk, compared] = await Promise.all([
    classFigures(reader, days),
    ageing(reader),
    moneyAtRisk(reader),
    anyCompared(reader),
  ]);
  return {
    classes,
    atRisk,
    ageing: ages,
    compared,
  };
}

/** Whole days of the zone, today included. */
export function lastDays(nowMs: number, count: number, zone: Zone): Days {
  const today = dayOf(formatInstant(nowMs), zone);
  return { from: addDays(today, 1 - count), to: addDays(today, 1), zone: zone.name };
}
