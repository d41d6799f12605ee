import { beforeAll, describe, expect, test } from "vitest";
import { addDecimals, type Decimal, decimal, negateDecimal, zero } from "../../src/core/decimal.ts";
import { type Books, openBooks } from "../reconcile/books.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { report, rowsOf } from "./claims.ts";
import { declares, importFile, owed } from "./statement-file.ts";

const database = useTestDatabase();
let books: Books;

/** 9,359.68 USD at 0.92 is 8,610.9056 EUR; the provider rounds and pays 8,610.91. Of SX-3 it pays 2.00 too little. */
beforeAll(async () => {
  books = await openBooks(database.db);
  await importFile(books, [
    owed("2026-03-05T10:00:00Z", "9000.01", "USD", "SX-2"),
    owed("2026-03-06T10:00:00Z", "359.67", "USD", "SX-2"),
    declares("2026-03-17T00:00:00Z", "8610.91", "EUR", "SX-2", "0.92"),
    owed("2026-03-20T10:00:00Z", "100", "USD", "SX-3"),
    declares("2026-03-24T00:00:00Z", "90", "EUR", "SX-3", "0.92"),
  ]);
});

const march = { from: "2026-03-01", to: "2026-04-01" };
const total = (amounts: readonly string[]) =>
  amounts.reduce<Decimal>((sum, amount) => addDecimals(sum, decimal(amount)), zero);

describe("a payout in another currency than its lines", () => {
  test("that is tied books what was declared, and leaves nothing behind", async () => {
    const early = { from: "2026-03-01", to: "2026-03-20" };
    expect(await rowsOf(books, "receivable", early)).toMatchObject([
      { currency: "EUR", converted: "8610.91", paid_out: "8610.91", closing: "0", unexplained: "0" },
      { currency: "USD", earned: "9359.68", converted: "-9359.68", closing: "0", unexplained: "0" },
    ]);
    const rows = await rowsOf(books, "journal", { ...early, event: "conversion", currency: "EUR" });
    expect(rows.map(({ debit, credit }) => debit || `-${credit}`)).toEqual(["8610.91", "-8610.91"]);
    const xero = await report(books, "journal", { ...early, currency: "EUR", layout: "xero" });
    expect(xero).not.toContain("8610.9056");
  });

  test("shows what the rate gives beside what was declared", async () => {
    const [row] = await rowsOf(books, "payout-reconciliation", { ...march, payout_ref: "SX-2" });
    expect(row).toMatchObject({
      net_computed: "8610.9056",
      net_declared: "8610.91",
      difference: "0.0044",
      status: "tied",
    });
  });

  test("that is not tied books what the rate gives, and the difference stays in the claim", async () => {
    const [eur, usd] = await rowsOf(books, "receivable", march);
    expect(eur).toMatchObject({ converted: "8702.91", paid_out: "8700.91", closing: "2" });
    expect(usd).toMatchObject({ closing: "0" });
  });

  test("the journal's receivable is that of the report", async () => {
    const rows = await rowsOf(books, "journal", march);
    for (const { currency, closing } of await rowsOf(books, "receivable", march)) {
      const posted = rows
        .filter((row) => row["account_code"] === "1200" && row["currency"] === currency)
        .map(({ debit, credit }) => debit || negateDecimal(decimal(credit || "0")));
      expect(total(posted)).toBe(closing);
    }
  });
});
