import { beforeAll, describe, expect, test } from "vitest";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { saveSetting } from "../../src/store/statements/provider-settings.ts";
import { parseCsv, readReport, requestFor } from "../report/books.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { addRecords, addStatement, type Books, openBooks } from "./books.ts";

const database = useTestDatabase();

describe("a calendar by days in Havana, where the 8th of March 2026 had no midnight", () => {
  let books: Books;
  // The instants at which these days begin there: from the 9th on an hour earlier in UTC.
  const days = ["2026-03-07T05", "2026-03-08T05", "2026-03-09T04", "2026-03-10T04"].map(
    (hour) => `${hour}:00:00.000Z`,
  );

  beforeAll(async () => {
    books = await openBooks(database.db);
    await saveCalendar(books, {
      period: "day",
      zone: "America/Havana",
      statement_lag_days: 1,
      payout_lag_days: 1,
    });
    await addStatement(books, { from: "2026-03-01T00:00:00Z", to: "2026-03-01T05:00:00Z", lines: [] });
    const around = days.flatMap((start, index) => [
      { id: `first of ${index}`, at: start },
      { id: `last before ${index}`, at: new Date(Date.parse(start) - 1).toISOString() },
    ]);
    await addRecords(books, around.slice(0, -2));
    await reconcileAccount(database.db, books.accountId);
  });

  const expected = [
    // The one before the first day is alone in its own.
    ["2026-03-06T05:00:00.000Z", days[0], "100"],
    [days[0], days[1], "200"],
    [days[1], days[2], "200"],
    [days[2], days[3], "100"],
  ];

  test("misses the statement of each day from its first instant to the next day's", async () => {
    const rows = await database.db.query<{ period_from: Date; period_to: Date; expected: string }>(
      `select period_from, period_to, trim_scale(expected)::text as expected
       from tieout.discrepancies
       where account_id = $1 and code = 'statement_overdue'
       order by period_from`,
      [books.accountId],
    );
    expect(
      rows.map((row) => [row.period_from.toISOString(), row.period_to.toISOString(), row.expected]),
    ).toEqual(expected);
  });

  test("and so does the report of how it stood", async () => {
    const given = { account: [books.name], code: ["statement_overdue"], as_at: ["2026-06-01"] };
    const rows = parseCsv(await readReport(database.db, requestFor("discrepancies", given)));
    expect(rows.map((row) => row["expected"] ?? "").toSorted()).toEqual(["100", "100", "200", "200"]);
  });
});

test("a payout that is due when banks are closed is overdue from the end of the next business day, in the provider's zone", async () => {
  const books = await openBooks(database.db);
  const from = "2026-03-03T05:00:00Z";
  // Owed of Wednesday, the 4th, and named in no payout.
  const at = "2026-03-04T12:00:00Z";
  await addRecords(books, [{ id: "A", at }]);
  const lines = [{ of: "A", net_amount: "1.25", effective_at: at }];
  await addStatement(books, { from, to: "2026-03-05T05:00:00Z", lines });
  const overdueFrom = async (closed: object) => {
    const calendar = { period: "day", zone: "America/Havana", payout_lag_days: 3, ...closed };
    await saveCalendar(books, calendar);
    await reconcileAccount(database.db, books.accountId);
    const [row] = await database.db.query<{ holds_from: Date }>(
      "select holds_from from tieout.findings where account_id = $1 and code = 'payout_overdue' and known_to is null",
      [books.accountId],
    );
    return row?.holds_from.toISOString();
  };
  // Three days later is Saturday, the 7th: in UTC it would end on the 8th already.
  expect(await overdueFrom({})).toBe("2026-03-08T05:00:00.000Z");
  expect(await overdueFrom({ closed_on_weekends: true, holidays: [] })).toBe("2026-03-10T05:00:00.000Z");
  const holidays = [{ day: "2026-03-09", name: "a holiday" }];
  expect(await overdueFrom({ closed_on_weekends: true, holidays })).toBe("2026-03-11T05:00:00.000Z");
});

test("a calendar in a zone that is none stops the run, and says which", async () => {
  const books = await openBooks(database.db);
  await saveCalendar(books, { period: "month", zone: "Mars/Olympus" });
  await addRecords(books, [{ id: "A" }]);
  await expect(reconcileAccount(database.db, books.accountId)).rejects.toThrow(
    "the calendar of moonpay names no time zone: Mars/Olympus",
  );
});

test("the lag of a calendar counts for a provider that has statements and no record yet", async () => {
  const books = await openBooks(database.db);
  await saveCalendar(books, { period: "day", zone: "UTC", statement_lag_days: 2, payout_lag_days: 2 });
  await addStatement(books, { basis: "settlement", lines: [] });
  const told = await books.db.query(
    "select first_told::text from tieout.coverage_at(array[$1::int], 'infinity')",
    [books.accountId],
  );
  expect(told).toEqual([{ first_told: "2026-02-27 00:00:00+00" }]);
});

async function saveCalendar({ db, accountId }: Books, value: object): Promise<void> {
  const setting = {
    accountId,
    provider: "moonpay",
    kind: "calendar" as const,
    name: "",
    value,
    actor: "test",
  };
  await db.transaction((tx) => saveSetting(tx, setting));
}
