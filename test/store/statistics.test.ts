import { expect, test } from "vitest";
import { freshenStatistics } from "../../src/store/statistics.ts";
import { useTestDatabase } from "../support/test-database.ts";

const database = useTestDatabase();

async function rowsKnown(table: string): Promise<number> {
  const [row] = await database.db.query<{ rows: number }>(
    "select reltuples::int as rows from pg_class where oid = $1::regclass",
    [table],
  );
  return row?.rows ?? 0;
}

test("a table is looked at when it has grown fourfold, and not before", async () => {
  await database.db.query("create table public.growing (word text) with (autovacuum_enabled = off)");
  const grow = (rows: number) =>
    database.db.query("insert into growing select repeat('x', 1000) from generate_series(1, $1::int)", [
      rows,
    ]);
  await grow(10);
  await freshenStatistics(database.db, ["public.growing"]);
  expect(await rowsKnown("growing")).toBe(-1);
  await grow(90);
  await freshenStatistics(database.db, ["public.growing"]);
  expect(await rowsKnown("growing")).toBe(100);
  await grow(200);
  await freshenStatistics(database.db, ["public.growing"]);
  expect(await rowsKnown("growing")).toBe(100);
  await grow(200);
  await freshenStatistics(database.db, ["public.growing"]);
  expect(await rowsKnown("growing")).toBe(500);
});

test("a table of months is looked at as one too, although its months have been looked at", async () => {
  await database.db.query(
    `create table public.by_month (month int, account_id int) partition by range (month);
     create table public.first_month partition of by_month for values from (1) to (2) with (autovacuum_enabled = off);
     create table public.second_month partition of by_month for values from (2) to (3) with (autovacuum_enabled = off)`,
  );
  await insertCounted("by_month select 1 + n % 2, 7 from generate_series(1, 2000) as n");
  await database.db.query("analyze first_month, second_month");
  expect(await rowsKnown("first_month")).toBe(1_000);
  expect(await rowsKnown("by_month")).toBe(-1);
  await freshenStatistics(database.db, ["public.by_month"], { whole: true });
  expect(await rowsKnown("by_month")).toBe(2_000);
  // Otherwise one in two hundred.
  const one = "(select 7 as id offset 0) as one";
  expect(await expected(`public.by_month join ${one} on one.id = by_month.account_id`)).toBe(2_000);

  await insertCounted("by_month select 1, 7 from generate_series(1, 300)");
  await database.db.query("analyze first_month");
  await freshenStatistics(database.db, ["public.by_month"], { whole: true });
  expect(await rowsKnown("by_month")).toBe(2_000);
});

test.each([
  ["a table", "create table public.NAME (account_id int) with (autovacuum_enabled = off)"],
  [
    "a table of months",
    `create table public.NAME (account_id int) partition by range (account_id);
     create table public.NAME_all partition of public.NAME for values from (1) to (9) with (autovacuum_enabled = off)`,
  ],
])("of a second account in %s, the planner knows at once", async (what, create) => {
  const table = what.replaceAll(" ", "_");
  await database.db.query(create.replaceAll("NAME", table));
  const read = (accountId: number) =>
    database.db.transaction(async (tx) => {
      await tx.query(`insert into ${table} select $1::int from generate_series(1, 3000)`, [accountId]);
      await freshenStatistics(tx, [`public.${table}`], { whole: true });
    });
  await read(1);
  await read(2);
  expect(await expected(`${table} where account_id = 2`)).toBe(3_000);
});

test("what another session has added counts as well", async () => {
  await database.db.query("create table public.added (account_id int) with (autovacuum_enabled = off)");
  await insertCounted("added select 1 from generate_series(1, 3000)");
  await database.db.query("analyze added");
  await insertCounted("added select 2 from generate_series(1, 3000)");
  await freshenStatistics(database.db, ["public.added"], { whole: true });
  expect(await expected("added where account_id = 2")).toBe(3_000);
});

test("while someone looks at a table, nobody else waits to do it again", async () => {
  await database.db.query(
    `create table public.looked_at (word text) with (autovacuum_enabled = off);
     insert into looked_at select repeat('x', 1000) from generate_series(1, 100)`,
  );
  await database.db.transaction(async (other) => {
    await other.query("lock table looked_at in share update exclusive mode");
    await freshenStatistics(database.db, ["public.looked_at"]);
  });
  expect(await rowsKnown("looked_at")).toBe(-1);
});

/** Estimated otherwise: one in two hundred, however many there are. */
test("the planner knows how many transactions a provider has, and has statistics of the names of lines", async () => {
  await database.db.query(
    `insert into tieout.accounts (name, base_url, sync_start) values ('planned', 'http://127.0.0.1', '2026-01-01')`,
  );
  await database.db.query(
    `insert into tieout.transactions (account_id, transaction_id, record_hash, hash_version, status, status_rank, status_date,
                                      transaction_type, provider, is_final, first_seen_at, last_changed_at)
     select a.id, 'planned-' || n, sha256(n::text::bytea), 1, 'completed', 60, '2026-01-01', 'buy', 'MoonPay', true, now(), now()
     from tieout.accounts as a, generate_series(1, 1000) as n
     where a.name = 'planned';
     analyze tieout.transactions`,
  );
  expect(await expected("tieout.transactions where lower(coalesce(provider, '')) = 'moonpay'")).toBe(1_000);
  const [statistics] = await database.db.query<{ names: string[] }>(
    "select array_agg(stxname::text order by stxname) as names from pg_statistic_ext where stxrelid = 'tieout.statement_lines'::regclass",
  );
  expect(statistics?.names).toEqual(["line_hashes", "line_provider_ids", "line_references"]);
});

/** A session tells the others what it has written a second later, unless it is asked to. */
async function insertCounted(rows: string): Promise<void> {
  await database.db.session(async (client) => {
    await client.query(`insert into ${rows}`);
    await client.query("select pg_stat_force_next_flush()");
  });
}

async function expected(rows: string): Promise<number> {
  const [plan] = await database.db.query<{ "QUERY PLAN": [{ Plan: { "Plan Rows": number } }] }>(
    `explain (format json) select from ${rows}`,
  );
  return plan?.["QUERY PLAN"][0].Plan["Plan Rows"] ?? 0;
}
