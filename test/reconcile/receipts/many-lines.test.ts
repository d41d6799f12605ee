import { expect, test } from "vitest";
import { importReceipts, previewReceipts } from "../../../src/reconcile/receipts/import-receipts.ts";
import { useTestDatabase } from "../../support/test-database.ts";
import { waitFor } from "../../support/wait-for.ts";
import { openBooks } from "../books.ts";
import { requestFor, sourceOf } from "./bank.ts";

const database = useTestDatabase();

const csv = (day: string, rows: number) =>
  [
    "Account,Booking date,Amount,Currency,Description",
    ...Array.from({ length: rows }, (_, n) => `DE1,2026-03-${day},${1 + (n % 900)},EUR,text ${n}`),
    "",
  ].join("\n");

test("a large file is read line by line, also when the database takes the table for an empty one", async () => {
  const books = await openBooks(database.db);
  const take = (text: string, name: string, how = importReceipts) =>
    how({ database: books.db }, sourceOf(text, name), requestFor(books));
  await take(csv("24", 2), "first.csv");
  const rows = 24_000;
  // What a preview leaves behind looks like this to autovacuum: many pages, and two lines in them.
  await take(csv("25", rows), "large.csv", previewReceipts);
  await database.db.query("analyze tieout.receipt_lines");

  const before = await linesRead();
  await take(csv("25", rows), "large.csv");
  const read = await linesRead(before + rows);
  expect((read - before) / rows).toBeLessThan(20);
});

/** Entries of the table's indexes that were followed; counted a moment after a transaction has ended. */
async function linesRead(least = 0): Promise<number> {
  let read = 0;
  await waitFor("the count", async () => {
    const [row] = await database.db.query<{ read: number }>(
      `select sum(idx_tup_read)::float8 as read from pg_stat_user_indexes where relname = 'receipt_lines' and schemaname = 'tieout'`,
    );
    read = row?.read ?? 0;
    return read >= least;
  });
  return read;
}
