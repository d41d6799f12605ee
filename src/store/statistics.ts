import type { Queryable } from "./database.ts";

/** What a page of records is written to. */
export const syncedTables = [
  "tieout.transaction_statuses",
  "tieout.transaction_keys",
  "tieout.transactions",
  "tieout.sync_windows",
];

/** What reconciling joins. */
export const reconciledTables = [
  "tieout.transactions",
  "tieout.transaction_statuses",
  "tieout.transaction_keys",
  "tieout.statements",
  "tieout.statement_rows",
  "tieout.statement_lines",
  "tieout.odd_histories",
  "tieout.matches",
];

/** What a run has judged, and reports read. */
export const judgedTables = [
  "tieout.findings",
  "tieout.discrepancies",
  "tieout.discrepancy_events",
  "tieout.payouts",
];

/** What matching payouts with bank lines joins. */
export const receiptTables = [
  "tieout.receipt_lines",
  "tieout.receipt_rows",
  "tieout.receipt_matches",
  "tieout.payouts",
];

/**
 * Statements that run all the time are planned once. Planned on a new, empty table, every index looks alike, and one
 * that has to be read whole may be taken (measured: 3,700 µs a record instead of 95; a reconcile of minutes instead of
 * seconds). Postgres looks at a table by itself after a minute or so; a first sync has filled it by then. So a table that
 * has grown fourfold since it was last looked at is looked at again, which also makes every session plan anew. Its pages
 * tell, also those that the running database transaction has added. One that someone else is looking at is left to them.
 *
 * Of a partitioned table each month is looked at by itself, which is all that writing needs. `whole` also looks at the
 * table as one, which Postgres never does by itself: without that, it expects a join of rows of one account to find one in
 * two hundred of them, and takes look-ups where it should read once. For the same reason any of these tables is looked at when a
 * fifth of it has changed: if one account was there when Postgres last looked, it expects no rows at all of a second. A table
 * of few rows is left alone.
 */
export async function freshenStatistics(
  database: Queryable,
  tables: readonly string[],
  { whole = false }: { whole?: boolean } = {},
): Promise<void> {
  const stale = await database.query<{ oid: number }>(
    // Each "offset 0" keeps the planner from asking for the size of every relation there is (measured: 125 ms, not 1).
    `with leaves as (
       select leaf.whole, leaf.oid, known.relpages as pages,
              greatest(known.reltuples, 0) + pg_stat_get_mod_since_analyze(leaf.oid)
                + pg_stat_get_xact_tuples_inserted(leaf.oid) as rows
       from (
         select whole, coalesce(part.relid, whole::regclass) as oid
         from unnest($1::text[]) as whole
         left join lateral pg_partition_tree(whole::regclass) as part on part.isleaf
         offset 0
       ) as leaf
       cross join lateral (select c.relpages, c.reltuples from pg_class as c where c.oid = leaf.oid offset 0) as known
     )
     select distinct case when $2 then leaf.whole::regclass else leaf.oid end::oid as oid
     from leaves as leaf
     where pg_relation_size(leaf.oid) > 4 * current_setting('block_size')::bigint * greatest(leaf.pages, 2)
     union
     select tables.whole::regclass::oid
     from (select whole, sum(rows) as rows from leaves group by whole) as tables
     cross join lateral (select c.reltuples from pg_class as c where c.oid = tables.whole::regclass offset 0) as known
     where $2 and tables.rows > 1.2 * greatest(known.reltuples, 1000)`,
    [tables, whole],
    "stale_tables",
  );
  if (stale.length === 0) return;
  // A tenth of the usual sample tells which index to take, and does not cost as much as writing the rows did.
  await database.query("select tieout.look_at_tables($1::oid[]::regclass[], $2)", [
    stale.map(({ oid }) => oid),
    whole ? null : 10,
  ]);
}
