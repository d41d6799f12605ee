import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { parseDecimal } from "../../src/core/decimal.ts";
import { type LakeDeps, writeLake } from "../../src/report/lake/write-lake.ts";
import { type Files, readText } from "../../src/store/files/files.ts";
import { createFolderFiles } from "../../src/store/files/folder-files.ts";
import { seedReporting } from "../reporting/seed-reporting.ts";
import { askDuckDb } from "../support/duckdb.ts";
import { startS3 } from "../support/s3-server.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { keepAccount, keepTransactions } from "./books.ts";

const database = useTestDatabase();
let folder = "";
beforeAll(async () => {
  await seedReporting(database.db);
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tieout-lake-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const write = (more: Partial<LakeDeps> = {}) =>
  writeLake({ database: database.db, files: createFolderFiles(folder), ...more });

async function ask(query: string): Promise<Record<string, unknown>[]> {
  return askDuckDb(await readFile(join(folder, "duckdb.sql"), "utf8"), query);
}

/** Every file with its size and time: what was written shows. */
async function listing(): Promise<Record<string, string>> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = found.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  const all = await Promise.all(
    files.toSorted().map(async (path) => {
      const { size, mtimeMs, ino } = await stat(path);
      return [path.slice(folder.length + 1), `${size} ${mtimeMs} ${ino}`] as const;
    }),
  );
  return Object.fromEntries(all);
}

test("a second run writes nothing", async () => {
  const first = await write();
  expect(first.files).toBeGreaterThan(8);
  const before = await listing();
  expect(await write()).toMatchObject({ files: 0, rows: 0, removed: 0 });
  expect(await listing()).toEqual(before);
});

test("a late row goes to a new file, and what was written stays as it is", async () => {
  await write();
  const before = await listing();
  const account = await keepAccount(database.db, "late");
  await keepTransactions(database.db, account, [
    { transaction_id: "late-1", status_date: "2026-02-03T00:00:00Z" },
  ]);
  const second = await write();
  expect(second.files).toBeGreaterThanOrEqual(2);
  const after = await listing();
  const parquet = Object.keys(before).filter((path) => path.endsWith(".parquet"));
  expect(parquet.map((path) => after[path])).toEqual(parquet.map((path) => before[path]));
  expect(
    Object.keys(after).filter((path) => path.startsWith("transaction_statuses/late/2026-02/")),
  ).toHaveLength(1);
  const [row] = await ask(
    "select count(*)::varchar as rows from reporting.transaction_statuses where account = 'late'",
  );
  expect(row).toEqual({ rows: "1" });
  await keepTransactions(database.db, account, [
    { transaction_id: "late-2", status_date: "2026-02-04T00:00:00Z" },
  ]);
  await write();
  const rows = await ask(
    "select transaction_id, is_latest from reporting.transaction_statuses where account = 'late' order by 1",
  );
  expect(rows).toEqual([
    { transaction_id: "late-1", is_latest: true },
    { transaction_id: "late-2", is_latest: true },
  ]);
  expect(
    await ask("select count(*)::varchar as rows from reporting.transactions where account = 'late'"),
  ).toEqual([{ rows: "2" }]);
});

test("an amount that no decimal of Parquet holds is kept to its last digit", async () => {
  const account = await keepAccount(database.db, "long");
  await keepTransactions(database.db, account, [
    { transaction_id: "long-1", in_amount: "0.1234567890123456789" },
  ]);
  await write();
  const [row] = await ask(
    "select in_amount, amounts_as_text from reporting.transactions where transaction_id = 'long-1'",
  );
  expect(row).toEqual({ in_amount: null, amounts_as_text: '{"in_amount": "0.1234567890123456789"}' });
});

const advisoryLocks = `
  select pid
  from pg_locks
  join pg_database as d on d.oid = database
  where locktype = 'advisory'
    and datname = current_database()`;

describe("a run that is ended", () => {
  class Killed extends Error {}
  test.each(["lake.file", "lake.manifest.before"] as const)(
    "at %s leaves the lake as it was, and the next one brings it up to date",
    async (point) => {
      await write();
      const manifest = await readFile(join(folder, "manifest.json"), "utf8");
      const name = `ended-${point}`;
      const account = await keepAccount(database.db, name);
      await keepTransactions(database.db, account, [{ transaction_id: `${name}-1` }]);
      const failpoint = async (at: string) => {
        if (at === point) throw new Killed();
      };
      await expect(write({ failpoint })).rejects.toThrow(Killed);
      // The server may take a moment to notice that the session has ended, and to let go of the lake.
      await expect.poll(() => database.db.query(advisoryLocks)).toEqual([]);
      expect(await readFile(join(folder, "manifest.json"), "utf8")).toBe(manifest);
      const count = `select count(*)::varchar as rows from reporting.transaction_statuses where account = '${name}'`;
      expect(await ask(count)).toEqual([{ rows: "0" }]);
      expect((await write()).removed).toBeGreaterThan(0);
      expect(await ask(count)).toEqual([{ rows: "1" }]);
    },
  );
});

// The account with an amount that is a text in the lake is left out: it belongs to another test.
describe("the views of the lake", () => {
  test.each([
    "transactions",
    "transaction_statuses",
    "statement_lines",
    "payouts",
    "matches",
    "daily_summary",
  ])("%s holds the rows that Postgres holds, and amounts add up the same", async (view) => {
    await write();
    const columns = await database.db.query<{ name: string; type: string }>(
      `select column_name as name, data_type as type from information_schema.columns
         where table_schema = 'reporting' and table_name = $1 and data_type in ('numeric', 'text', 'bigint')`,
      [view],
    );
    const figures = columns.map(({ name, type }) =>
      type === "numeric"
        ? `sum("${name}")::varchar as "${name}"`
        : `count(distinct "${name}")::varchar as "${name}"`,
    );
    const query = `select count(*)::varchar as all_rows, ${figures.join(", ")} from reporting.${view} where account <> 'long'`;
    const [inDuckDb] = await ask(query);
    const [inPostgres] = await database.db.query<Record<string, unknown>>(query);
    expect(Number(inPostgres?.["all_rows"])).toBeGreaterThan(0);
    expect(canonical(inDuckDb)).toEqual(canonical(inPostgres));
  });
});

/** `1.50` and `1.5` are one amount. */
function canonical(row: Record<string, unknown> | undefined): [string, unknown][] {
  return Object.entries(row ?? {}).map(([name, value]) => [
    name,
    typeof value === "string" ? (parseDecimal(value) ?? value) : value,
  ]);
}

describe("in a bucket", () => {
  test("a second run writes nothing, what a killed one left is removed, and the manifest comes last", async () => {
    const s3 = await startS3();
    onTestFinished(() => s3.stop());
    const files = s3.files().within("lake");
    const written: string[] = [];
    const watched: Files = {
      ...files,
      write: (name, ...more) => {
        written.push(name);
        return files.write(name, ...more);
      },
    };
    const first = await write({ files: watched });
    expect(first.files).toBeGreaterThan(8);
    expect(written.slice(-2)).toEqual(["manifest.json", "duckdb.sql"]);
    expect((await files.list("")).toSorted()).toEqual(written.toSorted());
    written.length = 0;
    expect(await write({ files: watched })).toMatchObject({ files: 0, rows: 0, removed: 0 });
    expect(written).toEqual([]);

    const account = await keepAccount(database.db, "bucket");
    await keepTransactions(database.db, account, [{ transaction_id: "bucket-1" }]);
    const failpoint = async (at: string) => {
      if (at === "lake.manifest.before") throw new Error("killed");
    };
    const manifest = await readText(files, "manifest.json");
    await expect(write({ files: watched, failpoint })).rejects.toThrow("killed");
    expect(await readText(files, "manifest.json")).toBe(manifest);
    expect((await write({ files: watched })).removed).toBeGreaterThan(0);

    const views = await readText(files, "duckdb.sql");
    expect(views).toContain("'s3://kept/tieout/lake/transaction_statuses/bucket/");
    // What DuckDB would fetch by itself is brought to it here: it would first have to load an extension from elsewhere.
    const inFolder = createFolderFiles(folder);
    for (const name of await files.list("")) {
      const found = await files.read(name);
      if (found) await inFolder.write(name, found.body);
    }
    const query =
      "select count(*)::varchar as rows from reporting.transaction_statuses where account = 'bucket'";
    expect(await askDuckDb(views?.replaceAll("s3://kept/tieout/lake", folder) ?? "", query)).toEqual([
      { rows: "1" },
    ]);
  });
});
