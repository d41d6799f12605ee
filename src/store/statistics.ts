import type { Queryable } from "./database.ts";

/**
 * Statements that run all the time are planned once. Planned on a new, empty table, every index looks alike, and one
 * that has to be read whole may be taken (measured: 3,700 µs a record instead of 95). Postgres looks at a table by
 * itself after a minute or so; a first sync has filled it by then. So we have it looked at as soon as it has grown
 * tenfold; new figures also make every session plan anew.
 */
export async function freshenStatistics(database: Queryable): Promise<boolean> {
  const [row] = await database.query<{ stale: boolean }>(
    `select (select coalesce(sum(added), 0) from tieout.sync_windows)
              > 10 * greatest(100, (select reltuples from pg_class where oid = 'tieout.transaction_statuses'::regclass))
            as stale`,
  );
  if (!row?.stale) return false;
  await database.query("analyze tieout.transaction_statuses, tieout.transactions, tieout.sync_windows");
  return true;
}
