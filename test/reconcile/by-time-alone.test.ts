import { expect, test } from "vitest";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { addRecords, addStatement, codesOf, openBooks } from "./books.ts";

const database = useTestDatabase();

test("what begins or ceases to hold by its day alone is seen by the next run, although nothing is new", async () => {
  const books = await openBooks(database.db, { readTo: "2030-01-01T00:00:00Z" });
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
  await addRecords(books, [{ id: "T1" }, { id: "T2", at: new Date(Date.now() - 60_000).toISOString() }]);
  await addStatement(books, { lines: [{ of: "T1" }] });
  await reconcileAccount(database.db, books.accountId);
  expect(await codesOf(books)).toEqual([]);

  // The statement that should tell of T2 is late from a day in the future: that day comes, and passes.
  const day = async (from: string, to: string) =>
    database.db.query(
      `update tieout.findings set holds_from = ${from}, holds_to = ${to}
       where account_id = $1 and code = 'statement_overdue' and known_to is null
       returning 1`,
      [books.accountId],
    );
  expect(await day("clock_timestamp()", `'${inAnHour}'`)).toHaveLength(1);
  await reconcileAccount(database.db, books.accountId);
  expect(await codesOf(books)).toEqual([expect.stringMatching(/^statement_overdue /)]);
  await day("holds_from", "clock_timestamp()");
  await reconcileAccount(database.db, books.accountId);
  expect(await codesOf(books)).toEqual([]);
});
