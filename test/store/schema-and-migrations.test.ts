import { execFile } from "node:child_process";
import { cp, readdir, readFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import drizzle from "../../drizzle.config.ts";
import { openTestFolder } from "../support/test-folder.ts";

const migrations = resolve("migrations");

/** Who changes a table there makes its migration with `npx drizzle-kit generate --name=what_it_does`. */
test("the migrations make every table as src/store/schema has it", async () => {
  const copy = await openTestFolder("tieout-tables-");
  await cp(migrations, copy, { recursive: true });
  await promisify(execFile)(process.execPath, [
    resolve("node_modules/drizzle-kit/bin.cjs"),
    "generate",
    "--name=missing",
    `--dialect=${drizzle.dialect}`,
    `--schema=${String(drizzle.schema)}`,
    // From here on: with an absolute path it finds none of the migrations that are there.
    `--out=${relative(".", copy)}`,
  ]);
  const missing = (await readdir(copy)).filter((name) => name.endsWith("_missing.sql"));
  const statements = await Promise.all(missing.map((name) => readFile(join(copy, name), "utf8")));
  expect(statements).toEqual([]);
});

test("the migrations are those of the journal, and each snapshot belongs to one of them", async () => {
  const files = (await readdir(migrations, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(relative(migrations, entry.parentPath), entry.name));
  const journal = JSON.parse(await readFile(join(migrations, "meta", "_journal.json"), "utf8")) as {
    entries: { tag: string }[];
  };
  const tags = journal.entries.map(({ tag }) => tag);
  const isSnapshot = (file: string) => file.endsWith("_snapshot.json");
  expect(files.filter((file) => !isSnapshot(file)).toSorted()).toEqual(
    [...tags.map((tag) => `${tag}.sql`), "meta/_journal.json", "released.json"].toSorted(),
  );
  const numbers = files.filter(isSnapshot).map((file) => file.slice("meta/".length, "meta/0000".length));
  expect(numbers.filter((number) => !tags.some((tag) => tag.startsWith(`${number}_`)))).toEqual([]);
});
