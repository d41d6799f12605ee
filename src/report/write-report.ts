import type { Snapshot } from "../store/exports/copy-report.ts";
import type { OpenReport } from "./open-report.ts";
import { describeReport, type ReportDescription } from "./describe-report.ts";
import { readReport } from "./read-report.ts";
import type { FileBody, WrittenBytes } from "../store/files/files.ts";

export interface WrittenFile extends WrittenBytes {
  name: string;
  rows: number;
}

export interface WriteOptions {
  /** Puts it where it belongs, as a whole or not at all. */
  write: (body: FileBody) => Promise<WrittenBytes>;
  /** Rows are counted and added up; writing begins. */
  onCounted: (description: ReportDescription) => Promise<void>;
}

/** Writes a report to a file. */
export async function writeReport(
  snapshot: Snapshot,
  report: OpenReport,
  { write, onCounted }: WriteOptions,
): Promise<{ file: WrittenFile; description: ReportDescription }> {
  const { totals, body } = await readReport(snapshot, report, { sums: true, rowsMax: null });
  const description = describeReport(report, totals);
  await onCounted(description);
  const written = await write(body);
  return { file: { name: report.fileName, rows: totals.rows, ...written }, description };
}
