import { createHash } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { addDecimals, type Decimal, decimal, subtractDecimals } from "../../src/core/decimal.ts";
import { readRates } from "../../src/reconcile/rates/read-rates.ts";
import { saveRates } from "../../src/store/fees/rates.ts";
import { set } from "../close/set.ts";
import { type Books, openBooks } from "../reconcile/books.ts";
import { receive } from "../reconcile/receipts/bank.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { report, rowsOf, sum } from "./claims.ts";
import { declares, importFile, owed } from "./statement-file.ts";

const database = useTestDatabase();
let books: Books;

/** `tieout rates import`: what one unit of each currency is in euros, by day. */
async function importRates(
  rates: readonly (readonly [day: string, currency: string, rate: string])[],
): Promise<void> {
  const lines = rates.map(([day, currency, rate]) => `${day},${currency},EUR,${rate},me`);
  const text = ["date,base,quote,rate,source", ...lines, ""].join("\n");
  await saveRates(database.db, {
    rates: readRates(text, "rates.csv"),
    fileName: "rates.csv",
    sha256: createHash("sha256").update(text).digest(),
    actor: "a person",
  });
}

/** Of the receivable, what the books in euros moved by. */
const inEuros = (rows: readonly Record<string, string>[]): Decimal =>
  subtractDecimals(
    sum(rows.map((row) => row["functional_debit"])),
    sum(rows.map((row) => row["functional_credit"])),
  );
const ofAccount = (rows: readonly Record<string, string>[], name: string, currency?: string) =>
  rows.filter(
    (row) => row["account_name"]?.includes(name) && (currency === undefined || row["currency"] === currency),
  );

/**
 * 1,000 USD earned in March and 500 in April; 1,500 are paid in April, as 1,395 EUR. A dollar is 0.8, then 0.9 at the end of March, 0.95
 * when more is earned and 0.92 on the day of the payout. A payout in dollars arrives when a dollar is 0.94.
 */
beforeAll(async () => {
  books = await openBooks(database.db);
  await set(books, "functional_currency", "EUR");
  await importRates([
    ["2026-03-10", "USD", "0.8"],
    ["2026-03-31", "USD", "0.9"],
    ["2026-04-05", "USD", "0.95"],
    ["2026-04-12", "USD", "0.91"],
    ["2026-04-17", "USD", "0.92"],
    ["2026-04-20", "USD", "0.96"],
    ["2026-04-24", "USD", "0.94"],
    ["2026-04-30", "USD", "0.97"],
  ]);
  await importFile(books, [
    owed("2026-03-10T10:00:00Z", "1000", "USD", "SX-1"),
    owed("2026-04-05T10:00:00Z", "500", "USD", "SX-1"),
    declares("2026-04-17T00:00:00Z", "1395", "EUR", "SX-1", "0.93"),
    owed("2026-04-20T10:00:00Z", "100", "USD", "SX-2026-2"),
    declares("2026-04-20T12:00:00Z", "100", "USD", "SX-2026-2"),
  ]);
  await receive(books, [["2026-04-24", "100", "SX-2026-2", "USD"]]);
});

const march = { from: "2026-03-01", to: "2026-04-01" };
const april = { from: "2026-04-01", to: "2026-05-01" };

describe("exchange differences", () => {
  test("a claim is carried at the rate of the last day, and the journal books what that changes", async () => {
    const rows = await rowsOf(books, "journal", { ...march, event: "exchange_difference" });
    expect(
      rows.map((row) =>
        [row["date"], row["account_name"], row["currency"], row["debit"], inEuros([row])].join(" "),
      ),
    ).toEqual([
      "2026-03-31 assets:receivable:simplex USD  100",
      "2026-03-31 expenses:exchange gains and losses USD  -100",
    ]);
    expect(rows[0]).toMatchObject({ entry: "X2026-03-31/receivable/simplex/USD", rate: "0.9", credit: "" });
    expect(await rowsOf(books, "receivable", march)).toMatchObject([
      {
        currency: "USD",
        functional_opening: "0",
        functional_moved: "800",
        exchange_difference: "100",
        functional_closing: "900",
      },
    ]);
  });

  test("a claim that is settled leaves nothing in the books", async () => {
    const rows = await rowsOf(books, "journal", april);
    const [, usd] = await rowsOf(books, "receivable", april);
    // 900 + 500 at 0.95, less 1,500 at 0.92: 5 were gained; and 100 came and went at one rate.
    expect(usd).toMatchObject({
      currency: "USD",
      functional_opening: "900",
      functional_moved: "-905",
      exchange_difference: "5",
      functional_closing: "0",
    });
    expect(inEuros(ofAccount(rows, "receivable", "USD"))).toBe("-900");
    expect(inEuros(ofAccount(rows, "in transit"))).toBe("1395");
  });

  test("what the provider's own rate gains or loses is booked with the conversion", async () => {
    const rows = await rowsOf(books, "journal", {
      ...april,
      payout_ref: "SX-1",
      event: "exchange_difference",
    });
    // 1,500 dollars were worth 1,380 that day, and 1,395 were declared.
    expect(rows.map((row) => [row["date"], row["account_name"], inEuros([row])].join(" "))).toEqual([
      "2026-04-17 equity:currency exchange 15",
      "2026-04-17 expenses:exchange gains and losses -15",
    ]);
    const all = await rowsOf(books, "journal", { to: april.to });
    expect(inEuros(ofAccount(all, "currency exchange"))).toBe("0");
    expect(inEuros(all)).toBe("0");
  });

  test("the journals of single days add up to that of the month", async () => {
    const ofMonth = await rowsOf(books, "journal", {
      ...april,
      currency: "USD",
      event: "exchange_difference",
    });
    let ofDays = decimal("0");
    for (let day = 1; day <= 30; day++) {
      const at = (number: number) => `2026-04-${String(number).padStart(2, "0")}`;
      const to = day === 30 ? "2026-05-01" : at(day + 1);
      const rows = await rowsOf(books, "journal", {
        from: at(day),
        to,
        currency: "USD",
        event: "exchange_difference",
      });
      ofDays = addDecimals(ofDays, inEuros(ofAccount(rows, "receivable")));
    }
    expect(ofDays).toBe(inEuros(ofAccount(ofMonth, "receivable")));
  });

  test("without a rate for the end or the start of the period nothing is booked, and nothing is claimed", async () => {
    const known = { from: "2026-03-01", to: "2026-03-28" };
    expect(await rowsOf(books, "receivable", known)).toMatchObject([
      { functional_moved: "800", functional_closing: "", exchange_difference: "", rate_missing: "true" },
    ]);
    expect(await rowsOf(books, "journal", { ...known, event: "exchange_difference" })).toEqual([]);
    const later = { from: "2026-03-28", to: "2026-04-01" };
    expect(await rowsOf(books, "receivable", later)).toMatchObject([
      { functional_opening: "", functional_closing: "900", exchange_difference: "", rate_missing: "false" },
    ]);
    expect(await rowsOf(books, "journal", { ...later, event: "exchange_difference" })).toEqual([]);
  });

  test("other programs get the original amounts only", async () => {
    for (const layout of ["xero", "quickbooks", "netsuite", "hledger"]) {
      // One file per currency for Xero.
      const only = layout === "xero" ? { currency: "USD" } : {};
      const text = await report(books, "journal", { to: april.to, layout, ...only });
      expect(text).not.toContain("exchange difference");
    }
  });
});
