import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Snapshot } from "../store/exports/copy-report.ts";
import type { OpenReport } from "./open-report.ts";
import { describeReport, type ReportDescription } from "./describe-report.ts";
import { readReport } from "./read-report.ts";

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
  const written = await writeWhole(path, body, signal);
  return { file: { name: report.fileName, path, rows: totals.rows, ...written }, description };
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
