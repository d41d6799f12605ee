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
  await database.query(
    "analyze (skip_locked) tieout.transaction_statuses, tieout.transactions, tieout.sync_windows",
  );
  return true;
}

/**
 * The same for what reconciling joins: right after the first statements nothing is known about their lines, and a run of
 * seconds takes minutes. A table that has grown fourfold since it was last looked at is looked at again; its pages tell,
 * also those that the running database transaction has added. One that somebody else is looking at is left to them.
 */
export async function freshenReconcileStatistics(tx: Queryable): Promise<void> {
  const stale = await tx.query<{ name: string }>(
    `select name
     from unnest($1::text[]) as name
     join pg_class as c on c.oid = name::regclass
     where pg_relation_size(c.oid) > 4 * current_setting('block_size')::bigint * greatest(c.relpages, 2)`,
    [reconciledTables],
  );
  if (stale.length === 0) return;
  // Not bound values: Postgres takes none here. They are the words of the list below.
  await tx.query(`analyze (skip_locked) ${stale.map(({ name }) => name).join(", ")}`);
}

const reconciledTables = [
  "tieout.transactions",
  "tieout.transaction_statuses",
  "tieout.statements",
  "tieout.statement_rows",
  "tieout.statement_lines",
  "tieout.earlier_keys",
  "tieout.odd_histories",
  "tieout.matches",
];
