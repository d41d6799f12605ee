import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { HOUR } from "../core/duration.ts";
import { TieoutError, usageError } from "../core/errors.ts";
import { findReport, reports } from "../report/catalogue.ts";
import { nearestWord } from "../core/nearest-word.ts";
import { quote } from "../core/quote.ts";
import { foldStatus, isKnownStatus, knownStatuses } from "../core/status.ts";
import { type OpenReport, openReport } from "../report/open-report.ts";
import { parseRequest, type ReportRequest } from "../report/parameters.ts";
import { reportFormats, reportId } from "../report/report.ts";
import { describeReport, type ReportDescription } from "../report/describe-report.ts";
import { readReport } from "../report/read-report.ts";
import { recordFilters } from "../report/reports/record-columns.ts";
import { writeReport } from "../report/write-report.ts";
import { type Snapshot, withSnapshot } from "../store/exports/copy-report.ts";
import type { Database } from "../store/database.ts";
import { auditExport } from "../store/exports/exports.ts";
import { listUnseenStatuses } from "../store/transactions/status-reads.ts";
import { writeWholeFile } from "../store/files/whole-file.ts";
import type { CommandContext } from "./context.ts";
import { showExport } from "./export-progress.ts";
import { type ExportFlags, givenParameters, inFlags } from "./export-flags.ts";
import { openStore, refuseEmptyFolder } from "./open-store.ts";
import { placeToWrite } from "./option-problems.ts";
import { openStdout } from "./stdout-stream.ts";
import { totalsText } from "./totals-text.ts";
import { writeOut } from "./write-out.ts";
import { untilStopped } from "./until-stopped.ts";

const statementTimeoutMs = 6 * HOUR;

/** What was written, for `<file>.totals.json` and `--json`. */
interface Exported extends ReportDescription {
  files: { name: string; rows: number; bytes: number; sha256: string }[];
}

/** Writes a report: data to stdout or a file, everything else to stderr. */
export async function exportCommand(
  context: CommandContext,
  name: string,
  flags: ExportFlags,
): Promise<void> {
  try {
    await exportReport(context, name, flags);
  } catch (error) {
    throw inFlags(error);
  }
}

async function exportReport(given: CommandContext, name: string, flags: ExportFlags): Promise<void> {
  const request = readRequest(name, flags);
  const out = flags.out === undefined ? undefined : placeToWrite("--out", flags.out, { folder: true });
  const context = flags.quiet ? { ...given, say: () => undefined } : given;
  const stop = new AbortController();
  void untilStopped().then(() => stop.abort());
  refuseEmptyFolder(context);
  const store = await openStore(context, { migrate: false });
  try {
    await withSnapshot(store.database, { statementTimeoutMs, signal: stop.signal }, async (snapshot) => {
      // A user of the command line can read the database itself: nothing is masked.
      const report = await openReport(snapshot, request, { accountIds: null, wallets: true });
      await audit(store.database, report, flags);
      for (const note of await noteStatuses(snapshot, request)) context.say(note);
      const progress = showExport(context, store.database, { report: name, pid: snapshot.backendPid });
      try {
        const write = out === undefined ? writeToStdout : writeToFiles(out, flags);
        const result = await write(snapshot, report, { signal: stop.signal, onCounted: progress.counted });
        for (const line of summary(result, request.report.totalsFirst, flags)) context.say(line);
      } finally {
        await progress.end();
      }
    });
  } catch (error) {
    if (error instanceof ReaderGone) return;
    if (stop.signal.aborted)
      throw new TieoutError("interrupted", "interrupted: nothing was left half written");
    throw error;
  } finally {
    await store.close();
  }
}

/** A word that we do not know may be one of the aggregator's. If no record has it, it is more likely a slip. */
async function noteStatuses(snapshot: Snapshot, { report, filters }: ReportRequest): Promise<string[]> {
  // Payouts have statuses of their own.
  if (report.filters.status !== recordFilters.status) return [];
  const strange = filters.status?.filter((word) => !isKnownStatus(word)) ?? [];
  const unseen = strange.length === 0 ? [] : await listUnseenStatuses(snapshot, strange);
  return unseen.map((word) => {
    const meant = isKnownStatus(foldStatus(word)) ? foldStatus(word) : nearestWord(word, knownStatuses);
    const hint = meant === null ? `known are ${knownStatuses.join(", ")}` : `did you mean ${meant}?`;
    return `Note: no record has the status ${quote(word)}; ${hint}`;
  });
}

function readRequest(name: string, flags: ExportFlags): ReportRequest {
  const report = findReport(name);
  const names = reports.map((one) => one.name);
  if (report === null) {
    const near = nearestWord(name, names);
    const hint = near === null ? `there are ${names.join(", ")}` : `did you mean ${near}?`;
    throw usageError(`there is no report ${JSON.stringify(name)}; ${hint}`);
  }
  const { out, json } = flags;
  const format = reportFormats.find((one) => one === flags.format);
  if (format === undefined) {
    const expected = reportFormats.join(", ");
    throw usageError(`--format: expected one of ${expected}, found ${JSON.stringify(flags.format)}`);
  }
  if (json && out === undefined)
    throw usageError("--json: needs --out, because stdout is taken by the report itself");
  return parseRequest(report, format, givenParameters(flags));
}

/** Thrown so that the connection, which still has rows to send, is thrown away; for people it is not a failure. */
class ReaderGone extends Error {}

interface Writing {
  signal: AbortSignal;
  onCounted: (rows: number) => void;
}

async function writeToStdout(
  snapshot: Snapshot,
  report: OpenReport,
  { signal, onCounted }: Writing,
): Promise<Exported> {
  const { totals, body } = await readReport(snapshot, report, { sums: true, rowsMax: null });
  onCounted(totals.rows);
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
      openStdout(),
      { signal },
    );
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === "EPIPE" ? new ReaderGone() : error;
  }
  const file = { name: report.fileName, rows: totals.rows, bytes, sha256: hash.digest("hex") };
  return { ...describeReport(report, totals), files: [file] };
}

function writeToFiles(out: string, flags: ExportFlags) {
  return async (snapshot: Snapshot, report: OpenReport, writing: Writing): Promise<Exported> => {
    const folder = await stat(out).then(
      (found) => found.isDirectory(),
      () => false,
    );
    const target = folder ? join(out, report.fileName) : out;
    const { file, description } = await writeReport(snapshot, report, {
      write: (body) => writeWholeFile(target, body, writing.signal),
      onCounted: async ({ rows }) => writing.onCounted(rows),
    });
    const exported = { ...description, files: [{ ...file, name: basename(target) }] };
    await writeWholeFile(`${target}.totals.json`, [`${JSON.stringify(exported, null, 2)}\n`]);
    if (flags.json) writeOut(`${JSON.stringify(exported)}\n`);
    return exported;
  };
}

async function audit(database: Database, report: OpenReport, flags: ExportFlags): Promise<void> {
  const after = { parameters: givenParameters(flags), format: report.request.format, as_of: report.asOf };
  const id = reportId(report.request.report);
  await auditExport(database, {
    id,
    actor: "command line",
    requestId: null,
    action: "report.exported",
    after,
  });
}

function summary(
  { report, rows, as_of, sums, coverage, files, follows = [], notes = [] }: Exported,
  totalsFirst: readonly string[] | undefined,
  { out }: ExportFlags,
): string[] {
  const partial = coverage.partial ? " PARTIAL: some of the period has not been read yet." : "";
  const [file] = files;
  const rest =
    out === undefined || file === undefined
      ? "with --out, all totals are written beside the file"
      : `all totals are in ${file.name}.totals.json`;
  return [
    `${report}: ${rows} ${rows === 1 ? "row" : "rows"} as of ${as_of}.${partial}`,
    ...follows.map(
      (close) =>
        `  follows the close of ${close.month} of ${close.account}: --prior-known-at ${close.known_at}`,
    ),
    ...notes.map((note) => `  note: ${note}`),
    ...totalsText(sums, { first: totalsFirst, rest }).map((line) => `  ${line}`),
    ...files.map(({ name, sha256 }) => `  ${name} sha256 ${sha256}`),
  ];
}
