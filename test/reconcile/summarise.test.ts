import { expect, test } from "vitest";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { summariseAccount } from "../../src/reconcile/summarise.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { wrapDatabase } from "../support/wrap-database.ts";
import { addRecords, openBooks } from "./books.ts";

const database = useTestDatabase();

test("the classes of an account are added up for one provider or for all, without a time limit", async () => {
  const books = await openBooks(database.db);
  await addRecords(books, [{ id: "T1" }, { id: "T2", onramp: "banxa" }]);
  await reconcileAccount(database.db, books.accountId);
  const limits: unknown[] = [];
  const watched = wrapDatabase(database.db, async (next, text, ...rest) => {
    if (text.includes("transaction_classes")) limits.push(...(await next("show statement_timeout")));
    return next(text, ...rest);
  });
  const providersOf = async (provider: string | null) => {
    const sums = await summariseAccount(watched, books.accountId, { provider });
    return sums.map((sum) => sum.provider);
  };
  expect(await providersOf(null)).toEqual(["banxa", "moonpay"]);
  expect(await providersOf("banxa")).toEqual(["banxa"]);
  expect(limits).toEqual([{ statement_timeout: "0" }, { statement_timeout: "0" }]);
});
