import { existsSync } from "node:fs";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { createErasureKey } from "../../src/core/erasure.ts";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { migrateDatabase } from "../../src/store/migrate.ts";
import { verify } from "../../src/sync/verify.ts";
import { aPerson, everyRole } from "../support/people.ts";
import { dataOf, loadData, saveData } from "../support/released-data.ts";
import type { MigrationFile } from "../support/released-migrations.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { openTestFolder } from "../support/test-folder.ts";
import { usePage } from "../web/a-page.ts";
import { seedFormScreens } from "../web/form-screens.ts";

const released = JSON.parse(await readFile("migrations/released.json", "utf8")) as Record<
  string,
  MigrationFile[]
>;
const missing = () => Object.keys(released).filter((version) => !existsSync(dataOf(version)));

describe("every release", () => {
  const database = useTestDatabase();
  const service = usePage(database, {
    approvalHandlers: { reopen: async () => undefined },
    openErasureKey: async () => createErasureKey(Buffer.alloc(32)),
  });

  /** With UPDATE_DOCS=1 this test writes down the one that today's version makes, with something in nearly every table. */
  test("has left a database behind", async () => {
    const made = process.env["UPDATE_DOCS"] === "1" ? missing() : [];
    for (const version of made) {
      await seedFormScreens(database.db, service, await aPerson(database.db, everyRole));
      await mkdir(dirname(dataOf(version)), { recursive: true });
      await saveData(database.db, dataOf(version));
    }
    expect(missing()).toEqual([]);
  });
});

describe.each(Object.entries(released))("a database of %s", (version, files) => {
  const database = useTestDatabase({ template: "template0" });

  test("is brought to today's, with the same evidence and the same matches", async () => {
    const { db } = database;
    await migrateDatabase(db, await migrationsOf(files));
    const verified = await loadData(db, dataOf(version));
    await migrateDatabase(db, resolve("migrations"));
    // The windows of this database were made up, and verify said so then.
    expect(await verify(db)).toEqual(verified);
    const accounts = await db.query<{ id: number }>("select id from tieout.accounts");
    for (const { id } of accounts) {
      const results = await reconcileAccount(db, id, { full: true });
      for (const { counts } of results) expect(counts).toMatchObject({ matched: 0, unmatched: 0 });
    }
  });
});

/** The migrations that a release had, and none that came later. */
async function migrationsOf(files: readonly MigrationFile[]): Promise<string> {
  const folder = await openTestFolder("tieout-released-");
  await cp("migrations", folder, { recursive: true });
  const entries = files.map(({ name }) => ({ tag: name }));
  await writeFile(join(folder, "meta", "_journal.json"), JSON.stringify({ entries }));
  return folder;
}
