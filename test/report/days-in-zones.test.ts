import { beforeAll, describe, expect, test } from "vitest";
import { reportRoutes } from "../../src/api/reports/routes.ts";
import { aKey, useApi } from "../api/an-api.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { keepAccount, keepTransactions, parseCsv } from "./books.ts";

const database = useTestDatabase();
const server = useApi(database, {
  extensions: [(api) => reportRoutes({ database: database.db, rowsMax: 10_000, places: { max: 2 } })(api)],
});
let key = "";

/** A zone, a day of it, and when that day begins and ends in UTC. */
const awkward = [
  // Five hours and three quarters ahead.
  ["Asia/Kathmandu", "2026-03-10", "2026-03-09T18:15", "2026-03-10T18:15"],
  // Two and a half hours behind in summer; the 1st of November has 25 hours.
  ["America/St_Johns", "2026-11-01", "2026-11-01T02:30", "2026-11-02T03:30"],
  // One minute past midnight the clock goes back to the day before, whose last hour comes again.
  ["America/St_Johns", "2010-11-06", "2010-11-06T02:30", "2010-11-07T02:30"],
  ["America/St_Johns", "2010-11-07", "2010-11-07T02:30", "2010-11-08T03:30"],
  // Midnight comes twice: the day begins with the first.
  ["America/Havana", "2026-11-01", "2026-11-01T04:00", "2026-11-02T05:00"],
  ["America/Havana", "2026-10-31", "2026-10-31T04:00", "2026-11-01T04:00"],
  // There is no midnight: the day begins at one o'clock.
  ["America/Havana", "2026-03-08", "2026-03-08T05:00", "2026-03-09T04:00"],
  // Samoa went from the 29th to the 31st.
  ["Pacific/Apia", "2011-12-29", "2011-12-29T10:00", "2011-12-30T10:00"],
  ["Pacific/Apia", "2011-12-30", "2011-12-30T10:00", "2011-12-30T10:00"],
  ["Pacific/Apia", "2011-12-31", "2011-12-30T10:00", "2011-12-31T10:00"],
  // Back to UTC for Ramadan, and two hours at once.
  ["Africa/Casablanca", "2026-02-15", "2026-02-14T23:00", "2026-02-16T00:00"],
  ["Antarctica/Troll", "2026-03-29", "2026-03-29T00:00", "2026-03-29T22:00"],
  // 44 minutes and 30 seconds behind, until 1972.
  ["Africa/Monrovia", "1972-01-07", "1972-01-07T00:44:30", "1972-01-08T00:00"],
] as const;

const named = (zone: string, day: string) => `${zone} ${day}`;

beforeAll(async () => {
  key = await aKey(database.db, "accountant");
  for (const [zone, day, from, to] of awkward) {
    const account = await keepAccount(database.db, named(zone, day), "{[1969-12-01,2027-01-01)}");
    const first = Date.parse(`${from}Z`);
    const last = Date.parse(`${to}Z`);
    // Either side of both edges, and every half hour between and around them.
    const times = new Set([first - 1, first, last - 1, last]);
    for (let at = first - 26 * HOUR; at < last + 26 * HOUR; at += HOUR / 2) times.add(at);
    await keepTransactions(
      database.db,
      account,
      [...times].map((at) => ({
        transaction_id: new Date(at).toISOString(),
        status_date: new Date(at).toISOString(),
      })),
    );
  }
});

describe.each(awkward)("in %s, %s", (zone, day, from, to) => {
  const account = `account=${encodeURIComponent(named(zone, day))}`;
  const zoned = `${account}&tz=${zone}`;
  const isWithin = (id: string) =>
    Date.parse(id) >= Date.parse(`${from}Z`) && Date.parse(id) < Date.parse(`${to}Z`);

  test("is the same for a list, its export, and both sums by day", async () => {
    const listed = await walk(`/v1/transactions?${zoned}&status_date[gte]=${day}&status_date[lte]=${day}`);
    const all = await walk(`/v1/transactions?${account}`);
    expect(listed.toSorted()).toEqual(all.filter(isWithin).toSorted());

    const file = await server.get(`/v1/reports/transactions.csv?${zoned}&from=${day}&to=${after(day)}`, key);
    expect(file.status).toBe(200);
    expect(file.headers.get("content-disposition")).toContain(`_${day}_${day}_`);
    const rows = parseCsv(file.text);
    expect(rows.map((row) => row["transaction_id"] ?? "").toSorted()).toEqual(listed.toSorted());
    expect(new Set(rows.map((row) => row["status_date"]))).toEqual(new Set(listed.length > 0 ? [day] : []));

    const whole = "from=1970-01-01&to=2026-12-01";
    const sums = await server.get(`/v1/summary?${zoned}&${whole}&group_by=day`, key);
    const byDay = (sums.json["data"] as { day: string; transactions: number }[]) ?? [];
    const reported = await server.get(`/v1/reports/daily-summary.csv?${zoned}&${whole}`, key);
    const count = (found: number | undefined) => found ?? 0;
    expect(count(byDay.find((sum) => sum.day === day)?.transactions)).toBe(listed.length);
    expect(parseCsv(reported.text).map((row) => [row["date"], Number(row["transactions"])])).toEqual(
      byDay.map((sum) => [sum.day, sum.transactions]),
    );
  });
});

describe("a zone", () => {
  // Postgres and ICU both know BST, IST, AST and CST, and mean other places by them; some names only one of them knows.
  test.each([
    "BST",
    "IST",
    "AST",
    "CST",
    "EST5EDT",
    "posix/Europe/London",
    "+02:00",
    "GMT+5",
    "Mars/Olympus",
  ])("%s is refused with the same words everywhere", async (name) => {
    const tz = `tz=${encodeURIComponent(name)}`;
    const details: string[] = [];
    for (const path of [
      "/v1/transactions",
      "/v1/summary",
      "/v1/reports/transactions.csv",
      "/v1/reports/position.csv",
    ]) {
      const answer = await server.get(`${path}?${tz}`, key);
      expect([path, answer.status]).toEqual([path, 400]);
      expect(answer.json["code"]).toBe("invalid_parameter");
      details.push(String(answer.json["detail"]).replace(/^tz(?: is|:) /, ""));
    }
    expect([...new Set(details)]).toEqual([
      expect.stringContaining(`not a time zone: ${JSON.stringify(name)}`) as string,
    ]);
  });

  test("is written as the zone database writes it, however it was typed", async () => {
    const answer = await server.get(
      "/v1/reports/transactions.csv?tz=europe/LONDON&from=2026-11-01&to=2026-11-02",
      key,
    );
    expect(answer.headers.get("content-disposition")).toContain("_Europe-London_");
    expect(parseCsv(answer.text).every((row) => row["timezone"] === "Europe/London")).toBe(true);
  });

  test.each(["2026-02-30", "2026-13-01", "yesterday", "20261001", "2026-10-01T10:00:00", "0000-01-01"])(
    "the time %s is refused with the same words everywhere",
    async (text) => {
      const asked = [
        `/v1/transactions?status_date[gte]=${text}`,
        `/v1/summary?from=${text}`,
        `/v1/reports/transactions.csv?from=${text}`,
        `/v1/reports/position.csv?as_at=${text}`,
      ];
      const said = new Set<string>();
      for (const path of asked) {
        const answer = await server.get(path, key);
        expect([path, answer.status]).toEqual([path, 400]);
        said.add(String(answer.json["detail"]).replace(/^\S+?(?: is|:) /, ""));
      }
      expect([...said]).toEqual([
        `not a day or a time: ${JSON.stringify(text)}. Use 2026-11-14, 2026-11-14T09:30:00Z or unix seconds.`,
      ]);
    },
  );
});

const HOUR = 3_600_000;

function after(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + 24 * HOUR).toISOString().slice(0, 10);
}

async function walk(path: string): Promise<string[]> {
  const ids: string[] = [];
  let cursor = "";
  for (;;) {
    const { status, json, text } = await server.get(`${path}&limit=100${cursor}`, key);
    if (status !== 200) throw new Error(text);
    ids.push(...(json["data"] as { id: string }[]).map(({ id }) => id));
    if (json["has_more"] !== true) return ids;
    cursor = `&cursor=${String(json["next_cursor"])}`;
  }
}
