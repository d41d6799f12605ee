import type { Database } from "../../src/store/database.ts";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { changeDiscrepancies } from "../../src/store/books/discrepancy-changes.ts";
import { addDecimals, type Decimal, decimal, zero } from "../../src/core/decimal.ts";
import { addRecords, addStatement, type ALine, type Books, openBooks } from "../reconcile/books.ts";
import { parseCsv, readReport, requestFor } from "./books.ts";
import { aPerson } from "../support/people.ts";

const march = (day: number) => `2026-03-${String(day).padStart(2, "0")}T12:00:00Z`;

/** Everything that can happen to what providers owe us, in March 2026, and what came of it in April. */
export async function openClaims(db: Database): Promise<Books> {
  const books = await openBooks(db);
  await addRecords(books, [
    { id: "A", at: march(10) },
    { id: "B", at: march(11) },
    { id: "C", at: march(12), onramp: "banxa", onrampTransactionId: "C" },
  ]);
  await addStatement(books, {
    lines: [
      { of: "A", net_amount: "3", payout_ref: "P1", effective_at: march(10) },
      { of: "B", net_amount: "2.005", payout_ref: "P2", effective_at: march(11) },
      own("refund", "-1.2", march(14), { of: "A", payout_ref: "P1" }),
      own("chargeback", "-0.5", march(15), { of: "B", payout_ref: "P1" }),
      own("chargeback_reversal", "0.5", march(16), { of: "B", payout_ref: "P1" }),
      own("fee", "-0.1", march(17), { payout_ref: "P1" }),
      own("adjustment", "0.25", march(18), { category: "goodwill" }),
      own("reserve", "-0.4", march(19), { payout_ref: "P1" }),
      // With the adjustment, which names no payout, 1.55 is due; 1.00 is declared: 0.55 stays, until it is written off.
      payout("P1", "1", "EUR", march(25)),
      { ...payout("P2", "2.2055", "USD", march(26)), rate: "1.1" },
    ],
  });
  await addStatement(books, {
    provider: "banxa",
    model: "gross",
    lines: [{ of: "C", net_amount: "97", payout_ref: "B1", effective_at: march(12) }],
  });
  await reconcileAccount(db, books.accountId);
  return books;
}

function own(type: NonNullable<ALine["type"]>, net: string, at: string, more: object): ALine {
  const plain = { fiat_gross: null, fiat_net: null, fee_total: null };
  return { key: `${type} ${net}`, type, net_amount: net, effective_at: at, ...plain, ...more };
}

export function payout(ref: string, net: string, currency: string, at: string): ALine {
  return {
    key: `payout ${ref}`,
    type: "payout",
    payout_ref: ref,
    net_amount: net,
    net_currency: currency,
    effective_at: at,
  };
}

export async function writeOff({ db, accountId }: Books, code: string, bookedAt: string): Promise<void> {
  const found = await db.query<{ id: number; version: number }>(
    "select id::int, version from tieout.discrepancies where account_id = $1 and code = $2 and state = 'open'",
    [accountId, code],
  );
  // Someone who may write off that much alone.
  const actor = `person:${await aPerson(db, "controller")}`;
  await changeDiscrepancies(
    db,
    { accountIds: null },
    found,
    { action: "write_off", reason: "too small to ask for", booked_at: bookedAt },
    { actor, requestId: "req_1" },
  );
  await reconcileAccount(db, accountId);
}

/** Of this account, as text. */
export function report(
  { db, name }: Books,
  of: string,
  given: Readonly<Record<string, string>>,
): Promise<string> {
  const listed = Object.fromEntries(Object.entries(given).map(([key, value]) => [key, [value]]));
  return readReport(db, requestFor(of, { ...listed, account: [name] }));
}

export async function rowsOf(
  books: Books,
  of: string,
  given: Readonly<Record<string, string>>,
): Promise<Record<string, string>[]> {
  return parseCsv(await report(books, of, given));
}

export async function databaseNow({ db }: Pick<Books, "db">): Promise<string> {
  const [row] = await db.query<{ now: string }>(
    `select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as now`,
  );
  return row?.now ?? "";
}

export function sum(amounts: readonly (string | undefined)[]): Decimal {
  return amounts.reduce<Decimal>((total, amount) => addDecimals(total, decimal(amount || "0")), zero);
}
