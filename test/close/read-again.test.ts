import { expect, test } from "vitest";
import { checkPeriod } from "../../src/close/prepare.ts";
import { askToReadAgain } from "../../src/close/read-again.ts";
import { insertWindows } from "../../src/store/windows/sync-windows.ts";
import { openBooks } from "../reconcile/books.ts";
import { readWindows } from "../support/a-window.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { monthOfBooks } from "./a-month.ts";

const database = useTestDatabase();

test("a month is read again only once its first reading has been planned to its end", async () => {
  // An aggregator whose clock is ten minutes behind: for it, the month is not over.
  const books = await openBooks(database.db, {
    readFrom: "2026-03-01T00:00:00Z",
    readTo: "2026-03-31T23:50:00Z",
  });
  const ask = async () => {
    const period = await monthOfBooks(books);
    return askToReadAgain(database.db, period, await checkPeriod(database.db, period));
  };
  expect(await ask()).toBe(0);
  expect((await readWindows(database.db, books.accountId)).map(({ kind }) => kind)).toEqual(["live"]);

  const [fromMs, toMs] = [Date.parse("2026-03-31T23:50:00Z"), Date.parse("2026-04-01T00:00:00Z")];
  await insertWindows(database.db, books.accountId, [{ kind: "live", fromMs, toMs }]);
  expect(await ask()).toBe(31);
});
