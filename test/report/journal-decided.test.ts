import { beforeAll, describe, expect, test } from "vitest";
import { importReceipts } from "../../src/reconcile/receipts/import-receipts.ts";
import { matchReceipt } from "../../src/reconcile/receipts/match-receipt.ts";
import { readJournalBalance } from "../../src/store/books/journal-balance.ts";
import { type Books, openBooks } from "../reconcile/books.ts";
import { declarePayouts, receive, requestFor, sourceOf } from "../reconcile/receipts/bank.ts";
import { hasHledger, hledger } from "../support/hledger.ts";
import { liftLimits } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { parseCsv } from "./books.ts";
import { report, rowsOf, sum, writeOff } from "./claims.ts";

const database = useTestDatabase();
const far = "2030-01-01";
let books: Books;

beforeAll(async () => {
  await liftLimits(database.db);
  books = await openBooks(database.db);
  await declarePayouts(books, [
    { ref: "PO-NEVER-1", net: "7" },
    { ref: "PO-LATE-01", net: "11" },
    { ref: "PO-DOLLAR-1", net: "110", currency: "USD" },
  ]);
  // The bank's file begins before the payouts do: only then can it be said that nothing came.
  await receive(books, [["2026-03-20", "5", "A gift"]]);
  await importReceipts({ database: database.db }, sourceOf(converted, "bank.xml"), requestFor(books));
  const lineId = await idOf("receipt_lines", "remittance", "Your share");
  const payoutId = await idOf("payouts", "payout_ref", "PO-DOLLAR-1");
  const wanted = { lineId, payoutId, reason: "the provider says so" };
  await matchReceipt(database.db, { accountIds: null }, wanted, { actor: "alice" });
  await writeOff(books, "payout_not_received", "2026-04-10T00:00:00Z");
  await writeOff(books, "receipt_without_payout", "2026-04-11T00:00:00Z");
  // Written off, and then it came after all.
  await receive(books, [["2026-05-04", "11", "PO-LATE-01"]]);
});

/** Dollars that the bank has turned into euros, of a payout that it does not name. */
const converted =
  `<?xml version="1.0" encoding="UTF-8"?><Document><BkToCstmrStmt><Stmt><Id>1</Id><Acct><Id><IBAN>DE1</IBAN></Id></Acct>` +
  `<Ntry><Amt Ccy="EUR">100.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-03-25</Dt></BookgDt>` +
  `<NtryDtls><TxDtls><AmtDtls><InstdAmt><Amt Ccy="USD">110</Amt></InstdAmt></AmtDtls>` +
  `<RmtInf><Ustrd>Your share</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry></Stmt></BkToCstmrStmt></Document>`;

async function booked(given: Readonly<Record<string, string>>): Promise<string[]> {
  const rows = await rowsOf(books, "journal", { to: far, ...given });
  return rows.map(
    ({ date, event, account_name, currency, debit, credit }) =>
      `${date} ${event} ${account_name} ${debit ? debit : `-${credit}`} ${currency}`,
  );
}

async function idOf(table: "payouts" | "receipt_lines", column: string, name: string): Promise<number> {
  const [row] = await database.db.query<{ id: number }>(
    `select id::int from tieout.${table} where account_id = $1 and ${column} = $2`,
    [books.accountId, name],
  );
  return row?.id ?? 0;
}

describe("the journal of what people decide about receipts", () => {
  test("a payout that never came is no longer in transit once it is written off", async () => {
    expect(await booked({ payout_ref: "PO-NEVER-1", from: "2026-03-25" })).toEqual([
      "2026-04-10 payout_written_off expenses:write-offs:moonpay 7 EUR",
      "2026-04-10 payout_written_off assets:payouts in transit:moonpay -7 EUR",
    ]);
  });

  test("what never came is written off of its payout, and not of what is still owed", async () => {
    const writtenOff = async (ref: string, asAt: string) => {
      const rows = await rowsOf(books, "payout-reconciliation", { payout_ref: ref, as_at: asAt });
      return rows.map((row) => row["written_off"]);
    };
    expect(await writtenOff("PO-NEVER-1", "2026-04-10")).toEqual(["0"]);
    expect(await writtenOff("PO-NEVER-1", "2026-06-01")).toEqual(["7"]);
    expect(await writtenOff("PO-LATE-01", "2026-05-01")).toEqual(["11"]);
    expect(await writtenOff("PO-LATE-01", "2026-06-01")).toEqual(["0"]);
    const claims = await rowsOf(books, "receivable", { to: far, currency: "EUR" });
    expect(claims).toMatchObject([{ paid_out: "18", written_off: "0", closing: "0" }]);
    const rows = await rowsOf(books, "journal", { to: far, currency: "EUR" });
    const inTransit = rows.filter(({ account_code: code }) => code === "1210");
    expect(sum(inTransit.map(({ debit }) => debit))).toBe(sum(inTransit.map(({ credit }) => credit)));
  });

  test("what comes after all takes the write-off back on its day", async () => {
    expect(await booked({ payout_ref: "PO-LATE-01", from: "2026-03-25" })).toEqual([
      "2026-04-10 payout_written_off expenses:write-offs:moonpay 11 EUR",
      "2026-04-10 payout_written_off assets:payouts in transit:moonpay -11 EUR",
      "2026-05-04 payout_received assets:bank 11 EUR",
      "2026-05-04 payout_received assets:payouts in transit:moonpay -11 EUR",
      "2026-05-04 payout_written_off expenses:write-offs:moonpay -11 EUR",
      "2026-05-04 payout_written_off assets:payouts in transit:moonpay 11 EUR",
    ]);
  });

  test("money that nobody asks for leaves the unassigned receipts, in an account that names no provider", async () => {
    expect(await booked({ event: "receipt_written_off" })).toEqual([
      "2026-04-11 receipt_written_off liabilities:unassigned receipts 5 EUR",
      "2026-04-11 receipt_written_off expenses:write-offs -5 EUR",
    ]);
    const [row] = await rowsOf(books, "journal", { to: far, event: "receipt_written_off" });
    expect(row).toMatchObject({ provider: "", payout_ref: "" });
    expect(row?.["receipt_line"]).toMatch(/^rcl_\d+$/);
    expect(row?.["discrepancy"]).toMatch(/^dis_\d+$/);
  });

  test("converted money that a person assigns is exchanged out of the unassigned receipts", async () => {
    const rows = await booked({ payout_ref: "PO-DOLLAR-1", from: "2026-03-25" });
    expect(rows.map((row) => row.replace(/^\S+ /, ""))).toEqual([
      "assigned_exchanged liabilities:unassigned receipts 100 EUR",
      "payout_exchanged equity:currency exchange 110 USD",
      "assigned_exchanged equity:currency exchange -100 EUR",
      "payout_exchanged assets:payouts in transit:moonpay -110 USD",
    ]);
  });

  test("balances, and ties to the receivable, in both currencies", async () => {
    const asked = { accountIds: [books.accountId], from: null, to: `${far}T00:00:00Z`, knownAt: null };
    expect(await readJournalBalance(database.db, asked)).toMatchObject([
      { currency: "EUR", balanced: true, tied: true },
      { currency: "USD", balanced: true, tied: true },
    ]);
  });

  test.runIf(hasHledger())("hledger accepts its text, and nothing is left in transit", async () => {
    const text = await report(books, "journal", { to: far, layout: "hledger" });
    hledger(text, "check", "--strict");
    const balances = parseCsv(hledger(text, "balance", "--flat", "--layout=bare", "-O", "csv"));
    const told = balances.map(
      ({ account, commodity, balance }) => `${account} ${sum([balance])} ${commodity}`,
    );
    // 5 + 100 + 11 at the bank; 7 and 11 are written off, 11 of it came, and 5 of nobody's were kept.
    expect(told.filter((row) => !/^(?:income:|total )/.test(row))).toEqual([
      "assets:bank 116 EUR",
      "equity:currency exchange -100 EUR",
      "equity:currency exchange 110 USD",
      "expenses:write-offs -5 EUR",
      "expenses:write-offs:moonpay 7 EUR",
    ]);
  });
});
