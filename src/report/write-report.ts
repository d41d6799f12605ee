import assert from "node:assert";
import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Snapshot } from "../store/exports/copy-report.ts";
import { encodeLines } from "./encode.ts";
import { partName } from "./file-name.ts";
import type { OpenReport } from "./open-report.ts";
import { linesStatement, type RowRange } from "./report-sql.ts";
import { describeReport, readTotals, type ReportDescription } from "./totals.ts";

export interface WrittenFile {
  name: string;
  path: string;
  rows: number;
  bytes: number;
  sha256: string;
}

export interface WriteOptions {
  /** Where a file goes; `part` is its number where there are several. */
  pathOf: (name: string, part: number | null) => string;
  signal: AbortSignal;
  /** Rows are counted and added up; writing begins. */
  onCounted: (description: ReportDescription) => Promise<void>;
  /** So many rows are in the files that are finished. */
  onFile: (rowsBefore: number) => void;
}

/**
 * Writes a report to disk and adds it up, both from one snapshot: what the totals say is what the file holds. A file
 * appears under its name only when it is whole.
 */
export async function writeReport(
  snapshot: Snapshot,
  report: OpenReport,
  options: WriteOptions,
): Promise<{ files: WrittenFile[]; description: ReportDescription }> {
  const totals = await readTotals(snapshot, report, null);
  const description = describeReport(report, totals);
  await options.onCounted(description);
  const files: WrittenFile[] = [];
  let rowsBefore = 0;
  for (const { name, part, range, rows } of partsOf(report, totals.rows)) {
    options.onFile(rowsBefore);
    const { request } = report;
    const lines = snapshot.copy(
      linesStatement(report, range),
      request.format === "csv" ? "csv" : "json-lines",
    );
    const path = options.pathOf(name, part);
    const written = await writeWhole(path, encodeLines(lines, request), options.signal);
    // The answer to any further statement comes after the count of the one before.
    await snapshot.query("select");
    assert.equal(lines.rowCount, rows, "as many rows were written as were counted");
    files.push({ name, path, rows, ...written });
    rowsBefore += rows;
  }
  return { files, description };
}

interface FilePart {
  name: string;
  part: number | null;
  range: RowRange | null;
  rows: number;
}

function partsOf(report: OpenReport, rows: number): FilePart[] {
  const { fileName, linesPerFileMax: limit } = report;
  if (limit === null) return [{ name: fileName, part: null, range: null, rows }];
  const count = Math.max(1, Math.ceil(rows / limit));
  return Array.from({ length: count }, (_, index) => ({
    name: count === 1 ? fileName : partName(fileName, index + 1),
    part: count === 1 ? null : index + 1,
    range: { limit, offset: index * limit },
    rows: Math.min(limit, rows - index * limit),
  }));
}

/** A temporary name, the disk, then the name: whoever sees the file sees all of it, also after a power cut. */
async function writeWhole(
  path: string,
  body: Readable,
  signal: AbortSignal,
): Promise<{ bytes: number; sha256: string }> {
  const temporary = `${path}.part`;
  const hash = createHash("sha256");
  let bytes = 0;
  try {
    await pipeline(
      body,
      async function* measure(chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          hash.update(chunk);
          bytes += chunk.length;
          yield chunk;
        }
      },
      createWriteStream(temporary, { mode: 0o600 }),
      { signal },
    );
    await syncToDisk(temporary);
    await rename(temporary, path);
    // The new name is on the disk only when its folder is; some systems cannot open folders, and have no such promise.
    await syncToDisk(dirname(path)).catch(() => undefined);
    return { bytes, sha256: hash.digest("hex") };
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function syncToDisk(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
