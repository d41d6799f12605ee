import { expect, test } from "vitest";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { discrepanciesOf } from "../../src/store/books/discrepancy-reads.ts";
import { addRecords, addStatement, openBooks, withdraw } from "../reconcile/books.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { rowsOf } from "./claims.ts";

const database = useTestDatabase();

test("what a corrected file still lacks is as old on the page as in the reports", async () => {
  const books = await openBooks(database.db);
  await addRecords(books, [{ id: "left out", at: "2026-03-10T12:00:00Z" }]);
  const first = await addStatement(books, { lines: [], generatedAt: "2026-04-02T00:00:00Z" });
  await reconcileAccount(database.db, books.accountId);
  await addStatement(books, { lines: [], generatedAt: "2026-05-05T00:00:00Z" });
  await withdraw(books, first);
  await reconcileAccount(database.db, books.accountId);
  const reader = { database: database.db, accountIds: null };
  const key = { accountId: books.accountId, transactionId: "left out" };
  const [shown] = await discrepanciesOf(reader, key);
  const [reported] = await rowsOf(books, "discrepancies", { code: "missing_from_statement" });
  const [aged] = await rowsOf(books, "ageing", { code: "missing_from_statement" });
  expect(reported).toMatchObject({ transaction_id: "left out", since: "2026-05-05T00:00:00.000Z" });
  expect(shown?.since).toMatch(/^2026-05-05/);
  expect([String(shown?.ageDays), shown?.bucket]).toEqual([reported?.["age_days"], aged?.["bucket"]]);
});
