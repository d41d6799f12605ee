import type { Snapshot } from "../store/exports/copy-report.ts";
import type { OpenReport } from "./open-report.ts";
import { describeReport, type ReportDescription } from "./describe-report.ts";
import { readReport } from "./read-report.ts";
import { writeWholeFile } from "./whole-file.ts";

export interface WrittenFile {
  name: string;
  path: string;
  rows: number;
  bytes: number;
  sha256: string;
}

export interface WriteOptions {
  path: string;
  signal: AbortSignal;
  /** Rows are counted and added up; writing begins. */
  onCounted: (description: ReportDescription) => Promise<void>;
}

/** Writes a report to disk. The file appears under its name only when it is whole. */
export async function writeReport(
  snapshot: Snapshot,
  report: OpenReport,
  { path, signal, onCounted }: WriteOptions,
): Promise<{ file: WrittenFile; description: ReportDescription }> {
  const { totals, body } = await readReport(snapshot, report, { sums: true, rowsMax: null });
  const description = describeReport(report, totals);
  await onCounted(description);
  const written = await writeWholeFile(path, body, signal);
  return { file: { name: report.fileName, path, rows: totals.rows, ...written }, description };
}
