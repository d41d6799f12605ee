import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { addDecimals, decimal, multiplyDecimals, subtractDecimals } from "../../src/core/decimal.ts";
import { readRates } from "../../src/reconcile/rates/read-rates.ts";
import { saveRates } from "../../src/store/fees/rates.ts";
import { set } from "../close/set.ts";
import { type Books, openBooks } from "../reconcile/books.ts";
import { receive } from "../reconcile/receipts/bank.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { databaseNow, rowsOf, sum } from "./claims.ts";
import { declares, importFile, owed } from "./statement-file.ts";

const database = useTestDatabase();
const runs = 4;
const refs = ["SX-REF-A", "SX-REF-B", "SX-REF-C"];

const cents = fc.integer({ min: -50_000, max: 900_000 }).map((number) => (number / 100).toFixed(2));
const day = fc.integer({ min: 0, max: 60 }).map((number) => dayOf(number));
const rate = fc.integer({ min: 6000, max: 14_000 }).map((number) => (number / 10_000).toFixed(4));

/** Days from 1 March 2026 on, or before it. */
function dayOf(number: number): string {
  return new Date(Date.UTC(2026, 2, 1 + number)).toISOString().slice(0, 10);
}

const aLine = fc.record({
  day,
  net: cents,
  currency: fc.constantFrom("USD", "GBP", "EUR"),
  ref: fc.constantFrom(...refs),
  type: fc.constantFrom("commission", "fee", "reserve"),
  /** Whether it comes only after March was closed. */
  isLate: fc.boolean(),
});
const aPayout = fc.record({ day, net: cents, currency: fc.constantFrom("USD", "EUR"), rate });
const aHistory = fc.record({
  lines: fc.array(aLine, { minLength: 4, maxLength: 14 }),
  payouts: fc.tuple(aPayout, aPayout, fc.option(aPayout, { nil: null })),
  /** What of the first payout arrives, and when. */
  receipt: fc.record({ day: fc.integer({ min: 20, max: 60 }), net: cents }),
  rates: fc.array(rate, { minLength: 140, maxLength: 140 }),
  restated: rate,
});
type History = typeof aHistory extends fc.Arbitrary<infer Value> ? Value : never;

async function importRates(rates: readonly (readonly [string, string, string])[]): Promise<void> {
  const lines = rates.map(([on, currency, value]) => `${on},${currency},EUR,${value},me`);
  const text = ["date,base,quote,rate,source", ...lines, ""].join("\n");
  const sha256 = createHash("sha256").update(text).digest();
  const given = {
    rates: readRates(text, "rates.csv"),
    fileName: "rates.csv",
    sha256,
    actor: "a person",
    acceptReason: "a test",
  };
  await saveRates(database.db, given);
}

/** Rates of every day, books in euros, March as it was known first, and what came later. */
async function live(history: History): Promise<{ books: Books; marchKnownAt: string }> {
  const books = await openBooks(database.db);
  await set(books, "functional_currency", "EUR");
  const ratesOf = (currency: string, offset: number) =>
    Array.from(
      { length: 70 },
      (_, at) => [dayOf(at - 5), currency, history.rates[offset + at] ?? "1"] as const,
    );
  await importRates([...ratesOf("USD", 0), ...ratesOf("GBP", 70)]);
  const write = (line: History["lines"][number], at: number) =>
    owed(`${line.day}T10:00:${String(at).padStart(2, "0")}Z`, line.net, line.currency, line.ref, line.type);
  const payouts = history.payouts.flatMap((payout, at) =>
    payout === null
      ? []
      : [declares(`${payout.day}T12:00:00Z`, payout.net, payout.currency, refs[at] ?? "", payout.rate)],
  );
  const rows = history.lines.map((line, at) => ({ isLate: line.isLate, text: write(line, at) }));
  await importFile(books, [...rows.filter(({ isLate }) => !isLate).map(({ text }) => text), ...payouts]);
  const { receipt } = history;
  await receive(books, [[dayOf(receipt.day), receipt.net, refs[0] ?? "", history.payouts[0].currency]]);
  const marchKnownAt = await databaseNow(books);
  const late = rows.filter(({ isLate }) => isLate).map(({ text }) => text);
  if (late.length > 0) await importFile(books, late);
  await importRates([["2026-03-31", "USD", history.restated]]);
  return { books, marchKnownAt };
}

const signed = (rows: readonly Record<string, string>[], name = "functional_") =>
  subtractDecimals(sum(rows.map((row) => row[`${name}debit`])), sum(rows.map((row) => row[`${name}credit`])));
const carried = ["1200", "1210", "1215", "1220", "2100"];

test("functional opening, plus what the journal moves, is functional closing, whatever rates and facts do", async () => {
  await fc.assert(
    fc.asyncProperty(aHistory, async (history) => {
      const { books, marchKnownAt } = await live(history);
      const march = { from: "2026-03-01", to: "2026-04-01" };
      const april = { from: "2026-04-01", to: "2026-05-01" };
      const asked = [
        { ...march, known_at: marchKnownAt },
        march,
        april,
        { ...april, prior_known_at: marchKnownAt },
        { to: "2026-05-01" },
      ];
      for (const given of asked) {
        const journal = await rowsOf(books, "journal", given);
        expect(signed(journal)).toBe("0");
        expect(signed(journal.filter((row) => row["account_code"] === "3900"))).toBe("0");
        for (const row of await rowsOf(books, "receivable", given)) {
          const own = journal.filter(
            (one) => one["account_code"] === "1200" && one["currency"] === row["currency"],
          );
          expect(addDecimals(decimal(row["functional_opening"] ?? ""), signed(own))).toBe(
            row["functional_closing"],
          );
          expect(row["functional_closing"]).toBe(
            multiplyDecimals(decimal(row["closing"] ?? ""), decimal(row["rate"] ?? "")),
          );
        }
      }
      // Month after month, as they were closed: what all journals have booked is the balance at the rate of the last day.
      const closed = [
        ...(await rowsOf(books, "journal", { ...march, known_at: marchKnownAt })),
        ...(await rowsOf(books, "journal", { ...april, prior_known_at: marchKnownAt })),
      ];
      const [last] = history.rates.slice(65, 66);
      for (const code of carried) {
        const dollars = closed.filter((row) => row["account_code"] === code && row["currency"] === "USD");
        expect(signed(dollars)).toBe(multiplyDecimals(signed(dollars, ""), decimal(last ?? "")));
      }
    }),
    // A smaller example would take minutes to find: each one is books of its own.
    { numRuns: runs, endOnFailure: true },
  );
}, 240_000);
