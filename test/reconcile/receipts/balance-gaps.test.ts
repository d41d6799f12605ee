import { expect, test } from "vitest";
import { importReceipts } from "../../../src/reconcile/receipts/import-receipts.ts";
import { withdrawReceipts } from "../../../src/reconcile/receipts/withdraw-receipts.ts";
import { listBalanceGaps } from "../../../src/store/receipts/balance-gaps.ts";
import { useTestDatabase } from "../../support/test-database.ts";
import { type Books, openBooks } from "../books.ts";
import { requestFor, sourceOf } from "./bank.ts";

const database = useTestDatabase();

interface Statement {
  from: string;
  to: string;
  opening: number;
  closing: number;
  account?: string;
}

/** One credit that leads from the opening balance to the closing one. Days of March 2026. */
function mt940({ from, to, opening, closing, account = "DE1" }: Statement): string {
  return `:20:X\n:25:${account}\n:28C:1/1\n:60F:C2603${from}EUR${opening},\n:61:2603${to}C${closing - opening},NTRF${to}X\n:62F:C2603${to}EUR${closing},\n-\n`;
}

function csv(rows: readonly (readonly [day: string, amount: number, balance: number])[]): string {
  const lines = rows.map(
    ([day, amount, balance]) => `DE1,2026-03-${day},${amount},EUR,text ${day},${balance}`,
  );
  return ["Account,Booking date,Amount,Currency,Description,Balance", ...lines, ""].join("\n");
}

async function take(books: Books, text: string, name: string) {
  const result = await importReceipts({ database: books.db }, sourceOf(text, name), requestFor(books));
  return { id: result.file.id, warnings: result.warnings };
}

const said = async (books: Books) =>
  (await listBalanceGaps({ database: books.db, accountIds: [books.accountId] })).map(
    ({ fromFile, toFile, missing }) => `${fromFile} ${toFile} ${missing}`,
  );

test("a statement that is missing between two files is said until it comes, and again when it is withdrawn", async () => {
  const books = await openBooks(database.db);
  expect(
    (await take(books, mt940({ from: "24", to: "25", opening: 10, closing: 15 }), "a.sta")).warnings,
  ).toEqual([]);
  const { warnings } = await take(books, mt940({ from: "26", to: "27", opening: 22, closing: 30 }), "c.sta");
  expect(warnings).toEqual([
    {
      code: "balance_gap",
      message:
        "DE1: a.sta closes with 15 EUR (2026-03-25) and c.sta opens with 22 EUR (2026-03-27). " +
        "Bookings that come to 7 EUR are missing: import the statement between them, or ask the bank for it",
    },
  ]);
  expect(await said(books)).toEqual(["a.sta c.sta 7"]);
  const between = await take(books, mt940({ from: "25", to: "26", opening: 15, closing: 22 }), "b.sta");
  expect([between.warnings, await said(books)]).toEqual([[], []]);
  await withdrawReceipts(books.db, { fileId: between.id, reason: "test", actor: "test" });
  expect(await said(books)).toEqual(["a.sta c.sta 7"]);
});

test("statements that overlap, several of a day, and other accounts are not a gap", async () => {
  const books = await openBooks(database.db);
  const files = [
    { from: "24", to: "25", opening: 10, closing: 15 },
    { from: "25", to: "25", opening: 15, closing: 18 },
    { from: "25", to: "26", opening: 18, closing: 20 },
    { from: "28", to: "29", opening: 1, closing: 2, account: "DE2" },
  ];
  // In any order.
  for (const [at, file] of files.toReversed().entries()) await take(books, mt940(file), `${at}.sta`);
  expect(await said(books)).toEqual([]);
});

test("running balances of CSV files are compared, but not where they overlap", async () => {
  const books = await openBooks(database.db);
  await take(
    books,
    csv([
      ["20", 5, 15],
      ["21", 5, 20],
    ]),
    "a.csv",
  );
  await take(
    books,
    csv([
      ["21", 5, 20],
      ["23", 5, 25],
    ]),
    "b.csv",
  );
  expect(await said(books)).toEqual([]);
  expect((await take(books, csv([["25", 1, 31]]), "c.csv")).warnings).toMatchObject([
    { code: "balance_gap" },
  ]);
  // A file without balances that brings the missing money fills the gap as well.
  const plain = "Account,Booking date,Amount,Currency,Description\nDE1,2026-03-24,5,EUR,late\n";
  expect((await take(books, plain, "d.csv")).warnings).toEqual([]);
  expect(await said(books)).toEqual([]);
});
