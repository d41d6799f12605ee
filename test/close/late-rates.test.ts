import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { preparePeriod } from "../../src/close/prepare.ts";
import { approvePeriod } from "../../src/close/sign.ts";
import { verifyPeriods } from "../../src/close/verify-periods.ts";
import { subtractDecimals } from "../../src/core/decimal.ts";
import type { Instant } from "../../src/core/instant.ts";
import { readRates } from "../../src/reconcile/rates/read-rates.ts";
import { instantOf } from "../../src/store/clock-time.ts";
import { saveRates } from "../../src/store/fees/rates.ts";
import type { Books } from "../reconcile/books.ts";
import { receive } from "../reconcile/receipts/bank.ts";
import { rowsOf, sum } from "../report/claims.ts";
import { declares, importFile, owed } from "../report/statement-file.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { alice, bob, monthOfBooks, openMonth } from "./a-month.ts";
import { set } from "./set.ts";

const database = useTestDatabase();
const now = "2026-11-01T00:00:00.000Z" as Instant;
const months = {
  "2026-03": { from: "2026-03-01", to: "2026-04-01" },
  "2026-04": { from: "2026-04-01", to: "2026-05-01" },
  "2026-05": { from: "2026-05-01", to: "2026-06-01" },
};
type Month = keyof typeof months;

/**
 * Books in euros with payouts in another currency, one for each test, because rates are everyone's. A rate holds for a week: those of 2 and 20 March leave 10 to 19 March and the days
 * from 28 March on without one. Those of 10 and 30 March come later.
 */
async function openForeign(currency: string): Promise<Books> {
  const books = await openMonth(database.db);
  await set(books, "functional_currency", "EUR");
  await importRates(currency, { "2026-03-02": "0.9", "2026-03-20": "0.85" });
  await importFile(books, [
    owed("2026-03-02T10:00:00Z", "500", currency, "SX-1"),
    declares("2026-03-12T00:00:00Z", "420", "EUR", "SX-1", "0.84"),
    owed("2026-03-10T10:00:00Z", "1000", currency, "SX-2026-2"),
    declares("2026-03-20T00:00:00Z", "1000", currency, "SX-2026-2"),
    owed("2026-03-21T10:00:00Z", "200", currency, "SX-3"),
  ]);
  await receive(books, [["2026-03-30", "1000", "SX-2026-2", currency]]);
  return books;
}

/** What one unit is in euros. */
async function importRates(currency: string, rates: Readonly<Record<string, string>>): Promise<void> {
  const lines = Object.entries(rates).map(([day, rate]) => `${day},${currency},EUR,${rate},me`);
  // Of rates drawn at random, a month may have none; a file without a row is refused.
  if (lines.length === 0) return;
  const text = ["date,base,quote,rate,source", ...lines, ""].join("\n");
  const sha256 = createHash("sha256").update(text).digest();
  await saveRates(database.db, {
    acceptReason: "drawn at random",
    rates: readRates(text, "r.csv"),
    fileName: "r.csv",
    sha256,
    actor: "a person",
  });
}

async function close(books: Books, month: Month): Promise<void> {
  const accepted = ["discrepancies", "statements", "receipts", "payouts"].map((line) => ({
    line,
    reason: "a test",
  }));
  await preparePeriod(database.db, await monthOfBooks(books, month), accepted, alice);
  await approvePeriod(database.db, await monthOfBooks(books, month), bob);
}

type Row = Record<string, string>;

/** The month's journal in euros, as it was signed or as it stands. */
async function journalOf(books: Books, month: Month): Promise<Row[]> {
  const { state, row, priorKnownAt } = await monthOfBooks(books, month);
  return rowsOf(books, "journal", {
    ...months[month],
    provider: "simplex",
    ...(state === "closed" ? { known_at: instantOf(row?.knownAt ?? "") } : {}),
    ...(priorKnownAt === null ? {} : { prior_known_at: priorKnownAt }),
  });
}

const euros = (rows: readonly Row[]) =>
  subtractDecimals(
    sum(rows.map((row) => row["functional_debit"])),
    sum(rows.map((row) => row["functional_credit"])),
  );
const balances = (rows: readonly Row[]) =>
  Object.fromEntries(
    [...new Set(rows.map((row) => row["account_code"] ?? ""))]
      .toSorted()
      .map((code) => [code, euros(rows.filter((row) => row["account_code"] === code))]),
  );
const inWords = (row: Row) =>
  `${row["date"]} ${row["event"]} ${row["account_name"]} ${euros([row])} at ${row["rate"]} of ${row["rate_date"]}`;

/** As if every rate had been there from the start: 1000 and 200 earned, 500 earned and exchanged, 1000 received. */
const asIfKnown = {
  "1000": "870", // 1,000 at 0.87
  "1200": "174", // 200 at 0.87
  "1210": "420", // The payout in euros has not arrived.
  "3900": "0",
  "4000": "-1420", // 500 at 0.9, 1,000 at 0.8, 200 at 0.85
  "5600": "-44", // 20 on the exchange, 4 on the claim, 20 on the way
};

test("a rate that was given after a month was closed puts its entries right in the next month", async () => {
  const books = await openForeign("USD");
  await close(books, "2026-03");
  const march = await journalOf(books, "2026-03");
  expect(march.filter((row) => row["rate_missing"] === "true")).not.toEqual([]);

  await importRates("USD", { "2026-03-10": "0.8", "2026-03-30": "0.87", "2026-04-30": "0.9" });
  const april = await journalOf(books, "2026-04");
  expect(await journalOf(books, "2026-03")).toEqual(march);
  expect(april.filter((row) => row["event"] !== "exchange_difference").map(inWords)).toEqual([
    "2026-04-01 payout_received assets:bank 870 at 0.87 of 2026-03-30",
    "2026-04-01 payout_received assets:payouts in transit:simplex -870 at 0.87 of 2026-03-30",
    "2026-04-01 conversion assets:receivable:simplex -400 at 0.8 of 2026-03-10",
    "2026-04-01 conversion equity:currency exchange 400 at 0.8 of 2026-03-10",
    "2026-04-01 share_earned assets:receivable:simplex 800 at 0.8 of 2026-03-10",
    "2026-04-01 share_earned income:commission:simplex -800 at 0.8 of 2026-03-10",
  ]);
  const corrected = april.filter((row) => row["prior_period"] === "true");
  expect(corrected.every((row) => row["debit"] === "" && row["credit"] === "")).toBe(true);
  expect(corrected.find((row) => row["event"] === "share_earned")).toMatchObject({
    description: "simplex share earned, of an earlier period, at a rate given since",
    file_name: march.find((row) => row["event"] === "share_earned")?.["file_name"],
  });
  expect(balances([...march, ...corrected])).toEqual(asIfKnown);

  const usd = { ...months["2026-04"], provider: "simplex", currency: "USD" };
  expect(await rowsOf(books, "receivable", usd)).toMatchObject([
    {
      functional_opening: "-230",
      functional_moved: "400",
      exchange_difference: "10",
      functional_closing: "180",
    },
  ]);
  await close(books, "2026-04");
  expect(await journalOf(books, "2026-05")).toEqual([]);
  expect(await verifyPeriods(database.db, now)).toEqual([]);
});

test("a rate that is still missing when the next month is closed puts both right in the month after", async () => {
  const books = await openForeign("GBP");
  await importFile(books, [owed("2026-04-10T10:00:00Z", "100", "GBP", "SX-4")]);
  await close(books, "2026-03");
  // The claim of 10 March can be told by now; the end of March and all of April cannot.
  await importRates("GBP", { "2026-03-10": "0.8" });
  await close(books, "2026-04");
  const closed = [...(await journalOf(books, "2026-03")), ...(await journalOf(books, "2026-04"))];
  expect(balances(closed)).toMatchObject({ "1000": "0", "1200": "170", "4000": "-1420" });

  await importRates("GBP", {
    "2026-03-30": "0.87",
    "2026-04-10": "0.95",
    "2026-04-30": "0.9",
    "2026-05-31": "0.8",
  });
  const may = await journalOf(books, "2026-05");
  const corrected = may.filter((row) => row["prior_period"] === "true");
  expect(balances([...closed, ...corrected])).toEqual({
    ...asIfKnown,
    "1200": "270", // 300 at 0.9
    "4000": "-1515", // and 100 at 0.95
    "5600": "-45",
  });
  expect(await verifyPeriods(database.db, now)).toEqual([]);
});

let runs = 0;
const knownFrom = fc.constantFrom("2026-03", "2026-04", "2026-05");
const aRate = fc.integer({ min: 6000, max: 14_000 }).map((number) => (number / 10_000).toFixed(4));
const someRates = fc.array(fc.record({ rate: aRate, corrected: aRate, knownFrom }), {
  minLength: 19,
  maxLength: 19,
});

test("whenever rates are given or corrected, the journals of closed months add up to what is known in the end", async () => {
  await fc.assert(
    fc.asyncProperty(someRates, async (rates) => {
      const currency = ["CHF", "SEK", "NOK", "DKK"][(runs += 1) % 4] ?? "";
      const books = await openMonth(database.db);
      await set(books, "functional_currency", "EUR");
      await importFile(books, [
        owed("2026-03-02T10:00:00Z", "500", currency, "SX-1"),
        owed("2026-03-10T10:00:00Z", "1000", currency, "SX-2026-2"),
        declares("2026-03-12T00:00:00Z", "420", "EUR", "SX-1", "0.84"),
        declares("2026-03-20T00:00:00Z", "1000", currency, "SX-2026-2"),
        owed("2026-03-21T10:00:00Z", "200", currency, "SX-2026-3"),
        owed("2026-04-10T10:00:00Z", "300", currency, "SX-2026-3"),
        declares("2026-04-20T00:00:00Z", "450", "EUR", "SX-2026-3", "0.9"),
        owed("2026-04-22T10:00:00Z", "70", currency, "SX-4"),
        owed("2026-05-10T10:00:00Z", "30", currency, "SX-4"),
      ]);
      await receive(books, [["2026-04-02", "1000", "SX-2026-2", currency]]);
      const dayOf = (at: number) => new Date(Date.UTC(2026, 1, 28 + at * 5)).toISOString().slice(0, 10);
      const given = (month: string, figure: "rate" | "corrected") =>
        Object.fromEntries(
          rates.flatMap((one, at) => (one.knownFrom === month ? [[dayOf(at), one[figure]]] : [])),
        );
      await importRates(currency, given("2026-03", "rate"));
      await close(books, "2026-03");
      await importRates(currency, given("2026-04", "rate"));
      await close(books, "2026-04");
      await importRates(currency, { ...given("2026-05", "rate"), ...given("2026-04", "corrected") });
      const asClosed: Row[] = [];
      const asKnown: Row[] = [];
      for (const month of ["2026-03", "2026-04", "2026-05"] as const) {
        asClosed.push(...(await journalOf(books, month)));
        const known = { ...months[month], provider: "simplex", prior_known_at: "none" };
        asKnown.push(...(await rowsOf(books, "journal", known)));
      }
      expect(balances(asClosed)).toEqual(balances(asKnown));
      expect(await verifyPeriods(database.db, now)).toEqual([]);
    }),
    { numRuns: 3, endOnFailure: true },
  );
}, 240_000);

test("the checklist counts a balance as without a rate if one of its bookings has none", async () => {
  const books = await openForeign("CAD");
  await importRates("CAD", { "2026-03-31": "0.87" });
  await close(books, "2026-03");
  const [kept] = await database.db.query<{ checklist: { line: string }[] }>(
    "select checklist from tieout.period_events where account_id = $1 and event = 'prepared'",
    [books.accountId],
  );
  expect(JSON.stringify(kept?.checklist)).toContain('"without_rate":1');
});

test("a month that another zone starts in the middle of a day is worth the same there", async () => {
  const books = await openForeign("NZD");
  await importRates("NZD", {
    "2026-03-10": "0.9",
    "2026-03-16": "0.9",
    "2026-03-26": "0.9",
    "2026-04-01": "0.9",
    "2026-04-27": "0.9",
  });
  await importFile(books, [
    // In Berlin both are of 1 April; the first belongs to the month that was closed.
    owed("2026-03-31T23:30:00Z", "100", "NZD", "SX-4"),
    owed("2026-04-01T10:00:00Z", "40", "NZD", "SX-5"),
  ]);
  await close(books, "2026-03");
  const { priorKnownAt } = await monthOfBooks(books, "2026-04");
  const april = {
    from: "2026-04-01T00:00:00Z",
    to: "2026-05-01T00:00:00Z",
    prior_known_at: priorKnownAt ?? "",
  };
  const [inLondon, inBerlin] = await Promise.all(
    ["UTC", "Europe/Berlin"].map((tz) => rowsOf(books, "receivable", { ...april, tz })),
  );
  expect(inLondon?.find(({ currency }) => currency === "NZD")).toMatchObject({
    opening: "300",
    functional_opening: "270",
    earned: "40",
    functional_moved: "36",
    exchange_difference: "0",
  });
  const asInLondon = (row: Row, at: number) => ({ ...row, rate_date: inLondon?.[at]?.["rate_date"] });
  expect(inBerlin?.map(asInLondon)).toEqual(inLondon);
});
