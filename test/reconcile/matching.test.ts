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
});
