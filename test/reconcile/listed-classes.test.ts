import { expect, test } from "vitest";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { listTransactions, type TransactionClass } from "../../src/store/transactions/transaction-reads.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { addRecords, addStatement, type Books, openBooks } from "./books.ts";

const database = useTestDatabase();

test("a list by class has the newest of them, whichever run judged it", async () => {
  const books = await openBooks(database.db);
  await addRecords(books, [{ id: "T1", at: "2026-03-05T12:00:00Z" }]);
  await addStatement(books, { lines: [{ of: "T1" }] });
  await reconcileAccount(database.db, books.accountId);
  expect(await listed(books, "matched")).toEqual(["T1"]);

  // A later file settles one that is newer, with another amount for the newest of all.
  await addRecords(books, [
    { id: "T2", at: "2026-03-20T12:00:00Z" },
    { id: "T3", at: "2026-03-25T12:00:00Z" },
  ]);
  await addStatement(books, { lines: [{ of: "T2" }, { of: "T3", fiat_gross: "77" }] });
  await reconcileAccount(database.db, books.accountId);
  expect(await listed(books, "matched")).toEqual(["T2", "T1"]);
  expect(await listed(books, "discrepant")).toEqual(["T3"]);
});

async function listed({ accountId }: Books, name: TransactionClass): Promise<string[]> {
  const { rows } = await listTransactions(
    { database: database.db, accountIds: [accountId] },
    { filters: { ranges: [], class: name }, sort: "-status_date", page: { limit: 10, after: null } },
  );
  return rows.map((row) => row.transaction_id);
}
