import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { type Books, openBooks } from "../reconcile/books.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { databaseNow, rowsOf, sum } from "./claims.ts";
import { declares, importFile, owed } from "./statement-file.ts";

const database = useTestDatabase();
const march = { from: "2026-03-01", to: "2026-04-01" };

/** Lines with four decimals come to 100.0026 EUR, and the provider pays in cents. */
async function booksWith(paid: string): Promise<Books> {
  const books = await openBooks(database.db);
  await importFile(books, [
    owed("2026-03-05T10:00:00Z", "33.3341", "EUR", "SX-1"),
    owed("2026-03-06T10:00:00Z", "33.3342", "EUR", "SX-1"),
    owed("2026-03-07T10:00:00Z", "33.3343", "EUR", "SX-1"),
    declares("2026-03-17T00:00:00Z", paid, "EUR", "SX-1"),
  ]);
  return books;
}

const inWords = ({ date, event, account_code: code, debit, credit }: Record<string, string>) =>
  `${date} ${event} ${code} ${debit ? debit : `-${credit}`}`;

describe("a payout in the currency of its lines", () => {
  test.each([
    ["100", "-0.0026"],
    ["100.01", "0.0074"],
  ])("of %s agrees to the cent, and leaves nothing in the claim", async (paid, rounding) => {
    const books = await booksWith(paid);
    expect(await rowsOf(books, "discrepancies", {})).toEqual([]);
    expect(await rowsOf(books, "receivable", march)).toMatchObject([
      { earned: "100.0026", adjusted: rounding, paid_out: paid, closing: "0", unexplained: "0" },
    ]);
    const booked = (await rowsOf(books, "journal", { ...march, event: "payout_rounding" })).map(inWords);
    const other = rounding.startsWith("-") ? rounding.slice(1) : `-${rounding}`;
    expect(booked).toEqual([
      `2026-03-17 payout_rounding 1200 ${rounding}`,
      `2026-03-17 payout_rounding 5300 ${other}`,
    ]);
    // Before the payout nothing is rounded.
    expect(await rowsOf(books, "receivable", { ...march, to: "2026-03-17" })).toMatchObject([
      { adjusted: "0", closing: "100.0026" },
    ]);
  });

  test("of 99.99 does not agree: the difference is a discrepancy, and stays in the claim", async () => {
    const books = await booksWith("99.99");
    expect(await rowsOf(books, "discrepancies", {})).toMatchObject([{ code: "payout_sum_mismatch" }]);
    expect(await rowsOf(books, "receivable", march)).toMatchObject([{ adjusted: "0", closing: "0.0126" }]);
    expect(await rowsOf(books, "journal", { ...march, event: "payout_rounding" })).toEqual([]);
  });

  test("that is exact has nothing to round", async () => {
    const books = await booksWith("100.0026");
    expect(await rowsOf(books, "journal", { ...march, event: "payout_rounding" })).toEqual([]);
  });

  test("that a correction explains later is no longer rounded, and was as long as that was not known", async () => {
    const books = await booksWith("100");
    const before = await databaseNow(books);
    await importFile(books, [owed("2026-03-08T10:00:00Z", "-0.0026", "EUR", "SX-1", "adjustment")]);
    expect(await rowsOf(books, "receivable", march)).toMatchObject([{ adjusted: "-0.0026", closing: "0" }]);
    const events = async (given: object) =>
      (await rowsOf(books, "journal", { ...march, ...given })).map(({ event }) => event);
    expect(await events({})).not.toContain("payout_rounding");
    expect(await events({ known_at: before })).toContain("payout_rounding");
  });
});

test("a coin that no record names is compared to its own last place, and not to a hundredth", async () => {
  const books = await openBooks(database.db);
  await importFile(books, [
    owed("2026-03-05T10:00:00Z", "0.5", "BTC", "SX-4"),
    declares("2026-03-17T00:00:00Z", "0.495", "BTC", "SX-4"),
    owed("2026-03-06T10:00:00Z", "0.123456789", "ETH", "SX-5"),
    declares("2026-03-17T00:00:00Z", "0.12345679", "ETH", "SX-5"),
    owed("2026-03-07T10:00:00Z", "1000.4", "JPY", "SX-6"),
    declares("2026-03-17T00:00:00Z", "1000", "JPY", "SX-6"),
  ]);
  const statuses = (await rowsOf(books, "payout-reconciliation", march)).map((row) => row["status"]);
  expect(statuses).toEqual(["not_tied", "tied", "tied"]);
  expect(await rowsOf(books, "discrepancies", {})).toMatchObject([
    { code: "payout_sum_mismatch", payout_ref: "SX-4", delta: "-0.005" },
  ]);
  const closing = (await rowsOf(books, "receivable", march)).map((row) => [row["currency"], row["closing"]]);
  expect(Object.fromEntries(closing)).toEqual({ btc: "0.005", eth: "0", JPY: "0" });
});

test("a payout that an earlier version tied by too coarse a unit is judged again after the migration", async () => {
  const books = await openBooks(database.db);
  await importFile(books, [
    owed("2026-03-05T10:00:00Z", "0.5", "BTC", "SX-7"),
    declares("2026-03-17T00:00:00Z", "0.495", "BTC", "SX-7"),
  ]);
  await reconcileAccount(database.db, books.accountId);
  // As an earlier version left it.
  await database.db.query(
    "update tieout.payouts set status = 'tied', last_changed_at = clock_timestamp() where account_id = $1",
    [books.accountId],
  );
  const then = await databaseNow(books);
  const migration = await readFile("migrations/0019_payout_rounding.sql", "utf8");
  const lookAgain = migration.split("--> statement-breakpoint").find((one) => one.includes("delete from"));
  await database.db.query(lookAgain ?? "");
  await reconcileAccount(database.db, books.accountId);
  const status = async (given: object) =>
    (await rowsOf(books, "payout-reconciliation", { ...march, ...given })).map((row) => row["status"]);
  expect([await status({}), await status({ known_at: then })]).toEqual([["not_tied"], ["tied"]]);
});

test("a converted payout is not rounded twice, also with lines of its own currency", async () => {
  const books = await openBooks(database.db);
  await importFile(books, [
    owed("2026-03-05T10:00:00Z", "9359.68", "USD", "SX-2"),
    owed("2026-03-06T10:00:00Z", "10.001", "EUR", "SX-2"),
    // 8610.9056 and 10.001 are 8620.9066.
    declares("2026-03-17T00:00:00Z", "8620.91", "EUR", "SX-2", "0.92"),
    owed("2026-03-18T10:00:00Z", "5.001", "EUR", "SX-3"),
    owed("2026-03-18T10:00:00Z", "7", "USD", "SX-3"),
    owed("2026-03-19T10:00:00Z", "-7", "USD", "SX-3"),
    // What was converted comes to nothing; what is left was rounded.
    declares("2026-03-20T00:00:00Z", "5", "EUR", "SX-3", "0.92"),
  ]);
  const rows = await rowsOf(books, "receivable", march);
  expect(rows.map(({ currency, adjusted, closing }) => [currency, adjusted, closing])).toEqual([
    ["EUR", "-0.001", "0"],
    ["USD", "0", "0"],
  ]);
  const posted = (await rowsOf(books, "journal", march)).filter((row) => row["account_code"] === "1200");
  for (const currency of ["EUR", "USD"]) {
    const ofIt = posted.filter((row) => row["currency"] === currency);
    expect(sum(ofIt.map((row) => row["debit"]))).toBe(sum(ofIt.map((row) => row["credit"])));
  }
});
