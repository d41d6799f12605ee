import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { preparePeriod } from "../../src/close/prepare.ts";
import { approvePeriod } from "../../src/close/sign.ts";
import { verifyPeriods } from "../../src/close/verify-periods.ts";
import { subtractDecimals } from "../../src/core/decimal.ts";
import type { Instant } from "../../src/core/instant.ts";
import type { Day } from "../../src/core/period.ts";
import { importFeeSchedule, readFeeFile } from "../../src/reconcile/fees/fee-schedule.ts";
import { importReceipts } from "../../src/reconcile/receipts/import-receipts.ts";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { matchReceipt } from "../../src/reconcile/receipts/match-receipt.ts";
import { readRates } from "../../src/reconcile/rates/read-rates.ts";
import { saveRates } from "../../src/store/fees/rates.ts";
import type { Database } from "../../src/store/database.ts";
import { addRecords, addStatement } from "../reconcile/books.ts";
import { rowsOf, sum } from "../report/claims.ts";
import { declares, importFile, owed } from "../report/statement-file.ts";
import { requestFor, sourceOf } from "../reconcile/receipts/bank.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { alice, bob, monthOfBooks, openMonth } from "./a-month.ts";
import { set } from "./set.ts";

const database = useTestDatabase();
const now = "2026-11-01T00:00:00.000Z" as Instant;

/** As a version found it that did not have these rules yet. */
async function forgetRules(db: Database): Promise<string[]> {
  return db.transaction(async (tx) => {
    await tx.query("set local session_replication_role = replica");
    const gone = await tx.query<{ rule: string }>("delete from tieout.rule_changes returning rule");
    return gone.map(({ rule }) => rule);
  });
}

/** As a migration does. */
async function bringRules(db: Database, rules: readonly string[]): Promise<void> {
  await db.query(
    "insert into tieout.rule_changes (rule, since) select rule, clock_timestamp() from unnest($1::text[]) as r (rule)",
    [rules],
  );
}

test("a month that was closed by an earlier rule stays as it was signed, and the next one shows what changes", async () => {
  const { db } = database;
  const rules = await forgetRules(db);
  expect(rules.toSorted()).toEqual([
    "arrivals_by_bank",
    "conversion_as_declared",
    "corrections_with_sign",
    "exchange_differences",
    "fees_without_network",
    "late_rates",
    "lines_from_booking",
    "payout_rounding",
    "reversals_unmatched",
    "unmatched_in_own_currency",
  ]);
  const books = await openMonth(db);
  await set(books, "functional_currency", "EUR");
  await importRates(db, {
    "2026-03-05": "0.95",
    "2026-03-17": "0.9",
    "2026-03-31": "0.8",
    "2026-04-30": "0.7",
  });
  await importFile(books, [
    owed("2026-03-05T10:00:00Z", "9359.68", "USD", "SX-2"),
    declares("2026-03-17T00:00:00Z", "8610.91", "EUR", "SX-2", "0.92"),
    owed("2026-03-17T10:00:00Z", "100", "USD", "SX-3"),
    // Ours to pay, by the new rule.
    owed("2026-03-18T10:00:00Z", "-80", "EUR", "SX-4"),
    declares("2026-03-19T00:00:00Z", "-80", "EUR", "SX-4"),
  ]);
  const reversed = sourceOf(
    ":20:X\n:25:DE1\n:28C:1/1\n:60F:C260320EUR0,\n:61:2603270327RC80,NTRFNONREF\n:62F:D260327EUR80,\n-\n",
    "a.sta",
  );
  await importReceipts({ database: db }, reversed, requestFor(books));
  const accepted = ["discrepancies", "statements", "receipts"].map((line) => ({ line, reason: "a test" }));
  await preparePeriod(db, await monthOfBooks(books), accepted, alice);
  await approvePeriod(db, await monthOfBooks(books), bob);
  await bringRules(db, rules);

  expect(await verifyPeriods(db, now)).toEqual([]);
  const { priorKnownAt } = await monthOfBooks(books, "2026-04");
  const april = {
    from: "2026-04-01",
    to: "2026-05-01",
    prior_known_at: priorKnownAt ?? "",
    provider: "simplex",
  };
  const euros = { ...april, currency: "EUR" };
  expect(await rowsOf(books, "receivable", euros)).toMatchObject([
    { opening: "-0.0044", prior_period: "0.0044", closing: "0", unexplained: "0" },
  ]);
  expect((await rowsOf(books, "journal", { ...euros, event: "conversion" })).map(inWords)).toEqual([
    "2026-04-01 conversion 1200 0.0044",
    "2026-04-01 conversion 3900 -0.0044",
  ]);

  const before = await rowsOf(books, "journal", {
    to: "2026-04-01",
    known_at: priorKnownAt ?? "",
    provider: "simplex",
  });
  expect(before.filter(({ event }) => event === "exchange_difference")).toEqual([]);
  const after = await rowsOf(books, "journal", april);
  const owedInDollars = (row: Record<string, string>) =>
    row["account_code"] === "1200" && row["currency"] === "USD";
  // The claim was booked at 0.95 and left at 0.9: 467.984 were lost in March. What is left of it is worth 10 less at its end.
  const ofMarch = after.find((row) => owedInDollars(row) && row["prior_period"] === "true");
  expect(ofMarch).toMatchObject({
    event: "exchange_difference",
    date: "2026-04-01",
    functional_credit: "477.984",
  });
  for (const isCarried of [owedInDollars, (row: Record<string, string>) => row["account_code"] === "3900"]) {
    const [usd] = await rowsOf(books, "receivable", { ...april, currency: "USD" });
    const rows = [...before, ...after].filter(isCarried);
    const total = subtractDecimals(
      sum(rows.map((row) => row["functional_debit"])),
      sum(rows.map((row) => row["functional_credit"])),
    );
    expect(total).toBe(isCarried === owedInDollars ? usd?.["functional_closing"] : "0");
  }
});

test("what payouts rounded away in a closed month stays in its claim, and leaves it in the next one", async () => {
  const { db } = database;
  const rules = await forgetRules(db);
  const books = await openMonth(db);
  await importFile(books, [
    owed("2026-03-05T10:00:00Z", "100.0026", "EUR", "SX-5"),
    declares("2026-03-17T00:00:00Z", "100", "EUR", "SX-5"),
  ]);
  const accepted = ["discrepancies", "statements"].map((line) => ({ line, reason: "a test" }));
  await preparePeriod(db, await monthOfBooks(books), accepted, alice);
  await approvePeriod(db, await monthOfBooks(books), bob);
  await bringRules(db, rules);

  expect(await verifyPeriods(db, now)).toEqual([]);
  const april = { from: "2026-04-01", to: "2026-05-01", provider: "simplex" };
  expect(await rowsOf(books, "receivable", april)).toMatchObject([
    { opening: "0.0026", prior_period: "-0.0026", closing: "0", unexplained: "0" },
  ]);
  expect((await rowsOf(books, "journal", april)).map(inWords)).toEqual([
    "2026-04-01 payout_rounding 1200 -0.0026",
    "2026-04-01 payout_rounding 5300 0.0026",
  ]);
});

test("signs and remainders of a closed month stay as they were signed, and are right by what is known since", async () => {
  const { db } = database;
  const rules = await forgetRules(db);
  const books = await openMonth(db);
  await importFile(books, [
    "simplex,adjustment,settled,ADJ-6,EUR,-5,-5,EUR,SX-6,,,,2026-03-05T10:00:00Z",
    owed("2026-03-05T10:00:00Z", "45", "EUR", "SX-6"),
    declares("2026-03-17T00:00:00Z", "40", "EUR", "SX-6"),
  ]);
  const converted =
    "Account,Booking date,Amount,Currency,Description,Original amount,Original currency\n" +
    "DE1,2026-03-18,100,EUR,sent in dollars,110,USD\n";
  await importReceipts({ database: db }, sourceOf(converted), requestFor(books));
  const [pair] = await db.query<{ lineId: number; payoutId: number }>(
    `select l.id::int as "lineId", p.id::int as "payoutId"
     from tieout.receipt_lines as l
     join tieout.payouts as p on p.account_id = l.account_id and p.payout_ref = 'SX-6'
     where l.account_id = $1`,
    [books.accountId],
  );
  const wanted = { lineId: pair?.lineId ?? 0, payoutId: pair?.payoutId ?? 0, reason: "ours" };
  await matchReceipt(db, { accountIds: null }, { ...wanted, bookedAt: { day: "2026-03-18" as Day } }, alice);
  const accepted = ["discrepancies", "statements", "receipts"].map((line) => ({ line, reason: "a test" }));
  await preparePeriod(db, await monthOfBooks(books), accepted, alice);
  await approvePeriod(db, await monthOfBooks(books), bob);
  const { priorKnownAt } = await monthOfBooks(books, "2026-04");
  await bringRules(db, rules);

  expect(await verifyPeriods(db, now)).toEqual([]);
  const march = { from: "2026-03-01", to: "2026-04-01", as_at: "2026-04-01" };
  const figures = async (known: Record<string, string>) => [
    (await rowsOf(books, "itemised", { ...march, ...known, line_type: "adjustment" }))[0]?.["line_gross"],
    (await rowsOf(books, "receipts", { ...march, ...known }))[0]?.["unmatched"],
  ];
  expect(await figures({ known_at: priorKnownAt ?? "" })).toEqual(["5", "0"]);
  expect(await figures({})).toEqual(["-5", "60"]);
});

test("fees that a closed month did not compare are not in what was signed", async () => {
  const { db } = database;
  const rules = await forgetRules(db);
  const books = await openMonth(db);
  await importFeeSchedule(db, {
    account: { id: books.accountId, name: books.name },
    provider: "moonpay",
    validFrom: "2026-01-01T00:00:00Z",
    terms: readFeeFile("kind,percent\nprocessing_fee,2\n", "fees.csv").terms,
    fileName: "fees.csv",
    reason: "as agreed",
    actor: "a person",
  });
  await addRecords(books, [{ id: `${books.name} C`, at: "2026-03-12T12:00:00Z" }]);
  await addStatement(books, {
    lines: [
      { of: `${books.name} C`, net_amount: "3", fee_processing: "3", effective_at: "2026-03-12T12:00:00Z" },
    ],
  });
  await reconcileAccount(db, books.accountId);
  const accepted = ["discrepancies", "statements", "payouts"].map((line) => ({ line, reason: "a test" }));
  await preparePeriod(db, await monthOfBooks(books), accepted, alice);
  await approvePeriod(db, await monthOfBooks(books), bob);
  const { priorKnownAt } = await monthOfBooks(books, "2026-04");
  await bringRules(db, rules);

  expect(await verifyPeriods(db, now)).toEqual([]);
  const march = { from: "2026-03-01", to: "2026-04-01", as_at: "2026-04-01" };
  expect(await rowsOf(books, "fee-variance", { ...march, known_at: priorKnownAt ?? "" })).toEqual([]);
  expect(await rowsOf(books, "fee-variance", march)).toMatchObject([{ expected: "2", actual: "3" }]);
});

const inWords = ({ date, event, account_code: code, debit, credit }: Record<string, string>) =>
  `${date} ${event} ${code} ${debit ? debit : `-${credit}`}`;

/** What a dollar is in euros. */
async function importRates(db: Database, rates: Readonly<Record<string, string>>): Promise<void> {
  const lines = Object.entries(rates).map(([day, rate]) => `${day},USD,EUR,${rate},me`);
  const text = ["date,base,quote,rate,source", ...lines, ""].join("\n");
  const sha256 = createHash("sha256").update(text).digest();
  await saveRates(db, { rates: readRates(text, "r.csv"), fileName: "r.csv", sha256, actor: "a person" });
}
