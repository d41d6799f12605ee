import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import drizzle from "../../drizzle.config.ts";
import { readCommitted } from "../support/committed-file.ts";
import { openFolder } from "../support/open-folder.ts";

const migrations = resolve("migrations");

/** Until 0.1.0 the tables are changed in place: with UPDATE_DOCS=1 this test writes the two files that drizzle-kit makes. */
test("0000_tables.sql and its snapshot are what drizzle-kit makes of src/store/schema, and its partitions", async () => {
  const made = await openFolder("tieout-tables-");
  await promisify(execFile)(process.execPath, [
    resolve("node_modules/drizzle-kit/bin.cjs"),
    "generate",
    "--name=tables",
    `--dialect=${drizzle.dialect}`,
    `--schema=${String(drizzle.schema)}`,
    `--out=${made}`,
  ]);
  const tables = partitioned(await readFile(join(made, "0000_tables.sql"), "utf8"));
  expect(await readCommitted(join(migrations, "0000_tables.sql"), tables)).toBe(tables);
  // drizzle-kit draws an id at random.
  const snapshot = (await readFile(join(made, "meta", "0000_snapshot.json"), "utf8")).replace(
    /"id": "[0-9a-f-]{36}"/,
    '"id": "00000000-0000-4000-8000-000000000001"',
  );
  expect(await readCommitted(join(migrations, "meta", "0000_snapshot.json"), snapshot)).toBe(snapshot);
});

/** Drizzle has no words for this. */
function partitioned(tables: string): string {
  const by = { transaction_statuses: "status_date", transaction_keys: "month" };
  return Object.entries(by).reduce(
    (text, [table, column]) =>
      text.replace(
        new RegExp(`(CREATE TABLE "tieout"."${table}" \\([^;]*\\n\\));`),
        `$1 PARTITION BY RANGE ("${column}");`,
      ),
    tables,
  );
}

test("the migrations are those of the journal, with one and one snapshot", async () => {
  const files = (await readdir(migrations, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(relative(migrations, entry.parentPath), entry.name));
  const journal = JSON.parse(await readFile(join(migrations, "meta", "_journal.json"), "utf8")) as {
    entries: { tag: string }[];
  };
  expect(files.toSorted()).toEqual(
    [
      ...journal.entries.map(({ tag }) => `${tag}.sql`),
      "meta/0000_snapshot.json",
      "meta/_journal.json",
      "released.json",
    ].toSorted(),
  );
});
