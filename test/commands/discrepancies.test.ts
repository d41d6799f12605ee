import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addMissingOrder, openMonth } from "../close/a-month.ts";
import type { Books } from "../reconcile/books.ts";
import { runTieout } from "../support/run-tieout.ts";
import { useTestDatabase } from "../support/test-database.ts";

const database = useTestDatabase();
let folder = "";
let books: Books;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tieout-test-"));
  books = await openMonth(database.db);
  await addMissingOrder(books, "missing");
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const exportTo = (name: string, ...args: string[]) =>
  runTieout(["discrepancies", "export", "--out", join(folder, name), ...args], {
    DATABASE_URL: database.url.reveal(),
    TIEOUT_DATA_DIR: folder,
  });

test("a provider is taken in any case, as everywhere else", async () => {
  const { code, stderr } = await exportTo("one.xlsx", "--provider", "MoonPay", "--account", books.name);
  expect([code, stderr]).toEqual([0, expect.stringContaining("1 open discrepancy")]);
});

test("an account that does not exist is refused, and no empty workbook is written", async () => {
  const { code, stderr } = await exportTo("none.xlsx", "--account", "mistyped");
  expect(code).toBe(2);
  expect(stderr).toContain('there is no account "mistyped"; there are: ');
  await expect(stat(join(folder, "none.xlsx"))).rejects.toThrow("ENOENT");
});
