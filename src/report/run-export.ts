import { DAY, HOUR, SECOND } from "../core/duration.ts";
import { TieoutError } from "../core/errors.ts";
import { withSnapshot } from "../store/exports/copy-report.ts";
import type { Database } from "../store/database.ts";
import {
  claimExport,
  failExport,
  finishExport,
  noteCount,
  renewExport,
} from "../store/exports/export-runs.ts";
import { type ExportLease, type ExportRow, readExport } from "../store/exports/exports.ts";
import type { Files } from "../store/files/files.ts";
import { asDatabaseError, isTransient } from "../store/sql-errors.ts";
import { findReport } from "./catalogue.ts";
import { openReport } from "./open-report.ts";
import { parseRequest } from "./parameters.ts";
import { writeReport } from "./write-report.ts";

export interface ExportDeps {
  /** A pool of its own: exports take long, and other work should not wait for them. */
  database: Database;
  /** Where they are written. */
  files: Files;
  worker: string;
  /** How long files are on offer. */
  keepMs?: number;
  log: { info(fields: object): void; warn(fields: object): void };
  /** Called at the places where a crash would be most interesting; does nothing in production. */
  failpoint?: (name: "export.finish.before") => Promise<void>;
}

const usualKeepMs = 7 * DAY;
const leaseMs = 20 * SECOND;
const renewEveryMs = 1 * SECOND;
/** Each holds a snapshot and a core of the database. */
const runningMax = 4;
const attemptsMax = 5;
const statementTimeoutMs = 6 * HOUR;

/**
 * Writes the export that was asked for, and then whatever else waits: a lost wake-up costs time, never an export. Without
 * an id it begins with what waits.
 */
export async function runExports(
  deps: ExportDeps,
  id: string | null,
  stopping: AbortSignal,
): Promise<number> {
  const options = { worker: deps.worker, leaseMs, runningMax, attemptsMax };
  let written = 0;
  let wanted = id;
  while (!stopping.aborted) {
    const lease = await claimExport(deps.database, { ...options, id: wanted });
    if (lease !== null) {
      await writeLeased(deps, lease, stopping);
      written++;
    } else if (wanted === null) break;
    wanted = null;
  }
  return written;
}

async function writeLeased(deps: ExportDeps, lease: ExportLease, stopping: AbortSignal): Promise<void> {
  const row = await readExport({ database: deps.database, accountIds: null }, lease.id);
  if (row === null) return;
  const keeper = keepLease(deps, lease, stopping);
  try {
    const outcome = await writeExport(deps, lease, row, keeper);
    deps.log.info({ event: "export_written", export_id: lease.id, report: row.report, ...outcome });
  } catch (error) {
    if (keeper.lost()) {
      deps.log.info({ event: "export_stopped", export_id: lease.id, reason: "cancelled or taken over" });
    } else {
      await fail(deps, lease, error, stopping);
    }
  } finally {
    await keeper.stop();
  }
}

async function writeExport(
  deps: ExportDeps,
  lease: ExportLease,
  row: ExportRow,
  keeper: LeaseKeeper,
): Promise<{ rows: number; offered: boolean }> {
  const report = findReport(row.report);
  if (report === null) {
    throw new TieoutError(
      "export_unavailable",
      `there is no report ${row.report}: it came from another version`,
    );
  }
  const request = parseRequest(report, row.format, row.parameters);
  const stored = (name: string) => `${lease.id}-${lease.attempt}-${name}`;
  const { signal } = keeper;
  const { file, description } = await withSnapshot(
    deps.database,
    { statementTimeoutMs, signal },
    async (snapshot) => {
      const opened = await openReport(snapshot, request, row);
      keeper.watch(snapshot.backendPid);
      return writeReport(snapshot, opened, {
        write: (body) => deps.files.write(stored(opened.fileName), body, signal),
        onCounted: ({ as_of, rows }) => noteCount(deps.database, lease, { asOf: as_of, rows }),
      });
    },
  );
  await deps.failpoint?.("export.finish.before");
  const storedAs = stored(file.name);
  const { rows } = description;
  const offered = await finishExport(deps.database, lease, {
    files: [{ ...file, storedAs }],
    totals: description,
    rows,
    keepMs: deps.keepMs ?? usualKeepMs,
  });
  // Cancelled or taken over in the last moment: the row says so, and this file has no owner.
  if (!offered) await deps.files.remove(storedAs);
  return { rows, offered };
}

interface LeaseKeeper {
  /** Raised when the export is to be stopped: cancelled, taken over, or the process ends. */
  signal: AbortSignal;
  /** Which process of the server tells how far it has come. */
  watch(backendPid: number): void;
  lost(): boolean;
  stop(): Promise<void>;
}

function keepLease(deps: ExportDeps, lease: ExportLease, stopping: AbortSignal): LeaseKeeper {
  const ended = new AbortController();
  const progress = { leaseMs, backendPid: null as number | null };
  let lost = false;
  let renewing = Promise.resolve();
  async function renew(): Promise<void> {
    try {
      lost ||= !(await renewExport(deps.database, lease, progress));
      if (lost) ended.abort();
    } catch (error) {
      // The database may be away for a moment; the lease outlives many of these.
      deps.log.warn({ event: "export_lease", err: error });
    }
  }
  const timer = setInterval(() => {
    renewing = renewing.then(renew);
  }, renewEveryMs);
  return {
    signal: AbortSignal.any([ended.signal, stopping]),
    watch: (backendPid) => {
      progress.backendPid = backendPid;
    },
    lost: () => lost,
    stop: async () => {
      clearInterval(timer);
      await renewing;
    },
  };
}

async function fail(
  deps: ExportDeps,
  lease: ExportLease,
  error: unknown,
  stopping: AbortSignal,
): Promise<void> {
  const again = stopping.aborted || (isTransient(error) && lease.attempt < attemptsMax);
  const known = error instanceof TieoutError ? error : asDatabaseError(error);
  const code = known.code === "files_unusable" ? "export_unavailable" : known.code;
  deps.log.warn({ event: "export_failed", export_id: lease.id, again, err: error });
  await failExport(deps.database, lease, { code, message: known.message, again });
}
