import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import type { Database } from "../../src/store/database.ts";
import { checkMigrated, migrateDatabase } from "../../src/store/migrate.ts";
import { verify } from "../../src/sync/verify.ts";
import { addRecords, openBooks } from "../reconcile/books.ts";
import { nextMigrations, readJournal, writeJournal } from "../support/next-migrations.ts";
import { listTables } from "../support/released-data.ts";
import { openTestDatabase, useTestDatabase } from "../support/test-database.ts";

const migrations = resolve("migrations");

describe("a database that is in use", () => {
  const database = useTestDatabase();

  test("goes through the next migration once, and keeps its data", async () => {
    const { db, url } = database;
    const books = await openBooks(db);
    await addRecords(books, [
      { id: "old-1", status: "pending", at: "2026-03-10T12:00:00.000Z" },
      { id: "old-1", at: "2026-03-10T12:05:00.000Z" },
      { id: "old-2", inAmount: "0.123456789012345678" },
    ]);
    const before = await readEverything(db);
    expect(before["transaction_statuses"]).toHaveLength(3);
    const verified = await verify(db);

    const next = await nextMigrations({
      "0998_more": `alter table tieout.transactions add column checked_at timestamptz;
        --> statement-breakpoint
        update tieout.transactions set checked_at = status_date`,
      "0999_rest": "create table tieout.added (id integer primary key)",
    });
    const processes = [openTestDatabase(url), openTestDatabase(url)];
    const results = await Promise.all(processes.map((each) => migrateDatabase(each, next)));
    await Promise.all(processes.map((each) => each.close()));
    expect(results.map(({ applied }) => applied).toSorted((a, b) => a.length - b.length)).toEqual([
      [],
      ["0998_more", "0999_rest"],
    ]);

    const { added, ...after } = await readEverything(db, { without: "checked_at" });
    expect(after).toEqual(before);
    expect(added).toEqual([]);
    expect(
      await db.query("select 1 from tieout.transactions where checked_at is distinct from status_date"),
    ).toEqual([]);
    expect(await verify(db)).toEqual(verified);

    // The new program works on, and the earlier one is told to go.
    await addRecords(books, [{ id: "new-1" }]);
    expect(await checkMigrated(db, next)).toBe(await countMigrations(next));
    await expect(checkMigrated(db, migrations)).rejects.toMatchObject({ code: "database_newer" });
  });

  /** Everything that someone may have, as text; what was applied when is not theirs. */
  async function readEverything(
    db: Database,
    { without = "" }: { without?: string } = {},
  ): Promise<Record<string, string[]>> {
    const tables = await listTables(db);
    const contents = tables.map(async (name): Promise<[string, string[]]> => {
      const rows = await db.query<{ row: string }>(
        `select (to_jsonb(t) - $1)::text as row from tieout.${name} as t order by 1`,
        [without],
      );
      return [name, rows.map(({ row }) => row)];
    });
    return Object.fromEntries(await Promise.all(contents));
  }
});

describe("an empty database", () => {
  const oneByOne = useTestDatabase({ template: "template0" });
  const atOnce = useTestDatabase();

  test("that goes from version to version ends in the same schema as one that is made at once", async () => {
    const journal = await readJournal(migrations);
    const folder = await nextMigrations({});
    for (let count = 1; count <= journal.entries.length; count++) {
      await writeJournal(folder, { ...journal, entries: journal.entries.slice(0, count) });
      expect((await migrateDatabase(oneByOne.db, folder)).applied).toHaveLength(1);
    }
    expect(await describeSchema(oneByOne.db)).toEqual(await describeSchema(atOnce.db));
  });

  /** Columns, constraints, indexes, views, functions and triggers, each as the database writes it. */
  async function describeSchema(db: Database): Promise<string[]> {
    const rows = await db.query<{ line: string }>(
      `with ours as (select oid from pg_namespace where nspname in ('tieout', 'reporting'))
       select format('%s.%s %s %s', a.attrelid::regclass, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull) as line
       from pg_attribute as a
       join pg_class as c on c.oid = a.attrelid
       where c.relnamespace in (select oid from ours) and a.attnum > 0 and not a.attisdropped
       union all
       select format('%s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
       from pg_constraint
       where connamespace in (select oid from ours)
       union all
       select pg_get_indexdef(i.indexrelid)
       from pg_index as i
       join pg_class as c on c.oid = i.indrelid
       where c.relnamespace in (select oid from ours)
       union all
       select format('%s as %s', oid::regclass, pg_get_viewdef(oid))
       from pg_class
       where relnamespace in (select oid from ours) and relkind = 'v'
       union all
       select pg_get_functiondef(oid)
       from pg_proc
       where pronamespace in (select oid from ours) and prokind in ('f', 'p')
       union all
       select pg_get_triggerdef(t.oid)
       from pg_trigger as t
       join pg_class as c on c.oid = t.tgrelid
       where c.relnamespace in (select oid from ours) and not t.tgisinternal
       order by 1`,
    );
    return rows.map(({ line }) => line);
  }
});

async function countMigrations(folder: string): Promise<number> {
  return (await readJournal(folder)).entries.length;
}
