import type { Database } from "./database.ts";

/** Few enough that nobody waits long for the locks. */
const rowsPerBatch = 500;
const statementsPerBatch = 5;

/**
 * Removes what has been kept long enough, a little at a time. Files of exports go with the sweep that looks after them, and
 * what is kept for ever is not here: records, statement lines, facts, decisions and the audit log.
 */
export async function applyRetention(
  database: Database,
  retention: { statementFilesMs: number | null },
  stopping: AbortSignal,
): Promise<Record<string, number>> {
  const inBatches = async (size: number, removeSome: () => Promise<number>) => {
    let removed = 0;
    while (!stopping.aborted) {
      const some = await removeSome();
      removed += some;
      if (some < size) break;
    }
    return removed;
  };
  const removeRows = (table: string, isOver: string) =>
    inBatches(rowsPerBatch, async () => {
      const rows = await database.query(
        `delete from tieout.${table}
         where ctid in (select ctid from tieout.${table} where ${isOver} limit ${rowsPerBatch} for update skip locked)
         returning 1`,
      );
      return rows.length;
    });
  return {
    // The API promises a day.
    answers: await removeRows("idempotency_keys", "started_at < clock_timestamp() - interval '24 hours'"),
    sessions: await removeRows(
      "sessions",
      "least(expires_at, ended_at) < clock_timestamp() - interval '30 days'",
    ),
    sign_in_links: await removeRows("sign_in_links", "expires_at < clock_timestamp()"),
    sign_in_attempts: await removeRows("sign_in_attempts", "at < clock_timestamp() - interval '1 day'"),
    statement_files:
      retention.statementFilesMs === null
        ? 0
        : await inBatches(statementsPerBatch, () => forgetFiles(database, retention.statementFilesMs ?? 0)),
  };
}

async function forgetFiles(database: Database, keptMs: number): Promise<number> {
  const [row] = await database.query<{ forgotten: number }>(
    "select tieout.forget_statement_files($1::double precision * interval '1 millisecond', $2) as forgotten",
    [keptMs, statementsPerBatch],
  );
  return row?.forgotten ?? 0;
}
