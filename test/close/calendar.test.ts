import { expect, test } from "vitest";
import { listPeriods } from "../../src/close/period.ts";
import { checkPeriod, preparePeriod } from "../../src/close/prepare.ts";
import { approvePeriod } from "../../src/close/sign.ts";
import type { Instant } from "../../src/core/instant.ts";
import { verifyReceipts } from "../../src/reconcile/receipts/verify-receipts.ts";
import { receive } from "../reconcile/receipts/bank.ts";
import { rowsOf } from "../report/claims.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { alice, bob, monthOfBooks, openMonth } from "./a-month.ts";
import { set } from "./set.ts";

const database = useTestDatabase();
const now = "2026-06-15T00:00:00.000Z" as Instant;

test("months are those of the zone that is set, from the month that is set on", async () => {
  const books = await openMonth(database.db);
  await set(books, "calendar", { zone: "Europe/Berlin", first_month: "2026-04" });
  await expect(monthOfBooks(books)).rejects.toThrow("is 2026-04: no earlier one is closed here");
  expect(await monthOfBooks(books, "2026-04")).toMatchObject({
    zone: { name: "Europe/Berlin" },
    from: "2026-03-31T22:00:00.000Z",
    to: "2026-04-30T22:00:00.000Z",
  });
  const months = await listPeriods({ database: database.db, accountIds: [books.accountId] }, now);
  expect(months.map(({ month }) => month)).toEqual(["2026-04", "2026-05", "2026-06"]);
});

test("without a first month, the first is the one that was read from its start in that zone", async () => {
  const books = await openMonth(database.db);
  await set(books, "calendar", { zone: "Europe/Berlin", first_month: null });
  // Read from midnight of UTC on, an hour too late for March in Berlin.
  await expect(monthOfBooks(books)).rejects.toThrow("is 2026-04");
  await set(books, "calendar", null);
  expect(await monthOfBooks(books)).toMatchObject({ zone: { name: "UTC" } });
});

test("a zone that is set later leaves signed months as they are, and no hour between them and the next", async () => {
  const books = await openMonth(database.db);
  await preparePeriod(database.db, await monthOfBooks(books), [], alice);
  await approvePeriod(database.db, await monthOfBooks(books), bob);
  await set(books, "calendar", { zone: "America/New_York", first_month: "2026-05" });
  expect(await monthOfBooks(books)).toMatchObject({ zone: { name: "UTC" }, to: "2026-04-01T00:00:00.000Z" });
  expect(await monthOfBooks(books, "2026-04")).toMatchObject({
    zone: { name: "America/New_York" },
    from: "2026-04-01T00:00:00.000Z",
    to: "2026-05-01T04:00:00.000Z",
  });
  await preparePeriod(database.db, await monthOfBooks(books, "2026-04"), [], alice);
  await approvePeriod(database.db, await monthOfBooks(books, "2026-04"), bob);
  expect(await monthOfBooks(books, "2026-04")).toMatchObject({ state: "closed" });
});

test.each([["America/Los_Angeles"], ["Pacific/Honolulu"], ["Europe/Berlin"], ["Pacific/Auckland"]])(
  "a bank line is of the month in which the bank booked it, in %s too",
  async (zone) => {
    const books = await openMonth(database.db);
    await set(books, "calendar", { zone, first_month: "2026-03" });
    const days = ["2026-02-28", "2026-03-01", "2026-03-31", "2026-04-01"];
    await receive(
      books,
      days.map((day, at) => [day, `${at + 1}`, `Wire of ${day}`]),
    );
    // Of an overlapping file, nothing is taken for another line.
    await receive(
      books,
      [...days, "2026-04-02"].map((day, at) => [day, `${at + 1}`, `Wire of ${day}`]),
    );
    const { lines } = await checkPeriod(database.db, await monthOfBooks(books));
    expect(lines.find(({ line }) => line === "receipts")).toMatchObject({
      total: 2,
      parts: [{ amounts: [{ currency: "EUR", amount: "5" }] }],
    });
    // Reports take days of UTC where nobody names a zone.
    for (const tz of [zone, "UTC"]) {
      const march = { from: "2026-03-01", to: "2026-04-01", tz };
      const rows = await rowsOf(books, "receipts", { ...march, as_at: "2026-04-01" });
      expect(rows.map((row) => row["booking_date"])).toEqual(["2026-03-01", "2026-03-31"]);
      const journal = await rowsOf(books, "journal", march);
      const banked = journal.filter((row) => row["account_name"] === "assets:bank");
      expect(banked.map((row) => [row["date"], row["debit"]])).toEqual([
        ["2026-03-01", "2"],
        ["2026-03-31", "3"],
      ]);
    }
    expect(await verifyReceipts(books.db)).toEqual([]);
  },
);
