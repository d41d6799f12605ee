import type { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { MINUTE } from "../core/duration.ts";
import { withSnapshot } from "../store/exports/copy-report.ts";
import type { Database } from "../store/database.ts";
import { encodeLines } from "./encode.ts";
import { InvalidParameters, ReportTooLarge } from "./errors.ts";
import { partName } from "./file-name.ts";
import { type OpenReport, openReport, type ReportAccess } from "./open-report.ts";
import type { ReportRequest } from "./parameters.ts";
import { linesStatement, type RowRange } from "./report-sql.ts";
import { countRows } from "./totals.ts";

export interface StreamedReport {
  report: OpenReport;
  fileName: string;
  /** Of this file. */
  rows: number;
  parts: number;
  /** Read it to its end, or destroy it: until then it holds a connection. */
  body: Readable;
}

export interface StreamOptions {
  rowsMax: number;
  /** Called when all is known and nothing is given out yet; what it throws, the caller gets instead of the report. */
  before: (report: OpenReport, rows: number) => Promise<void>;
}

/** A slow reader keeps a snapshot open, and an open snapshot keeps dead rows; so he has this long. */
const statementTimeoutMs = 10 * MINUTE;

/** Resolves when the first byte may be sent. Whoever stops reading ends the query. */
export function streamReport(
  database: Database,
  request: ReportRequest,
  access: ReportAccess,
  options: StreamOptions,
): Promise<StreamedReport> {
  return new Promise((resolve, reject) => {
    withSnapshot(database, { statementTimeoutMs }, async (snapshot) => {
      const report = await openReport(snapshot, request, access);
      const all = await countRows(snapshot, report, options.rowsMax);
      if (all > options.rowsMax) throw new ReportTooLarge(options.rowsMax);
      const { range, rows, parts } = choosePart(report, all);
      await options.before(report, rows);
      const lines = snapshot.copy(
        linesStatement(report, range),
        request.format === "csv" ? "csv" : "json-lines",
      );
      const body = encodeLines(lines, request);
      const fileName = parts > 1 ? partName(report.fileName, request.part ?? 1) : report.fileName;
      resolve({ report, fileName, rows, parts, body });
      await finished(body, { writable: false });
    }).catch(reject);
  });
}

/** A file that would be cut is refused unless one part of it was asked for: nobody should take a part for the whole. */
export function choosePart(
  { request, linesPerFileMax }: OpenReport,
  rows: number,
): { range: RowRange | null; rows: number; parts: number } {
  if (linesPerFileMax === null) return { range: null, rows, parts: 1 };
  const parts = Math.max(1, Math.ceil(rows / linesPerFileMax));
  const part = request.part ?? 1;
  if (part > parts || (request.part === null && parts > 1)) {
    const limit = linesPerFileMax.toLocaleString("en-GB");
    const message = `part: ${rows} lines make ${parts} files of at most ${limit}; ask for part=1 to part=${parts}`;
    throw new InvalidParameters([{ path: "part", code: "part_required", message }]);
  }
  const offset = (part - 1) * linesPerFileMax;
  return {
    range: { limit: linesPerFileMax, offset },
    rows: Math.min(linesPerFileMax, rows - offset),
    parts,
  };
}
