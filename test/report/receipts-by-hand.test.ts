import { describe, expect, test } from "vitest";
import { decimal } from "../../src/core/decimal.ts";
import { matchReceipt } from "../../src/reconcile/receipts/match-receipt.ts";
import { verifyReceipts } from "../../src/reconcile/receipts/verify-receipts.ts";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { listPayouts, totalPayouts } from "../../src/store/books/payout-reads.ts";
import { listReceiptMatches, suggestPayouts } from "../../src/store/receipts/receipt-reads.ts";
import { type Books, openBooks } from "../reconcile/books.ts";
import {
  bankLines,
  payoutNamed,
  takeBack,
  takeBankFile,
  takeStatement,
} from "../reconcile/receipts/a-month.ts";
import { readAll } from "../reconcile/receipts/read-all.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { databaseNow, rowsOf, sum } from "./claims.ts";

/** A month as a controller works through it: files in, matches by hand, reports out. */
const database = useTestDatabase();
const everyone = { accountIds: null };
const author = { actor: "alice" };
const far = { to: "2030-01-01", as_at: "2030-01-01" };
const columns = "Account,Booking date,Amount,Currency,Description,Reference";

async function matchBy(books: Books, text: string, ref: string, more: object = {}) {
  const line = (await bankLines(books)).find(({ remittance }) => remittance === text);
  const wanted = { lineId: line?.id ?? 0, payoutId: await payoutNamed(books, ref), reason: "seen by mail" };
  return matchReceipt(books.db, everyone, { ...wanted, ...more }, author);
}

async function inTransit(books: Books, more: Record<string, string> = {}): Promise<string> {
  const rows = await rowsOf(books, "journal", { from: "2026-01-01", to: far.to, ...more });
  const own = rows.filter((row) => row["account_name"]?.includes("payouts in transit"));
  return sum(own.flatMap(({ debit, credit }) => [debit, credit ? `-${credit}` : ""]));
}

async function receipts(books: Books, more: Record<string, string> = {}) {
  const rows = await rowsOf(books, "receipts", { from: "2026-01-01", ...far, ...more });
  return rows.map((row) => `${row["amount"]} ${row["payout_refs"]} ${row["settled"]} ${row["unmatched"]}`);
}

async function codes(books: Books): Promise<string[]> {
  const rows = await rowsOf(books, "discrepancies", { as_at: "2030-01-01", state: "open" });
  return rows
    .filter((row) => /payout_|receipt_/.test(row["code"] ?? ""))
    .map((row) => `${row["code"]} ${row["payout_ref"]} ${row["delta"]}`);
}

async function listed(books: Books): Promise<string[]> {
  const reader = { database: books.db, accountIds: [books.accountId] };
  const { rows } = await listPayouts(reader, {}, { limit: 100, after: null });
  const totals = await totalPayouts(reader, {});
  expect(sum(totals.map(({ payouts }) => String(payouts)))).toBe(String(rows.length));
  return rows.map(({ payoutRef, arrived }) => `${payoutRef} ${arrived.state}`).toSorted();
}

describe("a person's match with a payout whose file is withdrawn", () => {
  const both = [
    { ref: "KP-2026-01", net: "100" },
    { ref: "KP-2026-02", net: "40" },
  ];

  async function month(): Promise<{ books: Books; statementId: number }> {
    const books = await openBooks(database.db);
    const statementId = await takeStatement(books, both);
    await takeBankFile(books, [columns, "DE1,2026-03-25,100,EUR,first,", "DE1,2026-03-26,40,EUR,second,"]);
    await matchBy(books, "first", "KP-2026-01");
    await matchBy(books, "second", "KP-2026-02");
    return { books, statementId };
  }

  test("does not count while the payout is gone, and is there again when the file is back", async () => {
    const { books, statementId } = await month();
    const matched = ["100 KP-2026-01 100 0", "40 KP-2026-02 40 0"];
    expect(await receipts(books)).toEqual(matched);
    expect(await inTransit(books)).toBe("0");
    const before = await databaseNow(books);

    await takeBack(books, statementId);
    expect(await receipts(books)).toEqual(["100  0 100", "40  0 40"]);
    expect(await inTransit(books)).toBe("0");
    expect(await codes(books)).toEqual(["receipt_without_payout  100", "receipt_without_payout  40"]);
    expect(await listed(books)).toEqual([]);
    const [line] = await bankLines(books);
    expect(await listReceiptMatches(books.db, { lineId: line?.id ?? 0 })).toMatchObject([
      { rule: "person", state: "ended", endedBy: "rules", endedReason: "payout_withdrawn" },
    ]);
    // By what was known before, nothing has changed.
    expect(await receipts(books, { known_at: before })).toEqual(matched);
    await expect(matchBy(books, "first", "KP-2026-01")).rejects.toThrow(/declared by no file in force/);
    await reconcileAccount(books.db, books.accountId, { full: true });
    expect(await receipts(books)).toEqual(["100  0 100", "40  0 40"]);
    const gone = await databaseNow(books);

    await takeStatement(books, [{ ref: "KP-2026-01", net: "100" }]);
    expect(await receipts(books)).toEqual(["100 KP-2026-01 100 0", "40  0 40"]);
    expect(await receipts(books, { known_at: gone })).toEqual(["100  0 100", "40  0 40"]);
    expect(await listed(books)).toEqual(["KP-2026-01 received"]);
    expect(await codes(books)).toEqual(["receipt_without_payout  40"]);
    const again = await listReceiptMatches(books.db, { lineId: line?.id ?? 0 });
    expect(again.map(({ state, madeBy, reason }) => [state, madeBy, reason])).toEqual([
      ["active", "alice", "seen by mail"],
      ["ended", "alice", "seen by mail"],
    ]);
    // It holds from the day on which the person decided, and not from the day on which the file came back.
    expect(again[0]?.effectiveAt).toBe(again[1]?.effectiveAt);
  });

  test("comes back also when the bank has restated the line meanwhile", async () => {
    const books = await openBooks(database.db);
    const statementId = await takeStatement(books, both);
    const bank = (text: string) => [
      "Account,Booking date,Amount,Currency,Description,Bank reference",
      `DE1,2026-03-25,100,EUR,${text},BK-1`,
    ];
    await takeBankFile(books, bank("first"));
    await matchBy(books, "first", "KP-2026-01");
    await takeBack(books, statementId);
    await takeBankFile(books, bank("first again"));
    expect(await receipts(books)).toEqual(["100  0 100"]);
    await takeStatement(books, both.slice(0, 1));
    expect(await receipts(books)).toEqual(["100 KP-2026-01 100 0"]);
  });

  test("does not come back when the line was given to another payout since", async () => {
    const { books, statementId } = await month();
    await takeBack(books, statementId);
    await takeStatement(books, [{ ref: "KP-2026-1B", net: "100" }]);
    await matchBy(books, "first", "KP-2026-1B");
    await takeStatement(books, both);
    expect(await receipts(books)).toEqual(["100 KP-2026-1B 100 0", "40 KP-2026-02 40 0"]);
  });
});

describe("the day of a match by hand", () => {
  const parts = ["2026-03-24", "2026-03-27"] as const;

  async function month(): Promise<Books> {
    const books = await openBooks(database.db);
    await takeStatement(books, [{ ref: "KP-2026-01", net: "100" }]);
    await takeBankFile(books, [columns, ...parts.map((day) => `DE1,${day},50,EUR,part of ${day},`)]);
    return books;
  }

  async function payout(books: Books, more: Record<string, string> = {}) {
    const [row] = await rowsOf(books, "payout-reconciliation", { from: "2026-01-01", ...far, ...more });
    return [row?.["state"], row?.["received_amount"], row?.["received_date"]];
  }

  test("is not a day of arrival: the bank says when the money came, whatever the zone of the report", async () => {
    const books = await month();
    for (const day of parts) await matchBy(books, `part of ${day}`, "KP-2026-01");
    expect(await payout(books)).toEqual(["received", "100", "2026-03-27"]);
    expect(await payout(books, { tz: "America/New_York" })).toEqual(["received", "100", "2026-03-27"]);
    const reader = { database: books.db, accountIds: [books.accountId] };
    const { rows } = await listPayouts(reader, {}, { limit: 1, after: null });
    expect(rows[0]?.arrived.receivedAt).toMatch(/^2026-03-27/);
    // A decision of today changes no day before it.
    expect(await payout(books, { as_at: "2026-05-01" })).toEqual(["overdue", "0", ""]);
  });

  test("is the day that the person names: what was assigned then is booked then", async () => {
    const books = await month();
    await matchBy(books, "part of 2026-03-24", "KP-2026-01", { bookedAt: { day: "2026-03-24" } });
    await matchBy(books, "part of 2026-03-27", "KP-2026-01", { bookedAt: { day: "2026-04-02" } });
    expect(await payout(books, { as_at: "2026-03-25" })).toEqual(["short", "50", "2026-03-24"]);
    expect(await payout(books, { as_at: "2026-04-02" })).toEqual(["short", "50", "2026-03-24"]);
    expect(await payout(books, { as_at: "2026-04-03" })).toEqual(["received", "100", "2026-03-27"]);
    const journal = await rowsOf(books, "journal", { from: "2026-03-01", to: far.to });
    const banked = journal.filter((row) => /^(payout_received|receipt_)/.test(row["event"] ?? ""));
    expect(banked.map((row) => `${row["date"]} ${row["event"]}`).filter((_, at) => at % 2 === 0)).toEqual([
      "2026-03-24 payout_received",
      "2026-03-27 receipt_unassigned",
      "2026-04-02 receipt_assigned",
    ]);
  });

  test("is not before the bank's, and not to come", async () => {
    const books = await month();
    const match = (day: string) => matchBy(books, "part of 2026-03-27", "KP-2026-01", { bookedAt: { day } });
    await expect(match("2026-03-26")).rejects.toThrow(/the bank booked rcl_\d+ on 2026-03-27/);
    await expect(match("2999-01-01")).rejects.toThrow(/2999-01-01 is in the future/);
  });
});

describe("the bank's fee of a match by hand", () => {
  async function month(...amounts: string[]): Promise<Books> {
    const books = await openBooks(database.db);
    await takeStatement(books, [{ ref: "KP-2026-01", net: "8610.91" }]);
    const rows = amounts.map((amount, at) => `DE1,2026-03-25,${amount},EUR,part ${at + 1},`);
    await takeBankFile(books, [columns, ...rows]);
    return books;
  }
  const fee = (text: string) => ({ bankFee: decimal(text) });

  test("is no more than what is missing of the payout", async () => {
    const books = await month("8600");
    await expect(matchBy(books, "part 1", "KP-2026-01", fee("20"))).rejects.toThrow(
      /a bank fee of 20 EUR .* at most 10\.91 EUR can be booked/,
    );
    await expect(matchBy(books, "part 1", "KP-2026-01", fee("-1"))).rejects.toThrow(/at most 10\.91 EUR/);
    await matchBy(books, "part 1", "KP-2026-01", fee("10.91"));
    expect(await listed(books)).toEqual(["KP-2026-01 received"]);
  });

  test("of a payout in parts is no more than what the parts leave", async () => {
    const books = await month("8000", "600");
    await matchBy(books, "part 1", "KP-2026-01", fee("5"));
    await expect(matchBy(books, "part 2", "KP-2026-01", fee("6"))).rejects.toThrow(/at most 5\.91 EUR/);
    await matchBy(books, "part 2", "KP-2026-01", fee("5.91"));
    expect(await listed(books)).toEqual(["KP-2026-01 received"]);
  });

  test("is nothing where nothing is missing", async () => {
    const books = await month("8610.91");
    await expect(matchBy(books, "part 1", "KP-2026-01", fee("1"))).rejects.toThrow(
      /nothing is missing of po_\d+/,
    );
  });
});

test("a payout below zero is owed by us: it is not missed at the bank, and paid when it has gone out", async () => {
  const books = await openBooks(database.db);
  await takeStatement(books, [{ ref: "KP-2026-01", net: "-80" }]);
  await takeBankFile(books, [columns, "DE1,2026-03-20,-1,EUR,fee,"]);
  const state = async () => {
    const [row] = await rowsOf(books, "payout-reconciliation", { from: "2026-01-01", ...far });
    return row?.["state"];
  };
  expect(await codes(books)).toEqual([]);
  expect(await state()).toBe("payable");
  await takeBankFile(books, [columns, "DE1,2026-03-25,-80,EUR,KP-2026-01,"]);
  expect(await codes(books)).toEqual([]);
  expect(await state()).toBe("paid");
});

test("a bank's text is shown as the file has it; only a reference may be a word for none", async () => {
  const books = await openBooks(database.db);
  const header = "Account,Booking date,Amount,Currency,Description,Counterparty,Reference";
  await takeBankFile(books, [header, "DE1,2026-03-25,5,EUR,Unknown,None,NOTPROVIDED"]);
  const [row] = await rowsOf(books, "receipts", { from: "2026-01-01", ...far });
  expect(row).toMatchObject({ remittance: "Unknown", counterparty: "None", reference: "" });
  expect(await verifyReceipts(books.db)).toEqual([]);
});

test("a bank line that an earlier version read without its text is the same line, and gets it", async () => {
  const told = Buffer.from(
    "Account,Booking date,Amount,Currency,Description\nDE1,2026-03-25,5,EUR,Unknown\n",
  );
  const lineOf = async (version: number) => {
    const { incoming } = await readAll(told, { version });
    return incoming.find(({ line }) => line !== null)?.line;
  };
  const [before, now] = [await lineOf(1), await lineOf(2)];
  expect(before?.key).toBe(now?.key);
  expect(before?.encoded).not.toContain("Unknown");
  expect(now?.encoded).toContain("Unknown");
});

test("a short reference is enough where it is all that the bank's field holds, and the amount agrees", async () => {
  const books = await openBooks(database.db);
  await takeStatement(books, [
    { ref: "SX-1", net: "100" },
    { ref: "SX-2", net: "40" },
    { ref: "SX-3", net: "7" },
  ]);
  await takeBankFile(books, [
    columns,
    "DE1,2026-03-25,100,EUR,share,SX-1",
    "DE1,2026-03-26,41,EUR,share,sx 2",
    "DE1,2026-03-27,7,EUR,SX-3 share,",
    "DE1,2026-03-28,9,EUR,share,SX-4",
  ]);
  expect(await receipts(books)).toEqual(["100 SX-1 100 0", "41  0 41", "7  0 7", "9  0 9"]);
  const [, other] = await bankLines(books);
  const suggested = await suggestPayouts(books.db, other?.id ?? 0);
  expect(suggested[0]).toMatchObject({ payoutRef: "SX-2", named: true });
  // Declared after its money came.
  await takeStatement(books, [{ ref: "SX-4", net: "9" }]);
  expect((await receipts(books))[3]).toBe("9 SX-4 9 0");
  expect(await verifyReceipts(books.db)).toEqual([]);
});

test("a payout of less than a hundredth of a coin is suggested for the coins that may be it, and for no others", async () => {
  const books = await openBooks(database.db);
  await takeStatement(books, [
    { ref: "CX-1", net: "0.0041", currency: "BTC" },
    { ref: "CX-2", net: "0.0052", currency: "BTC" },
  ]);
  await takeBankFile(books, [columns, "W1,2026-03-25,0.0041,BTC,a transfer,"]);
  const [line] = await bankLines(books);
  const suggested = await suggestPayouts(books.db, line?.id ?? 0);
  expect(suggested.map(({ payoutRef, sameAmount }) => [payoutRef, sameAmount])).toEqual([
    ["CX-1", true],
    ["CX-2", false],
  ]);
});

test("a payout's name is found among other words in a field for references", async () => {
  const books = await openBooks(database.db);
  await takeStatement(books, [
    { ref: "KP-2026-01", net: "100" },
    { ref: "KP-08", net: "40" },
  ]);
  await takeBankFile(books, [
    columns,
    "DE1,2026-03-25,100,EUR,,Payout KP-2026-01 Kappa Ltd",
    // Five characters among others may be anything.
    "DE1,2026-03-26,40,EUR,,KP-08 Kappa",
  ]);
  expect(await receipts(books)).toEqual(["100 KP-2026-01 100 0", "40  0 40"]);
  expect(await verifyReceipts(books.db)).toEqual([]);
});
