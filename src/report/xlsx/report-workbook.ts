import type { Readable } from "node:stream";
import { plainCell } from "../../core/csv-cell.ts";
import { describeReport, nameOfSum, type RowTotals } from "../describe-report.ts";
import type { Moment } from "../moment.ts";
import type { OpenReport } from "../open-report.ts";
import type { SheetColumn, SheetResult } from "./sheet.ts";
import { workbookOf } from "./workbook.ts";

/** A report as a workbook: its rows, and a sheet with what they add up to. */
export function reportWorkbook(report: OpenReport, csv: Readable, totals: RowTotals): Readable {
  const { request } = report;
  const body = workbookOf([
    { name: request.report.name, columns: request.columns, csv },
    ([rows]) => ({
      name: "Control totals",
      columns: totalsColumns,
      csv: csvOf(totalsColumns, totalsRows(report, totals, rows as SheetResult)),
    }),
  ]);
  // If the workbook is abandoned, end the query as well.
  body.once("close", () => csv.destroy());
  return body;
}

/** Small tables: rows of texts, `null` for nothing. */
export function csvOf(
  columns: readonly SheetColumn[],
  rows: Iterable<readonly (string | null)[]>,
): Iterable<Buffer> {
  const lines = [columns.map(({ name }) => name), ...rows];
  return lines.map((cells) => Buffer.from(`${cells.map(plainCell).join(",")}\n`));
}

const totalsColumns: readonly SheetColumn[] = [
  { name: "item", type: "text", width: 30 },
  { name: "currency", type: "text" },
  { name: "amount", type: "amount", width: 26 },
  { name: "detail", type: "text", width: 80 },
];

const detail = (item: string, text: string | null): (string | null)[] => [item, null, null, text];

function aboutCloses({ priors, notes }: Moment): (string | null)[][] {
  return [
    ...priors.map(({ account, month, knownAt }) =>
      detail(`prior known at, ${account}`, month === null ? knownAt : `${knownAt}, by the close of ${month}`),
    ),
    ...notes.map((note) => detail("note", note)),
  ];
}

function totalsRows(report: OpenReport, totals: RowTotals, sheet: SheetResult): (string | null)[][] {
  const { request, moment } = report;
  const about = describeReport(report, totals);
  const whether = { true: "yes", false: "no: part of the period has not been read", null: "not needed" };
  return [
    detail("report", about.report),
    detail("title", request.report.title),
    ["rows", null, String(totals.rows), null],
    ...totals.sums.map((each) => [`sum of ${nameOfSum(each)}`, each.currency, each.sum, null]),
    detail("period from (included)", about.period.from),
    detail("period to (excluded)", about.period.to),
    detail("days are days in", about.period.tz),
    detail("times are in", "UTC"),
    // The moment says it already where there is one, and must not change when the same question is asked again.
    ...(moment === null
      ? [detail("as of", about.as_of)]
      : [detail("as at", moment.asAt), detail("known at", moment.knownAt), ...aboutCloses(moment)]),
    detail("accounts", about.accounts.join(", ")),
    ...Object.entries(about.filters).map(([name, values]) => detail(`only ${name}`, values.join(", "))),
    detail("wallet addresses", about.wallets),
    detail("period read completely", whether[`${about.coverage.complete}`]),
    ...about.coverage.gaps.map(({ account, from, to }) =>
      detail(`gap in ${account}`, `${from} – ${to ?? "now"}`),
    ),
    ...(sheet.cutCells === 0
      ? []
      : [
          [
            "cells cut at 32,767 characters",
            null,
            String(sheet.cutCells),
            "a cell holds no more; the CSV has all of them",
          ],
        ]),
  ];
}
