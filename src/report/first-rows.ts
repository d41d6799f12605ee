import { SECOND } from "../core/duration.ts";
import { withSnapshot } from "../store/exports/copy-report.ts";
import type { Database } from "../store/database.ts";
import { type CsvRow, readCsvRows } from "./csv-rows.ts";
import type { RowTotals } from "./describe-report.ts";
import { type OpenReport, openReport, type ReportAccess } from "./open-report.ts";
import type { ReportRequest } from "./parameters.ts";
import { readReport } from "./read-report.ts";

/** A report as a screen shows it: what all of its rows add up to, and the first of them. */
export interface FirstRows {
  report: OpenReport;
  totals: RowTotals;
  /** By column, in the order of the request; `null` where there is nothing. */
  rows: (string | null)[][];
}

/** Someone sits in front of it: what takes longer is better made as an export. */
const statementTimeoutMs = 30 * SECOND;

/** Totals and rows come from the statement that makes the file, and so a screen and the file of its filters agree. */
export function readFirstRows(
  database: Database,
  request: ReportRequest,
  access: ReportAccess,
  { linesMax, signal }: { linesMax: number; signal: AbortSignal },
): Promise<FirstRows> {
  // Nothing on a screen is taken for a formula.
  const asText: ReportRequest = { ...request, format: "csv", preset: "plain", raw: true, gzip: false };
  return withSnapshot(database, { statementTimeoutMs, signal }, async (snapshot) => {
    const report = await openReport(snapshot, asText, access);
    const { totals, body } = await readReport(snapshot, report, { sums: true, rowsMax: null, linesMax });
    const rows: (string | null)[][] = [];
    for await (const _ of readCsvRows(body, (row) => void rows.push(cellsOf(row)))) continue;
    // The first one holds the names of the columns.
    return { report, totals, rows: rows.slice(1) };
  });
}

function cellsOf({ bytes, from, to, quoted, count }: CsvRow): (string | null)[] {
  return Array.from({ length: count }, (_, at) => {
    const text = bytes.toString("utf8", from[at], to[at]);
    if (quoted[at] === 1) return text.replaceAll('""', '"');
    return text === "" ? null : text;
  });
}
