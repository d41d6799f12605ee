import { expect, test } from "vitest";
import { changeDiscrepancies } from "../../src/store/books/discrepancy-changes.ts";
import { type Books, openBooks } from "../reconcile/books.ts";
import { declarePayouts, receive } from "../reconcile/receipts/bank.ts";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { aPerson } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { openClaims, report, rowsOf } from "./claims.ts";

const database = useTestDatabase();
const far = { to: "2030-01-01" };

async function claims(): Promise<Books> {
  return openClaims(database.db);
}

async function arrivals(): Promise<Books> {
  const books = await openBooks(database.db);
  await declarePayouts(books, [
    { ref: "PO-NEVER-1", net: "70000" },
    { ref: "PO-SHORT-1", net: "50000" },
  ]);
  await receive(books, [
    ["2026-03-20", "5", "A gift"],
    ["2026-03-27", "20000", "PO-SHORT-1"],
  ]);
  await reconcileAccount(books.db, books.accountId);
  return books;
}

// One person may resolve whatever the amount (docs/decisions/0029): it must never take money out of a balance.
test.each([
  ["of claims", claims, ["payout_sum_mismatch"]],
  ["of arrivals", arrivals, ["payout_not_received", "payout_short", "receipt_without_payout"]],
])("resolving discrepancies %s books nothing, and says who did it", async (_, open, codes) => {
  const books = await open();
  const balances = async () => [
    await report(books, "receivable", far),
    await report(books, "journal", far),
    await report(books, "payout-reconciliation", { as_at: far.to }),
  ];
  const before = await balances();
  const found = await books.db.query<{ id: number; version: number; code: string }>(
    "select id::int, version, code from tieout.discrepancies where account_id = $1 and state = 'open'",
    [books.accountId],
  );
  expect(found.map(({ code }) => code)).toEqual(expect.arrayContaining([...codes]));
  const actor = `person:${await aPerson(books.db, "accountant")}`;
  const change = { action: "resolve", reason: "the provider explained it" } as const;
  const author = { actor, requestId: "req_1" };
  const { changed, proposed } = await changeDiscrepancies(
    books.db,
    { accountIds: null },
    found,
    change,
    author,
  );
  expect([changed.length, proposed]).toEqual([found.length, []]);
  await reconcileAccount(books.db, books.accountId);

  expect(await balances()).toEqual(before);
  const listed = (await rowsOf(books, "discrepancies", {})).filter((row) =>
    codes.includes(row["code"] ?? ""),
  );
  expect(new Set(listed.map((row) => [row["state"], row["resolved_by"], row["reason"]].join(" ")))).toEqual(
    new Set([`resolved ${actor} the provider explained it`]),
  );
});
