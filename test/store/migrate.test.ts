import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { checkMigrated, migrateDatabase } from "../../src/store/migrate.ts";
import { makeEarlierLedger } from "../support/earlier-ledger.ts";
import { openTestDatabase, useTestDatabase } from "../support/test-database.ts";

const migrations = resolve("migrations");
const known = (
  JSON.parse(await readFile(join(migrations, "meta", "_journal.json"), "utf8")) as { entries: object[] }
).entries.length;

describe("an empty database", () => {
  const empty = useTestDatabase({ template: "template0" });

  test("is refused by a process that may not migrate it", async () => {
    await expect(checkMigrated(empty.db, migrations)).rejects.toMatchObject({
      code: "database_not_migrated",
      message: expect.stringContaining("run tieout migrate") as string,
    });
  });

  test("is migrated once when two processes start at the same moment", async () => {
    const pools = [openTestDatabase(empty.url), openTestDatabase(empty.url), openTestDatabase(empty.url)];
    const results = await Promise.all(pools.map((pool) => migrateDatabase(pool, migrations)));
    await Promise.all(pools.map((pool) => pool.close()));
    expect(results.map(({ applied }) => applied.length).toSorted((a, b) => a - b)).toEqual([0, 0, known]);
    expect(await checkMigrated(empty.db, migrations)).toBe(known);
  });
});

describe("a migrated database", () => {
  const database = useTestDatabase();

  test("is refused when it is newer than the program", async () => {
    await withMigrations(async (folder) => {
      const journalFile = join(folder, "meta", "_journal.json");
      const journal = JSON.parse(await readFile(journalFile, "utf8")) as { entries: object[] };
      journal.entries.pop();
      await writeFile(journalFile, JSON.stringify(journal));
      const refusal = {
        code: "database_newer",
        message: expect.stringContaining("start a newer tieout") as string,
      };
      await expect(migrateDatabase(database.db, folder)).rejects.toMatchObject(refusal);
      await expect(checkMigrated(database.db, folder)).rejects.toMatchObject(refusal);
    });
  });

  test("is refused when a migration was edited after it was applied", async () => {
    await withMigrations(async (folder) => {
      await writeFile(join(folder, "0001_rules.sql"), "select 1");
      const refusal = {
        code: "database_outdated",
        message: expect.stringMatching(
          /^migration 0001_rules was edited after this database was made: use the tieout that made it, or /,
        ) as string,
      };
      await expect(migrateDatabase(database.db, folder)).rejects.toMatchObject(refusal);
      await expect(checkMigrated(database.db, folder)).rejects.toMatchObject(refusal);
    });
  });

  test("is left as it was when a migration fails halfway", async () => {
    await withMigrations(async (folder) => {
      const journalFile = join(folder, "meta", "_journal.json");
      const journal = JSON.parse(await readFile(journalFile, "utf8")) as { entries: object[] };
      journal.entries.push({ tag: "9999_bad" });
      await writeFile(journalFile, JSON.stringify(journal));
      await writeFile(
        join(folder, "9999_bad.sql"),
        "create table tieout.half (id int);--> statement-breakpoint\nselect 1/0",
      );
      await expect(migrateDatabase(database.db, folder)).rejects.toMatchObject({ code: "database_failed" });
    });
    expect(await database.db.query("select to_regclass('tieout.half') as found")).toEqual([{ found: null }]);
    expect(await checkMigrated(database.db, migrations)).toBe(known);
  });

  test("has a comment on every table and column", async () => {
    const missing = await database.db.query(
      `select c.relname || coalesce('.' || a.attname, '') as what
       from pg_class c
       left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
       where c.relnamespace in (select oid from pg_namespace where nspname in ('tieout', 'reporting'))
         and c.relkind in ('r', 'v', 'p')
         and c.relname <> 'migrations'
         and not (c.relispartition and a.attname is not null)     -- described by the table it is part of
         and (obj_description(c.oid) is null or col_description(c.oid, a.attnum) is null)
       order by 1`,
    );
    expect(missing).toEqual([]);
  });

  test("a comment that lists what a column may hold leaves nothing out", async () => {
    const left = await database.db.query(
      `select value.of, value.name as left_out
       from (
         select column_name.of, allowed[1] as name, described ~ ('\\m' || allowed[1] || '\\M') as is_named,
                count(*) filter (where described ~ ('\\m' || allowed[1] || '\\M')) over (partition by c.oid, a.attnum) as named
         from pg_constraint as c
         join pg_attribute as a on a.attrelid = c.conrelid and a.attnum = any (c.conkey)
         cross join lateral (select a.attrelid::regclass || '.' || a.attname) as column_name (of)
         cross join lateral (select col_description(a.attrelid, a.attnum)) as comment (described)
         cross join lateral regexp_matches(pg_get_constraintdef(c.oid), a.attname || ' = ANY \\(ARRAY\\[([^]]*)') as list
         cross join lateral regexp_matches(list[1], $$'([^']*)'$$, 'g') as allowed
         where c.contype = 'c'
           and c.connamespace = 'tieout'::regnamespace
       ) as value
       where value.named > 1            -- one alone is a word of the sentence
         and not value.is_named`,
    );
    expect(left).toEqual([]);
  });
});

describe("a database made by an earlier tieout, before the migrations were squashed", () => {
  const earlier = useTestDatabase({ template: "template0" });
  const readAgain =
    "tieout then reads everything again from the aggregator, and statements have to be imported again";

  beforeAll(() => makeEarlierLedger(earlier.db));

  test.each([
    {
      where: "DATABASE_URL",
      embeddedIn: null,
      says: `this database was made by an earlier tieout and cannot be upgraded: create an empty one and set DATABASE_URL to it; ${readAgain}`,
    },
    {
      where: "the embedded Postgres",
      embeddedIn: "/data/postgres",
      says: `this database was made by an earlier tieout and cannot be upgraded: move /data/postgres away, or set TIEOUT_DATA_DIR to another folder; ${readAgain}`,
    },
  ])("is refused with what to do: $where", async ({ embeddedIn, says }) => {
    const refusal = { code: "database_outdated", message: says };
    await expect(migrateDatabase(earlier.db, migrations, embeddedIn)).rejects.toMatchObject(refusal);
    await expect(checkMigrated(earlier.db, migrations, embeddedIn)).rejects.toMatchObject(refusal);
  });

  test("is refused as well when it had only a few of the earlier migrations", async () => {
    await earlier.db.query("delete from tieout.migrations where number > 2");
    const refusal = { code: "database_outdated" };
    await expect(migrateDatabase(earlier.db, migrations)).rejects.toMatchObject(refusal);
    await expect(checkMigrated(earlier.db, migrations)).rejects.toMatchObject(refusal);
  });
});

async function withMigrations(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "tieout-migrations-"));
  try {
    await cp(migrations, folder, { recursive: true });
    await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}
