import type { Moment } from "./moment.ts";
import type { OpenReport } from "./open-report.ts";
import { reportId } from "./report.ts";

interface RowSum {
  column: string;
  /** Where a report adds up unlike things apart: which these are. */
  group?: string | null;
  currency: string | null;
  sum: string;
}

/** What an accountant checks a file against: never across currencies, never through a float. */
export interface RowTotals {
  rows: number;
  sums: RowSum[];
  /** The currencies in a column, where some files hold one of them only. */
  apart?: Readonly<Record<string, readonly (string | null)[]>>;
}

/** What is added up, such as `difference (share)`. */
export function nameOfSum({ column, group }: RowSum): string {
  return group === undefined ? column : `${column} (${group ?? ""})`;
}

/** Everything there is to know about a report beside its rows; kept beside the file, never in it. */
export function describeReport(report: OpenReport, { rows, sums }: RowTotals) {
  const { request, moment, coverage } = report;
  return {
    report: reportId(request.report),
    format: request.format,
    preset: request.preset,
    rows,
    sums,
    as_of: report.asOf,
    period: { from: request.period.from, to: request.period.to, tz: request.zone.name },
    ...(moment === null ? {} : { as_at: moment.asAt, known_at: moment.knownAt }),
    ...(moment === null ? {} : describePriors(moment)),
    accounts: report.accounts,
    filters: request.filters,
    columns: request.columns.map(({ name }) => name),
    raw: request.raw,
    wallets: report.wallets ? "full" : "masked",
    coverage: { complete: coverage.complete, partial: coverage.complete === false, gaps: coverage.gaps },
  };
}

/** One time where it is one; the closes that were followed; and what else there is to know of closed months. */
function describePriors({ priors, notes }: Moment) {
  const times = new Set(priors.map(({ knownAt }) => knownAt));
  const [only] = times;
  const follows = priors.flatMap(({ account, month, knownAt }) =>
    month === null ? [] : [{ account, month, known_at: knownAt }],
  );
  return {
    ...(times.size === 1 && only !== undefined ? { prior_known_at: only } : {}),
    ...(follows.length === 0 ? {} : { follows }),
    ...(notes.length === 0 ? {} : { notes }),
  };
}

export type ReportDescription = ReturnType<typeof describeReport>;
