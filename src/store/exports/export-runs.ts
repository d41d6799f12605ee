import type { Database, Queryable } from "../database.ts";
import type { ExportFile, ExportLease } from "./exports.ts";

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
    await tx.query("select pg_advisory_xact_lock(hashtextextended('tieout.exports', 0))");
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

/** A sign of life. Says whether the export is still this worker's: it may have been cancelled, or taken over. */
export async function renewExport(
  database: Queryable,
  lease: ExportLease,
  progress: { leaseMs: number; rowsBefore: number; backendPid: number | null },
): Promise<boolean> {
  const rows = await database.query(
    `update tieout.exports
     set lease_until = clock_timestamp() + $3::double precision * interval '1 millisecond',
         rows_written = greatest(rows_written, $4 + coalesce(
           (select tuples_processed from pg_stat_progress_copy where pid = $5), 0))
     where id = $1 and attempt = $2 and state = 'running'
     returning id`,
    [lease.id, lease.attempt, progress.leaseMs, progress.rowsBefore, progress.backendPid],
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
  await database.query(
    "update tieout.exports set as_of = $3, rows_total = $4 where id = $1 and attempt = $2 and state = 'running'",
    [lease.id, lease.attempt, counted.asOf, counted.rows],
  );
}

/** Offers the files. `false`: the export is not this worker's any more, and the files are nobody's. */
export async function finishExport(
  database: Queryable,
  lease: ExportLease,
  result: { files: readonly ExportFile[]; totals: unknown; rows: number; keepMs: number },
): Promise<boolean> {
  const rows = await database.query(
    `update tieout.exports
     set state = 'succeeded', files = $3, totals = $4, rows_written = $5, rows_total = $5, lease_until = null,
         finished_at = clock_timestamp(), error = null, error_code = null,
         expires_at = clock_timestamp() + $6::double precision * interval '1 millisecond'
     where id = $1 and attempt = $2 and state = 'running'
     returning id`,
    [
      lease.id,
      lease.attempt,
      JSON.stringify(result.files),
      JSON.stringify(result.totals),
      result.rows,
      result.keepMs,
    ],
  );
  return rows.length > 0;
}

/** `again`: another try may help, so it waits for the next worker. */
export async function failExport(
  database: Queryable,
  lease: ExportLease,
  failure: { code: string; message: string; again: boolean },
): Promise<void> {
  await database.query(
    `update tieout.exports
     set state = case when $5 then 'queued' else 'failed' end, error_code = $3, error = $4, lease_until = null,
         finished_at = case when $5 then null else clock_timestamp() end
     where id = $1 and attempt = $2 and state = 'running'`,
    [lease.id, lease.attempt, failure.code, failure.message, failure.again],
  );
}

/** Exports that should have a worker by now and have none. */
export async function waitingExports(database: Queryable): Promise<string[]> {
  const rows = await database.query<{ id: string }>(
    `select id
     from tieout.exports
     where state = 'queued' and created_at < clock_timestamp() - interval '30 seconds'
        or state = 'running' and lease_until <= clock_timestamp()
     order by created_at
     limit 20`,
  );
  return rows.map(({ id }) => id);
}

/** Takes back what has been on offer long enough; the files are the caller's to remove. */
export async function expireDueExports(database: Queryable): Promise<string[]> {
  const rows = await database.query<{ id: string }>(
    `update tieout.exports
     set state = 'expired', link_secret = ''
     where state = 'succeeded' and expires_at <= clock_timestamp()
     returning id`,
  );
  return rows.map(({ id }) => id);
}

/** The exports whose files must stay: those on offer, and those being written. */
export async function liveExports(database: Queryable): Promise<{ id: string; stored: string[] }[]> {
  return database.query<{ id: string; stored: string[] }>(
    `select id, array(select file ->> 'storedAs' from jsonb_array_elements(coalesce(files, '[]')) as file) as stored
     from tieout.exports
     where state in ('running', 'succeeded')`,
  );
}
