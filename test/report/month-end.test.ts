import { describe, expect, test } from "vitest";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { changeDiscrepancies } from "../../src/store/books/discrepancy-changes.ts";
import { saveSetting } from "../../src/store/statements/provider-settings.ts";
import { addRecords, addStatement, type Books, openBooks } from "../reconcile/books.ts";
import { aPerson } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { readFirstRows } from "../../src/report/first-rows.ts";
import { parseCsv, readReport, requestFor, seesAll } from "./books.ts";

/** What a controller found when she tried to close a month, case by case. */
const database = useTestDatabase();

async function read(books: Books, name: string, given: Record<string, string[]>) {
  return parseCsv(await readReport(database.db, requestFor(name, { account: [books.name], ...given })));
}

async function reconcile(books: Books): Promise<void> {
  await reconcileAccount(database.db, books.accountId);
}

const march = { from: ["2026-03-01"], to: ["2026-04-01"] };
const april = { from: ["2026-04-01"], to: ["2026-05-01"] };

describe("the month of a completed order", () => {
  test("is the month it completed, also when it failed later: the summary is what the position says was completed", async () => {
    const books = await openBooks(database.db);
    await addRecords(books, [
      { id: "kept", inAmount: "100" },
      { id: "reversed", inAmount: "40" },
    ]);
    await addRecords(books, [
      { id: "reversed", status: "failed", at: "2026-04-03T00:00:00Z", inAmount: "40" },
    ]);
    await addStatement(books, { lines: [{ of: "kept" }] });
    await reconcile(books);
    const [summary] = await read(books, "provider-summary", march);
    const [position] = await read(books, "position", march);
    expect([summary?.["in_amount"], position?.["completed"]]).toEqual(["140", "140"]);
    expect((await read(books, "position", april))[0]).toMatchObject({ completed: "0", reversed: "40" });
    // As it stands now it is not an order of March any more.
    expect((await read(books, "transactions", march)).map((row) => row["transaction_id"])).toEqual(["kept"]);
    const then = await read(books, "transactions", { ...march, as_at: ["2026-04-01"] });
    expect(then.map((row) => `${row["transaction_id"]} ${row["status"]}`)).toEqual([
      "kept completed",
      "reversed completed",
    ]);
  });

  test("that was not read is refused, whichever report is asked", async () => {
    const books = await openBooks(database.db, { readFrom: "2026-03-17T00:00:00Z" });
    await addRecords(books, [{ id: "A", at: "2026-03-20T00:00:00Z" }]);
    await reconcile(books);
    for (const report of ["position", "daily-summary"])
      await expect(read(books, report, march)).rejects.toThrow("not been read completely");
  });
});

describe("a statement that is here", () => {
  test("makes what it leaves out missing at once, and a short payout short before its day", async () => {
    const books = await openBooks(database.db);
    const later = "2026-04-24T00:00:00Z";
    await addRecords(books, [{ id: "there" }, { id: "left-out", inAmount: "40" }]);
    await addStatement(books, {
      generatedAt: "2026-04-05T00:00:00Z",
      lines: [
        { of: "there", net_amount: "1", payout_ref: "P1" },
        { key: "p", type: "payout", payout_ref: "P1", net_amount: "0.8", effective_at: later },
        { key: "q", type: "payout", payout_ref: "P2", net_amount: "5", effective_at: later },
        { key: "c", type: "commission", payout_ref: "P2", net_amount: "5", fiat_gross: null, fiat_net: null },
      ],
    });
    await reconcile(books);
    const found = await read(books, "discrepancies", { as_at: ["2026-04-10"], level: ["error"] });
    expect(found.map((row) => `${row["code"]} ${row["payout_ref"]} ${row["delta"]}`)).toEqual([
      "payout_sum_mismatch P1 -0.2",
      "missing_from_statement  -40",
    ]);
    const payouts = await read(books, "payout-reconciliation", { as_at: ["2026-04-10"] });
    expect(payouts.map((row) => [row["payout_ref"], row["status"], row["payout_date"]])).toEqual([
      ["P1", "not_tied", "2026-04-24"],
      ["P2", "expected", "2026-04-24"],
    ]);
    expect(await read(books, "payout-reconciliation", { status: ["expected"] })).toEqual([]);
  });

  test("may come soon while its payout comes late: each has its own lag", async () => {
    const books = await openBooks(database.db);
    const value = { statement_lag_days: 5, statement_grace_days: 2, payout_lag_days: 60 };
    const setting = { accountId: books.accountId, provider: "moonpay", kind: "calendar" as const };
    await database.db.transaction((tx) => saveSetting(tx, { ...setting, name: "", value, actor: "test" }));
    await addRecords(books, [{ id: "A" }, { id: "B", at: "2026-04-02T00:00:00Z" }]);
    await addStatement(books, { lines: [{ of: "A", net_amount: "1" }] });
    await reconcile(books);
    const codes = async (asAt: string) =>
      (await read(books, "discrepancies", { as_at: [asAt], level: ["error"] })).map((row) => row["code"]);
    expect(await codes("2026-05-06")).toEqual([]);
    expect(await codes("2026-05-09")).toEqual(["statement_overdue"]);
    expect(await codes("2026-06-02")).toEqual(["statement_overdue", "payout_overdue"]);
  });
});

describe("a decision", () => {
  test("counts from the day it is booked: what was reported before stays as it was", async () => {
    const books = await openBooks(database.db);
    await addRecords(books, [{ id: "late", inAmount: "470" }]);
    await addStatement(books, { lines: [] });
    await reconcile(books);
    const reported = await read(books, "position", march);
    const [open] = await database.db.query<{ id: number; version: number }>(
      "select id::int, version from tieout.discrepancies where account_id = $1",
      [books.accountId],
    );
    const seen = open ? [open] : [];
    const change = {
      action: "write_off" as const,
      reason: "agreed by mail",
      booked_at: "2026-05-15T00:00:00Z",
    };
    await changeDiscrepancies(database.db, { accountIds: null }, seen, change, {
      actor: `person:${await aPerson(database.db, "controller")}`,
      requestId: "r",
    });
    expect(await read(books, "position", march)).toEqual(reported);
    expect(reported[0]).toMatchObject({ closing_unsettled: "470", written_off: "0" });
    const may = { from: ["2026-05-01"], to: ["2026-06-01"] };
    expect((await read(books, "position", may))[0]).toMatchObject({
      opening_unsettled: "470",
      written_off: "470",
      closing_unsettled: "0",
    });
    const states = async (asAt: string) =>
      (await read(books, "discrepancies", { as_at: [asAt] })).map((row) => row["state"]);
    expect([await states("2026-05-01"), await states("2026-06-01")]).toEqual([["open"], ["written_off"]]);
  });
});

test("a known_at alone is also the moment: ages and due dates do not move at midnight", async () => {
  const books = await openBooks(database.db);
  await addRecords(books, [{ id: "A" }]);
  await addStatement(books, { lines: [] });
  await reconcile(books);
  const [row] = await database.db.query<{ now: string }>(
    `select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as now`,
  );
  const known = { known_at: [row?.now ?? ""], partial: ["true"] };
  for (const report of ["discrepancies", "ageing", "unsettled"])
    expect(await read(books, report, known)).toEqual(
      await read(books, report, { ...known, as_at: [row?.now ?? ""] }),
    );
});

test("the itemised lines of a payout add up to it, refunds with their sign and the payout apart", async () => {
  const books = await openBooks(database.db);
  await addRecords(books, [{ id: "A" }]);
  const refund = { of: "A", type: "refund" as const, key: "r", fiat_gross: "30", net_amount: "-30" };
  await addStatement(books, {
    model: "gross",
    lines: [
      { of: "A", net_amount: "97", payout_ref: "P1" },
      { ...refund, payout_ref: "P1" },
      { key: "p", type: "payout", payout_ref: "P1", net_amount: "67", effective_at: "2026-03-31T00:00:00Z" },
    ],
  });
  await reconcile(books);
  const items = await read(books, "itemised", { as_at: ["2026-04-01"] });
  expect(
    items.map((item) => [item["line_type"], item["line_gross"], item["line_net"], item["payout_net"]]),
  ).toEqual([
    ["charge", "100", "97", ""],
    ["refund", "-30", "-30", ""],
    ["payout", "", "", "67"],
  ]);
});

test("an itemised line that takes money back has its gross below zero, whatever its type", async () => {
  const books = await openBooks(database.db);
  const taken = (key: string, type: "adjustment" | "reserve" | "commission") => ({
    key,
    type,
    category: "correction",
    fiat_gross: "-5",
    fiat_net: "-5",
    fee_total: null,
    net_amount: "-5",
  });
  await addStatement(books, {
    lines: [taken("a", "adjustment"), taken("b", "reserve"), taken("c", "commission")],
  });
  await reconcile(books);
  const items = await read(books, "itemised", { as_at: ["2026-04-01"] });
  expect(items.map((item) => [item["line_type"], item["line_gross"], item["line_net"]])).toEqual([
    ["adjustment", "-5", "-5"],
    ["reserve", "-5", "-5"],
    ["commission", "-5", "-5"],
  ]);
});

test("the control totals of itemised lines add nothing twice: a chargeback takes its order out, and its reversal puts it back", async () => {
  const books = await openBooks(database.db);
  const orders = { A: "627", B: "120", C: "940" };
  await addRecords(
    books,
    Object.entries(orders).map(([id, inAmount]) => ({ id, inAmount })),
  );
  const line = (of: keyof typeof orders, type: "charge" | "chargeback" | "chargeback_reversal") => ({
    of,
    key: `${type} ${of}`,
    type,
    fiat_gross: orders[of],
    fiat_net: orders[of],
    fee_total: "0",
    net_amount: type === "chargeback" ? `-${orders[of]}` : orders[of],
    payout_ref: "P1",
  });
  await addStatement(books, {
    model: "gross",
    lines: [
      line("A", "charge"),
      line("B", "charge"),
      line("C", "charge"),
      line("C", "chargeback"),
      line("C", "chargeback_reversal"),
    ],
  });
  await reconcile(books);
  const request = requestFor("itemised", { account: [books.name], as_at: ["2026-04-01"] });
  const { totals } = await readFirstRows(database.db, request, seesAll, {
    linesMax: 10,
    signal: new AbortController().signal,
  });
  expect(totals).toEqual({
    rows: 5,
    sums: [
      { column: "line_gross", currency: "EUR", sum: "1687" },
      { column: "line_net", currency: "EUR", sum: "1687" },
      { column: "in_difference", currency: "eur", sum: "0" },
      { column: "out_difference", currency: "btc", sum: "0" },
    ],
  });
  const [payout] = await read(books, "payout-reconciliation", { as_at: ["2026-04-01"] });
  expect([payout?.["gross"], payout?.["net_computed"]]).toEqual(["1687", "1687"]);
});

describe("what is dated ahead", () => {
  const ahead = { from: ["2026-03-01"], to: ["2099-07-01"] };
  async function openAhead(): Promise<Books> {
    const books = await openBooks(database.db);
    await addRecords(books, [{ id: "A" }]);
    const day = "2099-06-24T00:00:00Z";
    await addStatement(books, {
      lines: [
        { of: "A", net_amount: "3", payout_ref: "P1" },
        { key: "p", type: "payout", payout_ref: "P1", net_amount: "3", effective_at: day },
      ],
    });
    await reconcile(books);
    return books;
  }

  test("does not count before its day, although the period goes on", async () => {
    const books = await openAhead();
    expect(await read(books, "receivable", ahead)).toMatchObject([{ paid_out: "0", closing: "3" }]);
    const booked = (await read(books, "journal", ahead)).map(({ event }) => event);
    expect(new Set(booked)).toEqual(new Set(["share_earned"]));
    await expect(read(books, "position", ahead)).rejects.toThrow("not been read completely");
    const [position] = await read(books, "position", { ...ahead, partial: ["true"] });
    expect(position).toMatchObject({ settled: "100", unexplained: "0" });
  });

  test("opens a period that has not begun with what is owed now", async () => {
    const books = await openAhead();
    const then = { from: ["2099-07-01"], to: ["2099-08-01"] };
    expect(await read(books, "receivable", then)).toMatchObject([
      { opening: "3", paid_out: "0", closing: "3", unexplained: "0" },
    ]);
    expect(await read(books, "journal", then)).toEqual([]);
  });

  test("is shown to who asks as at a later day", async () => {
    const books = await openAhead();
    const later = { from: ["2026-03-01"], as_at: ["2099-07-01"] };
    expect(await read(books, "receivable", later)).toMatchObject([{ paid_out: "3", closing: "0" }]);
  });
});
