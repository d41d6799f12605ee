import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { carryForward } from "../../src/close/carry-forward.ts";
import { checkPeriod, preparePeriod } from "../../src/close/prepare.ts";
import { readZip } from "../../src/close/read-zip.ts";
import { approvePeriod } from "../../src/close/sign.ts";
import { withPack } from "../../src/close/sign-off.ts";
import { decimal } from "../../src/core/decimal.ts";
import { setAccountSetting } from "../../src/reconcile/account-settings.ts";
import { importFeeSchedule, readFeeFile } from "../../src/reconcile/fees/fee-schedule.ts";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { importReceipts } from "../../src/reconcile/receipts/import-receipts.ts";
import { matchReceipt } from "../../src/reconcile/receipts/match-receipt.ts";
import { saveRates } from "../../src/store/fees/rates.ts";
import { changeDiscrepancies } from "../../src/store/books/discrepancy-changes.ts";
import { addStatement, type Books } from "../reconcile/books.ts";
import { receive, requestFor, sourceOf } from "../reconcile/receipts/bank.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { addUntiedPayout, alice, bob, monthOfBooks, openMonth, signingKey } from "./a-month.ts";
import { set } from "./set.ts";

const database = useTestDatabase();

async function lineOf(books: Books, name: string, month = "2026-03") {
  const { lines } = await checkPeriod(database.db, await monthOfBooks(books, month));
  const line = lines.find((one) => one.line === name);
  if (line === undefined) throw new Error(`no line ${name}`);
  return line;
}

async function idOf(books: Books, table: "payouts" | "receipt_lines"): Promise<number> {
  const [row] = await database.db.query<{ id: number }>(
    `select id::int from tieout.${table} where account_id = $1 order by id limit 1`,
    [books.accountId],
  );
  return row?.id ?? 0;
}

/** Lets the journal book one side of an entry only, until the test has ended. */
async function dropRule(rule: string | RegExp): Promise<void> {
  const [{ rules } = { rules: "" }] = await database.db.query<{ rules: string }>(
    "select pg_get_functiondef('tieout.journal_rules'::regproc) as rules",
  );
  onTestFinished(async () => {
    await database.db.query(rules);
  });
  const broken = rules.replace(rule, "");
  expect(broken).not.toBe(rules);
  await database.db.query(broken);
}

describe("the line of receipts", () => {
  test("tells what came in during the month and settles no payout, in each currency", async () => {
    const books = await openMonth(database.db);
    expect(await lineOf(books, "receipts")).toMatchObject({
      state: "green",
      total: 0,
      says: "No bank lines.",
    });
    await receive(books, [
      ["2026-03-25", "5", "Share of March"],
      ["2026-03-26", "0.5", "Something"],
      ["2026-03-26", "7", "Something else", "USD"],
      ["2026-03-27", "-1", "Fee"],
      ["2026-04-02", "100", "Of the next month"],
    ]);
    expect(await lineOf(books, "receipts")).toMatchObject({
      state: "red",
      total: 4,
      left: 3,
      says: "3 of 4 bank lines are unmatched and unexplained.",
      parts: [
        {
          provider: null,
          amounts: [
            { currency: "EUR", amount: "5.5" },
            { currency: "USD", amount: "7" },
          ],
        },
      ],
    });
    // Of no provider, so of the account: a provider without a name would have a column of its own on the page.
    const { parts } = await lineOf(books, "discrepancies");
    expect(parts.map(({ provider }) => provider)).toContain(null);
    expect(parts.map(({ provider }) => provider)).not.toContain("");
  });

  test("tells what the bank took back and settles no payout, below zero", async () => {
    const books = await openMonth(database.db);
    const reversed =
      ":20:X\n:25:DE1\n:28C:1/1\n:60F:C260320EUR0,\n:61:2603270327RC80,NTRFNONREF\n:61:2603270327D5,NTRFNONREF\n:62F:D260327EUR85,\n-\n";
    await importReceipts({ database: books.db }, sourceOf(reversed, "a.sta"), requestFor(books));
    expect(await lineOf(books, "receipts")).toMatchObject({
      state: "red",
      total: 2,
      left: 1,
      parts: [{ amounts: [{ currency: "EUR", amount: "-80" }] }],
    });
  });

  test("is in order when a person has said which payout it was", async () => {
    const books = await openMonth(database.db);
    await receive(books, [["2026-03-25", "5", "Share of March"]]);
    const lineId = await idOf(books, "receipt_lines");
    const payoutId = await idOf(books, "payouts");
    const wanted = { lineId, payoutId, reason: "the provider says so" };
    await matchReceipt(database.db, { accountIds: null }, wanted, { actor: "alice" });
    expect(await lineOf(books, "receipts")).toMatchObject({ state: "green", total: 1, left: 0 });
  });

  test("is in order when it is explained, and to be known when it is carried forward", async () => {
    const books = await openMonth(database.db);
    await receive(books, [["2026-03-25", "9", "A gift"]]);
    const given = { owner: alice.name, reason: "asked the bank", code: "receipt_without_payout" };
    expect(await carryForward(database.db, await monthOfBooks(books), given, alice)).toMatchObject({
      carried: 1,
    });
    expect(await lineOf(books, "receipts")).toMatchObject({
      state: "amber",
      left: 0,
      parts: [{ amounts: [], carried_amounts: [{ currency: "EUR", amount: "9" }] }],
    });
    const [seen] = await database.db.query<{ id: number; version: number }>(
      "select id::int, version from tieout.discrepancies where account_id = $1 and code = 'receipt_without_payout'",
      [books.accountId],
    );
    await changeDiscrepancies(
      database.db,
      { accountIds: null },
      [seen ?? { id: 0, version: 0 }],
      { action: "resolve", reason: "it was a gift" },
      { actor: "alice", requestId: "test" },
    );
    expect(await lineOf(books, "receipts")).toMatchObject({ state: "green", left: 0 });
  });

  test("can be carried forward when a person has matched a part of the money since", async () => {
    const books = await openMonth(database.db);
    await receive(books, [["2026-03-25", "9", "Several things"]]);
    const lineId = await idOf(books, "receipt_lines");
    const payoutId = await idOf(books, "payouts");
    const part = { lineId, payoutId, amount: decimal("4"), reason: "the provider says so" };
    await matchReceipt(database.db, { accountIds: null }, part, { actor: "alice" });
    const unmatched = { parts: [{ amounts: [{ currency: "EUR", amount: "5" }] }] };
    expect(await lineOf(books, "receipts")).toMatchObject({ state: "red", left: 1, ...unmatched });
    const given = { owner: alice.name, reason: "asked the bank", code: "receipt_without_payout" };
    expect(await carryForward(database.db, await monthOfBooks(books), given, alice)).toMatchObject({
      carried: 1,
    });
    expect(await lineOf(books, "receipts")).toMatchObject({ state: "amber", left: 0 });
  });
});

test("the line of payouts is in order when a difference was explained, although not all of the money has arrived", async () => {
  const books = await openMonth(database.db);
  await addUntiedPayout(books);
  await receive(books, [["2026-03-23", "20", "Payment P-SHORT-1"]]);
  expect(await lineOf(books, "payouts")).toMatchObject({
    state: "red",
    says: "1 tied, 1 not tied, 0 not declared yet.",
  });
  const seen = await database.db.query<{ id: number; version: number; code: string }>(
    "select id::int, version, code from tieout.discrepancies where account_id = $1 and code like 'payout%' order by code",
    [books.accountId],
  );
  expect(seen.map(({ code }) => code)).toEqual(["payout_short", "payout_sum_mismatch"]);
  await changeDiscrepancies(
    database.db,
    { accountIds: null },
    seen.filter(({ code }) => code === "payout_sum_mismatch"),
    { action: "resolve", reason: "they pay it with the next one" },
    { actor: "alice", requestId: "test" },
  );
  await reconcileAccount(database.db, books.accountId);
  expect(await lineOf(books, "payouts")).toMatchObject({ state: "green", left: 0 });
  expect(await lineOf(books, "discrepancies")).toMatchObject({ left: 1 });
});

test("the line of the journal counts its entries, and is red when a rule books one side only", async () => {
  const books = await openMonth(database.db);
  expect(await lineOf(books, "journal")).toMatchObject({
    state: "green",
    total: 1,
    says: "3 entries, balanced and tied.",
  });
  await dropRule("('payout_declared', 'payouts_in_transit', 'amount', -1, 1),");
  expect(await lineOf(books, "journal")).toMatchObject({
    state: "red",
    left: 1,
    says: "1 currency does not balance, 0 are not tied to the receivable.",
    parts: [{ amounts: [{ currency: "EUR", amount: "-5" }] }],
  });
});

test("the line of the receivable is red when a balance does not follow from the journal in the functional currency", async () => {
  const books = await openMonth(database.db);
  await set(books, "functional_currency", "EUR");
  const green = { state: "green", left: 0, says: "Every balance is explained." };
  expect(await lineOf(books, "receivable")).toMatchObject(green);
  await dropRule(/\('payout_declared', 'receivable', [^)]*\),/);
  expect(await lineOf(books, "receivable")).toMatchObject({
    state: "red",
    left: 1,
    says: "Every balance is explained. 1 balance does not follow from the journal in the functional currency.",
    parts: [{ amounts: [{ currency: "EUR", amount: "-5" }] }],
  });
});

test("the line of the receivable takes rates by the days of the month's own zone", async () => {
  const books = await openMonth(database.db);
  await set(books, "functional_currency", "CHF");
  // There the month ends on the 31st, although it is the 1st of April in UTC by then.
  await set(books, "calendar", { zone: "America/Los_Angeles", first_month: "2026-03" });
  await saveRates(database.db, {
    rates: [{ day: "2026-04-01", base: "EUR", quote: "CHF", rate: "0.95", source: "test" }],
    fileName: "rates.csv",
    sha256: Buffer.alloc(32),
    actor: "test",
  });
  expect(await lineOf(books, "receivable")).toMatchObject({
    state: "green",
    says: "Every balance is explained. 1 balance lacks a rate to the functional currency.",
  });
});

test("what has become known of a closed month is shown apart in the next, in its checklist and its pack", async () => {
  const books = await openMonth(database.db);
  await preparePeriod(database.db, await monthOfBooks(books), [], alice);
  await approvePeriod(database.db, await monthOfBooks(books), bob);
  await addStatement(books, {
    lines: [
      {
        key: "late",
        type: "commission",
        net_amount: "4",
        net_currency: "EUR",
        effective_at: "2026-03-30T00:00:00Z",
      },
    ],
  });
  await reconcileAccount(database.db, books.accountId);
  expect(await lineOf(books, "receivable", "2026-04")).toMatchObject({
    state: "green",
    says: "Every balance is explained. 1 changed for earlier months after those were closed: see the column prior_period of the receivable.",
  });
  const april = () => monthOfBooks(books, "2026-04");
  const { checklist } = await preparePeriod(database.db, await april(), everyLine, alice);
  expect(checklist.lines.map(({ line }) => line)).toEqual(expect.arrayContaining(["receipts", "journal"]));

  const folder = await mkdtemp(join(tmpdir(), "tieout-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, "pack.zip");
  await withPack(database.db, signingKey, await april(), (pack) => copyFile(pack.path, path));
  const parts = await readZip(path, (name) => name.startsWith("reports/"));
  const rowsOf = (name: string) =>
    parts
      .find((part) => part.name === `reports/${name}.csv`)
      ?.content?.toString("utf8")
      .trimEnd()
      .split(/\r?\n/) ?? [];
  const [head = [], row = []] = rowsOf("receivable").map((text) => text.split(","));
  const cell = (name: string) => row[head.indexOf(name)];
  expect({ opening: cell("opening"), prior: cell("prior_period"), closing: cell("closing") }).toEqual({
    opening: "0",
    prior: "4",
    closing: "4",
  });
  const [, ...entries] = rowsOf("journal");
  expect(entries).toEqual(Array(2).fill(expect.stringContaining("of an earlier period")));
  expect(rowsOf("receipts")).toHaveLength(1);
});

const everyLine = ["read", "statements", "payouts", "discrepancies"].map((line) => ({
  line,
  reason: "a test",
}));

test("a pack names the banks' files and what was set and agreed, and its journal books what came in", async () => {
  const books = await openMonth(database.db);
  const account = { id: books.accountId, name: books.name };
  await receive(books, [["2026-03-25", "4", "P1 of March"]]);
  await setAccountSetting(database.db, {
    account,
    name: "functional_currency",
    value: "EUR",
    actor: "alice",
    reason: "our books are in euros",
    seenVersion: null,
  });
  await importFeeSchedule(database.db, {
    account,
    provider: "moonpay",
    validFrom: "2026-03-01T00:00:00Z",
    terms: readFeeFile("kind,percent\nshare,1\n", "moonpay-fees.csv").terms,
    fileName: "moonpay-fees.csv",
    reason: "contract of March",
    actor: "alice",
  });
  await reconcileAccount(database.db, books.accountId);
  const lines = ["payouts", "receipts", "discrepancies"].map((line) => ({ line, reason: "a test" }));
  await preparePeriod(database.db, await monthOfBooks(books), lines, alice);
  const folder = await mkdtemp(join(tmpdir(), "tieout-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, "pack.zip");
  await withPack(database.db, signingKey, await monthOfBooks(books), (pack) => copyFile(pack.path, path));
  const parts = await readZip(path, (name) => name.endsWith(".csv"));
  const textOf = (name: string) => parts.find((part) => part.name === name)?.content?.toString("utf8") ?? "";
  expect(textOf("source-files.csv")).toMatch(/^bank_file,,bank-\d+\.csv,[0-9a-f]{64},/m);
  expect(textOf("source-files.csv")).toMatch(/^fee_schedule,moonpay,moonpay-fees\.csv,[0-9a-f]{64},/m);
  expect(textOf("source-files.csv")).toMatch(/^statement,moonpay,/m);
  expect(textOf("settings.csv")).toMatch(
    /^,account,functional_currency,1,"""EUR""",.*our books are in euros/m,
  );
  expect(textOf("settings.csv")).toMatch(/^moonpay,fee_schedule,2026-03-01T00:00:00Z,1,.*contract of March/m);
  expect(textOf("reports/journal.csv")).toMatch(/receipt_unassigned|payout_received/);
});
