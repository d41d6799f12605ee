import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { MINUTE } from "../core/duration.ts";
import { findReport } from "../report/catalogue.ts";
import { readReport } from "../report/read-report.ts";
import type { Database } from "../store/database.ts";
import { type Snapshot, withSnapshot } from "../store/exports/copy-report.ts";
import { withTemporaryFolder } from "../store/files/temporary-folder.ts";
import { packTables } from "../store/periods/pack-sql.ts";
import { createMeasure, measure, type Measure } from "./measure.ts";
import { type PackOrder, readMe } from "./pack-contents.ts";
import { openPeriodReport } from "./report-rows.ts";
import { invalid } from "./read-zip.ts";
import { canonicalText } from "./sign-pack.ts";
import { summaryWorkbook } from "./summary-workbook.ts";
import { type Manifest, manifestName } from "./verify-pack.ts";
import type { ZipPart } from "./zip.ts";

export interface PackParts {
  parts: ZipPart[];
  manifest: Manifest;
  /** What is signed: the hash of the manifest, which has the hash of everything else. */
  manifestSha256: string;
}

/** Called each time another file of a pack is written. */
export type OnFile = (written: number, files: number) => void;

const statementTimeoutMs = 10 * MINUTE;
/** Each reads for itself: what was known at a past time is the same for all of them. */
const readersMax = 3;

/** Makes the parts of a pack in a folder of their own, which is gone after `use`. */
export async function withPackParts<T>(
  database: Database,
  order: PackOrder,
  use: (made: PackParts, folder: string) => Promise<T>,
  onFile?: OnFile,
): Promise<T> {
  return withTemporaryFolder("pack", async (folder) =>
    use(await makeParts(database, order, folder, onFile), folder),
  );
}

async function makeParts(
  database: Database,
  order: PackOrder,
  folder: string,
  onFile?: OnFile,
): Promise<PackParts> {
  const { period, knownAt, contents, checklist, accepted } = order;
  // As it was signed: the month before may have been closed anew since.
  const scope = { ...period, knownAt, priorKnownAt: contents.prior_known_at };
  const streamed: { name: string; open: (snapshot: Snapshot) => Promise<Readable> }[] = [
    ...contents.reports.map(({ report: id, columns }) => ({
      name: `reports/${id.replace(/\.v\d+$/, "")}.csv`,
      open: async (snapshot: Snapshot) => {
        const report = findReport(id);
        if (report === null) throw invalid(`this tieout has no report ${id}`);
        const opened = await openPeriodReport(snapshot, report, scope, { format: "csv", columns });
        const { body } = await readReport(snapshot, opened, { sums: false, rowsMax: null });
        return body;
      },
    })),
    ...contents.tables.map((name) => ({
      name,
      open: async (snapshot: Snapshot) => {
        const table = packTables[name];
        if (table === undefined) throw invalid(`this tieout has no table ${name}`);
        return snapshot.copy(table(scope), "csv");
      },
    })),
    {
      name: "summary.xlsx",
      open: async (snapshot: Snapshot) => Readable.from([await summaryWorkbook(snapshot, order, scope)]),
    },
  ];
  const files: ZipPart[] = [
    textPart("README.txt", readMe(contents)),
    textPart("checklist.json", canonicalText({ ...checklist, accepted })),
  ];
  const hashes = new Map<string, string>(
    files.map((file) => [file.name, measure(file.content as Buffer).sha256]),
  );
  const total = files.length + streamed.length;
  const waiting = streamed.values();
  // All take from one list, so that a slow report keeps one of them busy and not all.
  await Promise.all(
    Array.from({ length: readersMax }, async () => {
      for (const { name, open } of waiting) {
        const path = join(folder, name.replaceAll("/", "-"));
        const { sha256, ...measured } = await withSnapshot(
          database,
          { statementTimeoutMs, knownBefore: knownAt },
          async (snapshot) => writePart(path, await open(snapshot)),
        );
        files.push({ name, ...measured, content: { path } });
        hashes.set(name, sha256);
        onFile?.(files.length, total);
      }
    }),
  );
  files.sort((a, b) => (a.name < b.name ? -1 : 1));
  const manifest: Manifest = {
    format: "tieout-pack/1",
    account: period.account,
    month: period.month,
    timezone: period.zone.name,
    from: period.from,
    to: period.to,
    known_at: knownAt,
    files: files.map(({ name, bytes }) => ({ name, bytes, sha256: hashes.get(name) ?? "" })),
  };
  const text = canonicalText(manifest);
  return {
    parts: [...files, textPart(manifestName, text)],
    manifest,
    manifestSha256: measure(Buffer.from(text)).sha256,
  };
}

async function writePart(path: string, body: Readable): Promise<Measure> {
  const counting = createMeasure();
  await pipeline(
    body,
    async function* count(chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        counting.add(chunk);
        yield chunk;
      }
    },
    createWriteStream(path, { mode: 0o600 }),
  );
  return counting.result();
}

export function textPart(name: string, text: string): ZipPart {
  const content = Buffer.from(text, "utf8");
  const { bytes, crc } = measure(content);
  return { name, bytes, crc, content };
}
