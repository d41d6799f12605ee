import { expect, test } from "vitest";
import { addLines, makeBooks } from "../../bench/reconcile-books.ts";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { type Database, openDatabase } from "../../src/store/database.ts";
import { type TestDatabase, useTestDatabase } from "../support/test-database.ts";

const small = useTestDatabase();
const large = useTestDatabase();

/** A statement that reads all matches, lines or names for a file of a hundred reads four times as many here. */
test("what a run reads for a new file hardly grows with the books", async () => {
  const before = await pagesReadForFile(small, 10_000);
  const after = await pagesReadForFile(large, 40_000);
  expect(before).toBeGreaterThan(1_000);
  expect(after / before).toBeLessThan(1.2);
});

async function pagesReadForFile({ url }: TestDatabase, transactions: number): Promise<number> {
  const database = openDatabase(url, {
    part: "test",
    connectionsMax: 1, // whose counts are told before each look at them
    statementTimeoutMs: 60_000,
    onError: () => undefined,
  });
  try {
    await database.query(withoutVacuum);
    const accountId = await makeBooks(database, { transactions, lines: transactions / 2 });
    await reconcileAccount(database, accountId);
    // The next run looks once at the tables that the first has filled.
    await pagesRead(database);
    await reconcileAccount(database, accountId);
    // Next to those before it: what lies between two files is overdue, and every run adds up all that is.
    const last = transactions / 2;
    await addLines(database, accountId, { from: last - 111, to: last, file: 2 });
    const read = await pagesRead(database);
    const [result] = await reconcileAccount(database, accountId);
    expect(result).toMatchObject({ kind: "incremental", counts: { unmatched: 0 } });
    expect(result?.counts.matched).toBeGreaterThan(90);
    return (await pagesRead(database)) - read;
  } finally {
    await database.close();
  }
}

/** What it reads would be counted too. */
const withoutVacuum = `
  do $$
  declare
    kept regclass;
  begin
    for kept in select oid from pg_class where relnamespace = 'tieout'::regnamespace and relkind = 'r' loop
      execute format('alter table %s set (autovacuum_enabled = off)', kept);
    end loop;
  end $$`;

async function pagesRead(database: Database): Promise<number> {
  await database.query("select pg_stat_force_next_flush()");
  const [row] = await database.query<{ pages: number }>(
    `select sum(coalesce(heap_blks_hit + heap_blks_read, 0) + coalesce(idx_blks_hit + idx_blks_read, 0))::int as pages
     from pg_statio_user_tables
     where schemaname = 'tieout'`,
  );
  return row?.pages ?? 0;
}
