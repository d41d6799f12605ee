import { beforeAll, describe, expect, test } from "vitest";
import { addDecimals, type Decimal, decimal, negateDecimal, zero } from "../../src/core/decimal.ts";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { addRecords, addStatement, type Books, openBooks, withdraw } from "../reconcile/books.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { parseCsv, readReport, requestFor } from "./books.ts";

const database = useTestDatabase();
let books: Books;
let mayFile = 0;
let beforeMay = "";

const line = (of: string, month: string, net: string) => ({
  of,
  net_amount: net,
  payout_ref: `P${month}`,
  effective_at: `2026-${month}-10T12:00:00Z`,
});

/**
 * March earns 3.00 with a refund of 1.20 and a fee of 0.10, and is paid 1.70 on 20 April. April earns 2.00 and is paid in
 * dollars at 1.1, with an adjustment of 0.25 that no payout takes. May has a file that is withdrawn again.
 */
beforeAll(async () => {
  books = await openBooks(database.db);
  await addRecords(books, [
    { id: "A", at: "2026-03-10T12:00:00Z" },
    { id: "B", at: "2026-04-10T12:00:00Z" },
    { id: "C", at: "2026-05-10T12:00:00Z" },
  ]);
  await addStatement(books, {
    lines: [
      line("A", "03", "3"),
      { key: "r", type: "refund", ...line("A", "03", "-1.2"), effective_at: "2026-03-20T00:00:00Z" },
      { key: "f", type: "fee", ...fee },
      payout("03", "1.7", "EUR", "2026-04-20T00:00:00Z"),
    ],
  });
  await addStatement(books, {
    from: "2026-04-01T00:00:00Z",
    to: "2026-05-01T00:00:00Z",
    lines: [
      line("B", "04", "2"),
      {
        key: "a",
        type: "adjustment",
        net_amount: "0.25",
        category: "goodwill",
        effective_at: "2026-04-15T00:00:00Z",
      },
      { ...payout("04", "2.2", "USD", "2026-05-20T00:00:00Z"), rate: "1.1" },
    ],
  });
  await reconcileAccount(database.db, books.accountId);
  const [time] = await database.db.query<{ at: string }>(
    `select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at`,
  );
  beforeMay = time?.at ?? "";
  mayFile = await addStatement(books, {
    from: "2026-05-01T00:00:00Z",
    to: "2026-06-01T00:00:00Z",
    lines: [line("C", "05", "5")],
  });
  await reconcileAccount(database.db, books.accountId);
});

const fee = {
  net_amount: "-0.1",
  payout_ref: "P03",
  effective_at: "2026-03-31T00:00:00Z",
  fiat_gross: null,
  fiat_net: null,
  fee_total: null,
};

function payout(month: string, net: string, currency: string, at: string) {
  return {
    key: `payout ${month}`,
    type: "payout" as const,
    payout_ref: `P${month}`,
    net_amount: net,
    net_currency: currency,
    effective_at: at,
  };
}

async function read(name: string, given: Record<string, string>): Promise<Record<string, string>[]> {
  const listed = Object.fromEntries(Object.entries(given).map(([key, value]) => [key, [value]]));
  return parseCsv(await readReport(database.db, requestFor(name, { ...listed, account: [books.name] })));
}

const months = [
  { from: "2026-03-01", to: "2026-04-01" },
  { from: "2026-04-01", to: "2026-05-01" },
  { from: "2026-05-01", to: "2026-06-01" },
];

describe("receivable", () => {
  test("rolls forward from month to month, through a payout in another currency", async () => {
    const rows = [];
    for (const month of months) rows.push(await read("receivable", month));
    const [march = [], april = [], may = []] = rows;
    expect(march).toMatchObject([
      {
        currency: "EUR",
        opening: "0",
        earned: "3",
        fees: "0.1",
        reversed: "1.2",
        paid_out: "0",
        closing: "1.7",
      },
    ]);
    expect(april).toMatchObject([
      { currency: "EUR", opening: "1.7", earned: "2", adjusted: "0.25", paid_out: "1.7", closing: "2.25" },
    ]);
    expect(may).toMatchObject([
      { currency: "EUR", opening: "2.25", earned: "5", converted: "-2", paid_out: "0", closing: "5.25" },
      { currency: "USD", opening: "0", earned: "0", converted: "2.2", paid_out: "2.2", closing: "0" },
    ]);
    expect(rows.flat().every(({ unexplained }) => unexplained === "0")).toBe(true);
  });

  test("ties to the lines and payouts of the other reports", async () => {
    for (const month of months) {
      const owed = await read("receivable", month);
      const lines = await read("itemised", month);
      const paid = await read("payout-reconciliation", month);
      for (const { currency = "", earned, fees, reversed, adjusted, paid_out: paidOut } of owed) {
        const of = (rows: Record<string, string>[], column: string, key: string) =>
          sum(rows.filter((row) => row[key] === currency).map((row) => row[column]));
        const moved = [earned, minus(fees), minus(reversed), adjusted];
        expect(sum(moved)).toEqual(of(lines, "line_net", "line_currency"));
        expect(sum([paidOut])).toEqual(of(paid, "net_declared", "currency"));
      }
    }
  });

  test("is what was known at a time: a file that came later, or was withdrawn, changes nothing before", async () => {
    const given = { from: "2026-05-01", to: "2026-06-01" };
    const before = await read("receivable", { ...given, known_at: beforeMay });
    expect(before).toMatchObject([{ currency: "EUR", earned: "0", closing: "0.25" }, { currency: "USD" }]);
    await withdraw(books, mayFile);
    await reconcileAccount(database.db, books.accountId);
    expect(await read("receivable", given)).toEqual(before);
  });
});

function sum(amounts: readonly (string | undefined)[]): Decimal {
  return amounts.reduce<Decimal>((total, amount) => addDecimals(total, decimal(amount || "0")), zero);
}

function minus(amount: string | undefined): string {
  return String(negateDecimal(decimal(amount || "0")));
}
