import { describe, expect, test } from "vitest";
import { endMatch } from "../../src/reconcile/match-by-hand.ts";
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

  test("two lines of one hash settle nothing; when one finds its order by id, the other is the only one left", async () => {
    const books = await openBooks(database.db);
    const hash = "cd".repeat(32);
    await addRecords(books, [{ id: "T1", transactionHash: hash }]);
    const line = { transaction_hash: hash, our_reference: null, wallet_address: null };
    await addStatement(books, {
      lines: [
        { ...line, key: "one", provider_transaction_id: "mp-T2" },
        { ...line, key: "other", provider_transaction_id: "unheard of" },
      ],
    });
    await reconcileAccount(database.db, books.accountId);
    expect(await matchesOf(books)).toEqual([]);
    await addRecords(books, [{ id: "T2" }]);
    await reconcileAccount(database.db, books.accountId);
    expect((await matchesOf(books)).map((match) => [match.line, match.transaction, match.rule])).toEqual([
      ["one", "T2", "provider_id"],
      ["other", "T1", "hash"],
    ]);
  });

  test("a line that a person has parted from its order is looked up by its other names", async () => {
    const books = await openBooks(database.db);
    await addRecords(books, [{ id: "T1" }, { id: "T2" }]);
    await addStatement(books, { lines: [{ of: "T1", our_reference: "T2", transaction_hash: null }] });
    await reconcileAccount(database.db, books.accountId);
    const [held] = await database.db.query<{ id: number }>(
      "select id::int from tieout.matches where account_id = $1",
      [books.accountId],
    );
    const ending = { matchId: held?.id ?? 0, reason: "not this one" };
    await endMatch(database.db, { accountIds: null }, ending, { actor: "Ada", requestId: "test" });
    expect((await matchesOf(books)).map((match) => [match.transaction, match.rule])).toEqual([
      ["T2", "our_reference"],
    ]);
  });
});
