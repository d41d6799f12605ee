import type { Queryable } from "../store/database.ts";
import type { OpenReport } from "./open-report.ts";
import { reportId } from "./report.ts";
import { countStatement, type RowRange, type Selection, totalsStatement } from "./report-sql.ts";

/** What an accountant checks a file against: never across currencies, never through a float. */
export interface RowTotals {
  rows: number;
  sums: { column: string; currency: string | null; sum: string }[];
}

export async function readTotals(
  snapshot: Queryable,
  selection: Selection,
  range: RowRange | null,
): Promise<RowTotals> {
  const { text, values, amounts, currencies } = totalsStatement(selection, range);
  const groups = await snapshot.query<Record<string, string | number | null>>(text, [...values]);
  // Each row belongs to one grouping set: the one whose `grouping` is 0, or to none of them, which is the whole.
  const whole = groups.find((group) => currencies.every((_, index) => group[`g${index}`] === 1));
  const sums = amounts.flatMap(({ name, currency }, column) => {
    const set = currencies.indexOf(currency ?? "");
    return groups
      .filter((group) => group[`g${set}`] === 0 && group[`s${column}`] !== null)
      .map((group) => ({
        column: name,
        currency: group[`c${set}`] as string | null,
        sum: String(group[`s${column}`]),
      }))
      .toSorted((a, b) => ((a.currency ?? "") < (b.currency ?? "") ? -1 : 1));
  });
  return { rows: Number(whole?.["rows"] ?? 0), sums };
}

/** How many rows there are; one more than `rowsMax` stands for any larger number. */
export async function countRows(snapshot: Queryable, selection: Selection, rowsMax: number): Promise<number> {
  const { text, values } = countStatement(selection, rowsMax);
  const [row] = await snapshot.query<{ rows: number }>(text, [...values]);
  return row?.rows ?? 0;
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
    accounts: report.accounts,
    filters: request.filters,
    columns: request.columns.map(({ name }) => name),
    raw: request.raw,
    wallets: report.wallets ? "full" : "masked",
    coverage: { complete: coverage.complete, partial: coverage.complete === false, gaps: coverage.gaps },
  };
}

export type ReportDescription = ReturnType<typeof describeReport>;
