import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { editedWorkbook } from "../api/edited-workbook.ts";
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

const tieout = (...args: string[]) =>
  runTieout(args, { DATABASE_URL: database.url.reveal(), TIEOUT_DATA_DIR: folder });
const exportTo = (name: string, ...args: string[]) =>
  tieout("discrepancies", "export", "--out", join(folder, name), ...args);

test("a provider is taken in any case, as everywhere else", async () => {
  const { code, stderr } = await exportTo("one.xlsx", "--provider", "MoonPay", "--account", books.name);
  expect([code, stderr]).toEqual([0, expect.stringContaining("1 open discrepancy")]);
});

test("the decisions of a workbook count from the day that is named", async () => {
  const [row] = await database.db.query<{ id: number; version: number }>(
    "select id::int, version from tieout.discrepancies where transaction_id = 'missing'",
  );
  const file = join(folder, "decided.xlsx");
  await writeFile(
    file,
    await editedWorkbook([[`dis_${row?.id}`, `${row?.version}`, "resolve", "", "by mail"]]),
  );
  const take = (word: string, day: string) => tieout("discrepancies", word, file, "--booked-at", day);
  for (const [day, why] of [
    ["soon", '--booked-at: not a day or a time: "soon"'],
    ["2999-01-01", "2999-01-01 is in the future"],
  ] as const) {
    const { code, stderr } = await take("import", day);
    expect([day, code, stderr]).toEqual([day, day === "soon" ? 2 : 1, expect.stringContaining(why)]);
  }
  expect((await take("preview", "2026-05-04")).stdout).toContain("1 row: 1 would be changed");
  expect((await take("import", "2026-05-04")).stdout).toContain("1 row: 1 changed");
  const [decided] = await database.db.query("select booked_at::date::text as day from tieout.decisions");
  expect(decided).toEqual({ day: "2026-05-04" });
});

test("a long workbook is counted with commas, as everything else", async () => {
  const rows = Array.from({ length: 1_001 }, (_, n) => [`dis_${n + 1_000}`, "1", "", "", ""]);
  const file = join(folder, "long.xlsx");
  await writeFile(file, await editedWorkbook(rows));
  const { stdout } = await tieout("discrepancies", "preview", file);
  expect(stdout).toBe("1,001 rows: 0 would be changed, 1,001 unchanged, 0 refused\n");
});

test("an account that does not exist is refused, and no empty workbook is written", async () => {
  const { code, stderr } = await exportTo("none.xlsx", "--account", "mistyped");
  expect(code).toBe(2);
  expect(stderr).toContain('there is no account "mistyped"; there are: ');
  await expect(stat(join(folder, "none.xlsx"))).rejects.toThrow("ENOENT");
});
