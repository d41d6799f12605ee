import { expect, test } from "vitest";
import { endMatch } from "../../src/reconcile/match-by-hand.ts";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { addRecords, addStatement, type Books, openBooks } from "../reconcile/books.ts";
import { aPerson } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { parseCsv, readReport, requestFor } from "./books.ts";
import { databaseNow } from "./claims.ts";

const database = useTestDatabase();

/** It says that the two never belonged together, not that they parted on some day. Decision 33. */
test("a match that a person ends never was, and what was known before stays readable", async () => {
  const books = await openBooks(database.db);
  await addRecords(books, [{ id: "one" }]);
  await addStatement(books, { lines: [{ of: "one", net_amount: "3" }] });
  await reconcileAccount(database.db, books.accountId);
  const signed = await databaseNow(books);
  const whileMatched = await readAll(books, {});
  expect(whileMatched["itemised"]).toMatchObject([{ class: "matched", transaction_id: "one" }]);
  expect(whileMatched["unsettled"]).toEqual([]);

  const [match] = await database.db.query<{ id: number }>(
    "select id::int from tieout.matches where account_id = $1 and state = 'active'",
    [books.accountId],
  );
  const author = { actor: `person:${await aPerson(database.db, "controller")}`, requestId: "req_1" };
  const ending = { matchId: match?.id ?? 0, reason: "another customer's" };
  await endMatch(database.db, { accountIds: null }, ending, author);

  const now = await readAll(books, {});
  expect(now["itemised"]).toMatchObject([{ class: "discrepant", codes: "missing_from_records" }]);
  expect(now["unsettled"]).toMatchObject([{ transaction_id: "one" }]);
  expect(now["position"]).toMatchObject([{ settled: "0", unexplained: "0" }]);
  // What a provider owes follows from its lines, matched or not; an entry only names the order.
  expect(whileMatched["receivable"]).toMatchObject([{ earned: "3", closing: "3" }]);
  expect(now["receivable"]).toEqual(whileMatched["receivable"]);
  expect(whileMatched["journal"]).toHaveLength(2);
  expect(now["journal"]?.map(withoutOrder)).toEqual(whileMatched["journal"]?.map(withoutOrder));
  expect(await readAll(books, { known_at: [signed] })).toEqual(whileMatched);
});

const withoutOrder = (row: Record<string, string>) => ({ ...row, transaction_id: "" });

async function readAll(books: Books, given: Record<string, string[]>) {
  const answers: Record<string, Record<string, string>[]> = {};
  for (const name of ["itemised", "unsettled", "position", "receivable", "journal"]) {
    const when = { account: [books.name], partial: ["true"], as_at: ["2026-05-01"] };
    answers[name] = parseCsv(await readReport(database.db, requestFor(name, { ...when, ...given })));
  }
  return answers;
}
