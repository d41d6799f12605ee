import { describe, expect, test } from "vitest";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { addRecords, addStatement, codesOf, matchesOf, openBooks } from "./books.ts";

const database = useTestDatabase();

describe("matching", () => {
  test("a line that carries the provider's id settles its transaction", async () => {
    const books = await openBooks(database.db);
    await addRecords(books, [{ id: "T1" }]);
    await addStatement(books, { lines: [{ of: "T1" }] });
    await reconcileAccount(database.db, books.accountId);
    expect(await matchesOf(books)).toEqual([
      {
        line: "charge:T1",
        transaction: "T1",
        role: "settles",
        rule: "provider_id",
        state: "active",
        name: null,
      },
    ]);
    expect(await codesOf(books)).toEqual([]);
  });

  test("a UUID is found whichever side prints it in capitals", async () => {
    const [ours, theirs] = ["7c9e6679-7425-40de-944b-e07fc1f90ae7", "7c9e6679-7425-40de-944b-e07fc1f90ae8"];
    const books = await openBooks(database.db);
    await addRecords(books, [
      { id: "T1", onrampTransactionId: ours.toUpperCase() },
      { id: "T2", onrampTransactionId: theirs },
      { id: "T3" },
    ]);
    const line = { our_reference: null, transaction_hash: null };
    await addStatement(books, { lines: [{ ...line, of: "T1", provider_transaction_id: ours }] });
    await reconcileAccount(database.db, books.accountId);
    await addStatement(books, {
      lines: [
        { ...line, of: "T2", provider_transaction_id: theirs.toUpperCase() },
        { ...line, of: "T3" },
      ],
    });
    await reconcileAccount(database.db, books.accountId, { full: true });
    expect((await matchesOf(books)).map(({ transaction, rule }) => [transaction, rule])).toEqual([
      ["T1", "provider_id"],
      ["T2", "provider_id"],
      ["T3", "provider_id"],
    ]);
  });
});
