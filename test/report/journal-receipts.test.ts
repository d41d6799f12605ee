import { beforeAll, describe, expect, test } from "vitest";
import { matchReceipt } from "../../src/reconcile/receipts/match-receipt.ts";
import { readJournalBalance } from "../../src/store/books/journal-balance.ts";
import { type Books, openBooks } from "../reconcile/books.ts";
import { declarePayouts, receive } from "../reconcile/receipts/bank.ts";
import { hasHledger, hledger } from "../support/hledger.ts";
import { liftLimits } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { parseCsv } from "./books.ts";
import { databaseNow, report, rowsOf, sum, writeOff } from "./claims.ts";

const database = useTestDatabase();
let books: Books;
let beforeDecisions = "";

beforeAll(async () => {
  await liftLimits(database.db);
  books = await openBooks(database.db);
  await declarePayouts(books, [
    { ref: "PO-WHOLE-1", net: "100" },
    { ref: "PO-SHORT-1", net: "50" },
    { ref: "PO-OVER-01", net: "20" },
    { ref: "PO-PARTS-1", net: "30" },
    { ref: "PO-NEVER-1", net: "7" },
    { ref: "PO-HAND-01", net: "9" },
    { ref: "PO-BACK-01", net: "-4" },
  ]);
  await receive(books, [
    ["2026-03-25", "100", "PO-WHOLE-1"],
    ["2026-03-25", "48", "PO-SHORT-1"],
    ["2026-03-25", "21", "PO-OVER-01"],
    ["2026-03-25", "10", "PO-PARTS-1"],
    ["2026-03-28", "20", "PO-PARTS-1"],
    ["2026-03-26", "9", "Something"],
    ["2026-03-26", "5", "A gift"],
    ["2026-03-27", "-4", "PO-BACK-01"],
    ["2026-03-27", "-1.5", "Rent"],
  ]);
  beforeDecisions = await databaseNow(books);
  const [line] = await database.db.query<{ id: number }>(
    "select id::int from tieout.receipt_lines where account_id = $1 and remittance = 'Something'",
    [books.accountId],
  );
  const [payout] = await database.db.query<{ id: number }>(
    "select id::int from tieout.payouts where account_id = $1 and payout_ref = 'PO-HAND-01'",
    [books.accountId],
  );
  const wanted = { lineId: line?.id ?? 0, payoutId: payout?.id ?? 0, bankFee: undefined, reason: "asked" };
  await matchReceipt(database.db, { accountIds: null }, wanted, { actor: "alice" });
  await writeOff(books, "payout_short", "2026-04-10T00:00:00Z");
});

const far = "2030-01-01";

async function booked(given: Readonly<Record<string, string>>): Promise<string[]> {
  const rows = await rowsOf(books, "journal", { to: far, ...given });
  return rows.map(
    ({ date, event, account_name, debit, credit }) =>
      `${date} ${event} ${account_name} ${debit ? debit : `-${credit}`}`,
  );
}

describe("the journal of receipts", () => {
  test("debits the bank and clears the payout", async () => {
    expect(await booked({ payout_ref: "PO-WHOLE-1", from: "2026-03-25" })).toEqual([
      "2026-03-25 payout_received assets:bank 100",
      "2026-03-25 payout_received assets:payouts in transit:moonpay -100",
    ]);
  });

  test("what is missing or too much stands as a difference, until it comes or is written off", async () => {
    expect(await booked({ payout_ref: "PO-SHORT-1", from: "2026-03-25" })).toEqual([
      "2026-03-25 payout_received assets:bank 48",
      "2026-03-25 payout_difference assets:payout differences:moonpay 2",
      "2026-03-25 payout_difference assets:payouts in transit:moonpay -2",
      "2026-03-25 payout_received assets:payouts in transit:moonpay -48",
      "2026-04-10 difference_written_off expenses:write-offs:moonpay 2",
      "2026-04-10 difference_written_off assets:payout differences:moonpay -2",
    ]);
    expect(
      await booked({ payout_ref: "PO-OVER-01", from: "2026-03-25", event: "payout_difference" }),
    ).toEqual([
      "2026-03-25 payout_difference assets:payout differences:moonpay -1",
      "2026-03-25 payout_difference assets:payouts in transit:moonpay 1",
    ]);
    expect(
      await booked({ payout_ref: "PO-PARTS-1", from: "2026-03-25", event: "payout_difference" }),
    ).toEqual([
      "2026-03-25 payout_difference assets:payout differences:moonpay 20",
      "2026-03-25 payout_difference assets:payouts in transit:moonpay -20",
      "2026-03-28 payout_difference assets:payout differences:moonpay -20",
      "2026-03-28 payout_difference assets:payouts in transit:moonpay 20",
    ]);
  });

  test("money without a payout waits until a person assigns it; what else goes out is not ours to book", async () => {
    expect(await booked({ event: "receipt_unassigned", known_at: beforeDecisions })).toEqual([
      "2026-03-26 receipt_unassigned assets:bank 9",
      "2026-03-26 receipt_unassigned liabilities:unassigned receipts -9",
      "2026-03-26 receipt_unassigned assets:bank 5",
      "2026-03-26 receipt_unassigned liabilities:unassigned receipts -5",
    ]);
    const assigned = await rowsOf(books, "journal", { to: far, event: "receipt_assigned" });
    expect(assigned).toMatchObject([
      { account_name: "liabilities:unassigned receipts", debit: "9", payout_ref: "PO-HAND-01" },
      { account_name: "assets:payouts in transit:moonpay", credit: "9" },
    ]);
    expect(assigned[0]?.["receipt_line"]).toMatch(/^rcl_\d+$/);
    expect(assigned[0]?.["file_name"]).toMatch(/^bank-\d+\.csv$/);
  });

  test("balances, and ties to the receivable; what no money came of is all that is in transit", async () => {
    const sums = await readJournalBalance(database.db, {
      accountIds: [books.accountId],
      from: null,
      to: `${far}T00:00:00Z`,
      knownAt: null,
    });
    expect(sums).toMatchObject([{ currency: "EUR", balanced: true, tied: true }]);
    const rows = await rowsOf(books, "journal", { to: far });
    const transit = rows.filter(({ account_code }) => account_code === "1210");
    expect(sum(transit.flatMap(({ debit, credit }) => [debit, credit && `-${credit}`]))).toBe("7");
  });

  test.runIf(hasHledger())("hledger accepts its text, and its bank is the bank's", async () => {
    const text = await report(books, "journal", { to: far, layout: "hledger" });
    hledger(text, "check", "--strict");
    const balances = parseCsv(hledger(text, "balance", "--flat", "--layout=bare", "-O", "csv"));
    const told = Object.fromEntries(balances.map(({ account, balance }) => [account, sum([balance])]));
    // 100 + 48 + 21 + 10 + 20 + 9 + 5 - 4; the rent is booked elsewhere.
    expect(told).toMatchObject({
      "assets:bank": "209",
      "assets:payouts in transit:moonpay": "7",
      "assets:payout differences:moonpay": "-1",
      "liabilities:unassigned receipts": "-5",
      "expenses:write-offs:moonpay": "2",
    });
    expect(told["assets:receivable:moonpay"] ?? "0").toBe("0");
  });

  test.each(["xero", "quickbooks", "netsuite"])(
    "is in the layout %s, with the bank line behind it",
    async (layout) => {
      const text = await report(books, "journal", { to: far, event: "payout_received", layout });
      expect(text).toMatch(/moonpay payout received EUR PO-WHOLE-1 lin_\d+ rcl_\d+/);
    },
  );
});
