import { and, eq, inArray, lt, lte, or, type SQL } from "drizzle-orm";
import { SECOND } from "../../core/duration.ts";
import { clockIn, clockNow } from "../clock-time.ts";
import type { Database, Queryable, Transaction } from "../database.ts";
import { type ExportFile, exports } from "../schema/exports.ts";
import type { ExportLease, ExportRow } from "./exports.ts";

export interface ClaimOptions {
  /** One export, or whichever has waited longest. */
  id: string | null;
  worker: string;
  leaseMs: number;
  /** Exports that may run at once, over all workers. */
  runningMax: number;
  attemptsMax: number;
}

/**
 * Takes an export that nobody writes: one that waits, or one whose worker fell silent. `null` when there is none, or when
 * enough are running; what waits is taken by the next worker that has finished one.
 */
export async function claimExport(database: Database, options: ClaimOptions): Promise<ExportLease | null> {
  return database.transaction(async (tx) => {
    // One claim at a time, so that two workers cannot both take the last free place.
    await holdExports(tx);
    await tx.query(
      `update tieout.exports
       set state = 'failed', finished_at = clock_timestamp(), error_code = 'gave_up',
           error = 'given up after ' || attempt || ' attempts: its worker ended each time; see the log'
       where state = 'running' and lease_until <= clock_timestamp() and attempt >= $1`,
      [options.attemptsMax],
    );
    const [row] = await tx.query<{ id: string; attempt: number }>(
      `update tieout.exports as e
       set state = 'running', attempt = e.attempt + 1, worker = $2, rows_written = 0, rows_total = null, as_of = null,
           started_at = coalesce(e.started_at, clock_timestamp()),
           lease_until = clock_timestamp() + $3::double precision * interval '1 millisecond'
       where e.id = (
         select id
         from tieout.exports
         where (state = 'queued' or state = 'running' and lease_until <= clock_timestamp())
           and ($1::text is null or id = $1)
           and (select count(*) from tieout.exports
                where state = 'running' and lease_until > clock_timestamp()) < $4
         order by created_at, id
         limit 1
       )
       returning e.id, e.attempt`,
      [options.id, options.worker, options.leaseMs, options.runningMax],
    );
    return row ?? null;
  });
}

/** Until the end of the transaction no export begins. */
export async function holdExports(tx: Transaction): Promise<void> {
  await tx.query("select pg_advisory_xact_lock(hashtextextended('tieout.exports', 0))");
}

/** A sign of life. Says whether the export is still this worker's: it may have been cancelled, or taken over. */
export async function renewExport(
  database: Queryable,
  lease: ExportLease,
  progress: { leaseMs: number; backendPid: number | null },
): Promise<boolean> {
  const rows = await database.query(
    `update tieout.exports
     set lease_until = clock_timestamp() + $3::double precision * interval '1 millisecond',
         rows_written = greatest(rows_written,
           (select tuples_processed from pg_stat_progress_copy where pid = $4))
     where id = $1 and attempt = $2 and state = 'running'
     returning id`,
    [lease.id, lease.attempt, progress.leaseMs, progress.backendPid],
  );
  return rows.length > 0;
}

/** How many rows the COPY of that server process has written; `null` when it runs none. */
export async function copiedRows(database: Queryable, backendPid: number): Promise<number | null> {
  const [row] = await database.query<{ rows: number }>(
    "select tuples_processed::double precision as rows from pg_stat_progress_copy where pid = $1",
    [backendPid],
  );
  return row?.rows ?? null;
}

export async function noteCount(
  database: Queryable,
  lease: ExportLease,
  counted: { asOf: string; rows: number },
): Promise<void> {
  await database.orm
    .update(exports)
    .set({ asOf: counted.asOf, rowsTotal: counted.rows })
    .where(isStillOf(lease));
}

/** Offers the files. `false`: the export is not this worker's any more, and the files are nobody's. */
export async function finishExport(
  database: Queryable,
  lease: ExportLease,
  result: { files: readonly ExportFile[]; totals: unknown; rows: number; keepMs: number },
): Promise<boolean> {
  const { files, totals, rows, keepMs } = result;
  const finished = await database.orm
    .update(exports)
    .set({
      state: "succeeded",
      files: [...files],
      totals,
      rowsWritten: rows,
      rowsTotal: rows,
      leaseUntil: null,
      finishedAt: clockNow,
      error: null,
      errorCode: null,
      expiresAt: clockIn(keepMs),
    })
    .where(isStillOf(lease))
    .returning({ id: exports.id });
  return finished.length > 0;
}

/** `again`: another try may help, so it waits for the next worker. */
export async function failExport(
  database: Queryable,
  lease: ExportLease,
  failure: { code: string; message: string; again: boolean },
): Promise<void> {
  const { code, message, again } = failure;
  await database.orm
    .update(exports)
    .set({
      state: again ? "queued" : "failed",
      errorCode: code,
      error: message,
      leaseUntil: null,
      finishedAt: again ? null : clockNow,
    })
    .where(isStillOf(lease));
}

function isStillOf({ id, attempt }: ExportLease): SQL | undefined {
  return and(eq(exports.id, id), eq(exports.attempt, attempt), eq(exports.state, "running"));
}

/** Exports that should have a worker by now and have none. */
export async function waitingExports(database: Queryable): Promise<string[]> {
  const { id, state, createdAt, leaseUntil } = exports;
  const rows = await database.orm
    .select({ id })
    .from(exports)
    .where(
      or(
        and(eq(state, "queued"), lt(createdAt, clockIn(-30 * SECOND))),
        and(eq(state, "running"), lte(leaseUntil, clockNow)),
      ),
    )
    .orderBy(createdAt)
    .limit(20);
  return rows.map((row) => row.id);
}

/** Takes back what has been on offer long enough; the files are the caller's to remove. Says how many. */
export async function expireDueExports(database: Queryable): Promise<number> {
  const expired = await database.orm
    .update(exports)
    .set({ state: "expired", linkSecret: Buffer.alloc(0) })
    .where(and(eq(exports.state, "succeeded"), lte(exports.expiresAt, clockNow)))
    .returning({ id: exports.id });
  return expired.length;
}

/** The exports whose files must stay: those on offer, and those being written. */
export async function liveExports(database: Queryable): Promise<Pick<ExportRow, "id" | "files">[]> {
  return database.orm
    .select({ id: exports.id, files: exports.files })
    .from(exports)
    .where(inArray(exports.state, ["running", "succeeded"]));
}
