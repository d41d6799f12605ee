import type { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { MINUTE } from "../core/duration.ts";
import { withSnapshot } from "../store/exports/copy-report.ts";
import type { Database } from "../store/database.ts";
import { ReportTooLarge } from "./errors.ts";
import { type OpenReport, openReport, type ReportAccess } from "./open-report.ts";
import type { ReportRequest } from "./parameters.ts";
import { readReport } from "./read-report.ts";

export interface StreamedReport {
  report: OpenReport;
  rows: number;
  /** Read it to its end, or destroy it: until then it holds a connection. */
  body: Readable;
}

export interface StreamOptions {
  rowsMax: number;
  /** Raised when the report is no longer wanted. */
  signal: AbortSignal;
  /** Called when all is known and nothing is given out yet; what it throws, the caller gets instead of the report. */
  before: (report: OpenReport, rows: number) => Promise<void>;
}

/** A slow reader keeps a snapshot open, and an open snapshot keeps dead rows; so he has this long. */
const statementTimeoutMs = 10 * MINUTE;

/** Resolves when the first byte may be sent. A reader who stops waiting or reading ends the query. */
export function streamReport(
  database: Database,
  request: ReportRequest,
  access: ReportAccess,
  { rowsMax, signal, before }: StreamOptions,
): Promise<StreamedReport> {
  return new Promise((resolve, reject) => {
    withSnapshot(database, { statementTimeoutMs, signal }, async (snapshot) => {
      const report = await openReport(snapshot, request, access);
      const { totals, body } = await readReport(snapshot, report, { sums: false, rowsMax });
      // Listening from the start: the connection may be lost before anyone reads.
      const sent = finished(body, { writable: false });
      sent.catch(() => undefined);
      if (totals.rows > rowsMax) throw new ReportTooLarge(rowsMax);
      await before(report, totals.rows);
      resolve({ report, rows: totals.rows, body });
      await sent;
    }).catch(reject);
  });
}
