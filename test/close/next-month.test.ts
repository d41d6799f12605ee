import { beforeAll, describe, expect, test } from "vitest";
import { reportRoutes } from "../../src/api/reports/routes.ts";
import { preparePeriod } from "../../src/close/prepare.ts";
import { approvePeriod, reopenPeriod } from "../../src/close/sign.ts";
import { describeReport } from "../../src/report/describe-report.ts";
import { readClock } from "../../src/store/clock-time.ts";
import { aKey, useApi } from "../api/an-api.ts";
import type { Books } from "../reconcile/books.ts";
import { openStream, parseCsv, requestFor } from "../report/books.ts";
import { bankCsv } from "../reconcile/receipts/bank.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { alice, bob, monthOfBooks, openMonth } from "./a-month.ts";

const database = useTestDatabase();
const server = useApi(database, { extensions: [(api) => reportRoutes({ database: database.db })(api)] });
let key = "";

/** March is closed with nothing owed; then a file brings a refund of 30 March, of which 1.15 is our share. */
let closed: Books;
/** The same file, and nobody has closed anything. */
let open: Books;
let marchKnownAt = "";

beforeAll(async () => {
  key = await aKey(database.db, "admin");
  [closed, open] = [await openMonth(database.db), await openMonth(database.db)];
  marchKnownAt = await close(closed);
  for (const books of [closed, open]) await bringLate(books);
});

async function now(): Promise<string> {
  return (await readClock(database.db)).replace(" ", "T").replace("+00", "Z");
}

async function close(books: Books, month = "2026-03"): Promise<string> {
  const { knownAt } = await preparePeriod(database.db, await monthOfBooks(books, month), accepted, alice);
  await approvePeriod(database.db, await monthOfBooks(books, month), bob);
  return knownAt;
}

const accepted = ["discrepancies", "payouts", "statements", "receipts"].map((line) => ({
  line,
  reason: "a test",
}));

const lateFile = [
  "provider,line_type,line_id,status,provider_transaction_id,fiat_currency,fiat_gross,net_amount,net_currency,effective_at",
  "moonpay,refund,R-1,settled,mp-A,EUR,100,-1.15,EUR,2026-03-30T10:00:00Z",
  "moonpay,adjustment,A-1,settled,,EUR,,0.25,EUR,2026-04-02T10:00:00Z",
];

async function bringLate(books: Books, action = "") {
  const query = new URLSearchParams({ account: books.name, file_name: "late.csv", profile: "generic" });
  const path = `/v1/statements${action}?${query.toString()}`;
  const answer = await server.send("POST", path, key, lateFile.join("\n"), { "content-type": "text/csv" });
  expect([answer.text, answer.status]).toEqual([answer.text, action === "" ? 201 : 200]);
  return answer;
}

async function report(name: string, books: readonly Books[], more: Record<string, string> = {}) {
  const query = new URLSearchParams({ from: "2026-04-01", to: "2026-05-01", ...more });
  for (const { name: account } of books) query.append("account", account);
  const { status, text, headers } = await server.get(`/v1/reports/${name}.csv?${query.toString()}`, key);
  expect([status, text]).toEqual([200, text]);
  return { rows: parseCsv(text), prior: headers.get("report-prior-known-at"), text };
}

/** What is told beside the figures. */
async function told(name: string, books: readonly Books[], more: Record<string, string>) {
  const given = { from: "2026-04-01", to: "2026-05-01", ...more };
  const request = requestFor(name, {
    ...Object.fromEntries(Object.entries(given).map(([word, value]) => [word, [value]])),
    account: books.map(({ name: account }) => account),
  });
  const { report: opened, body, rows } = await openStream(database.db, request);
  body.destroy();
  const { prior_known_at: prior, follows, notes } = describeReport(opened, { rows, sums: [] });
  return { prior, follows, notes };
}

describe("the month after a closed one", () => {
  test("opens with what was signed, and shows apart what has become known since", async () => {
    const { rows, prior, text } = await report("receivable", [closed]);
    expect(rows).toMatchObject([{ opening: "0", prior_period: "-1.15", adjusted: "0.25", closing: "-0.9" }]);
    expect(prior).toBe(marchKnownAt);
    expect((await report("receivable", [closed], { prior_known_at: marchKnownAt })).text).toBe(text);
    expect(await told("receivable", [closed], {})).toEqual({
      prior: marchKnownAt,
      follows: [{ account: closed.name, month: "2026-03", known_at: marchKnownAt }],
      notes: undefined,
    });
  });

  test("books it on its first day", async () => {
    const { rows } = await report("journal", [closed]);
    const refunds = rows.filter(({ event }) => event === "refund");
    expect(refunds).toMatchObject([
      { date: "2026-04-01", prior_period: "true" },
      { date: "2026-04-01", prior_period: "true" },
    ]);
    expect(new Set(refunds.map(({ debit, credit }) => `${debit} ${credit}`))).toEqual(
      new Set(["1.15 ", " 1.15"]),
    );
  });

  test("is by what is known now where someone says so, or begins elsewhere", async () => {
    const asKnown = { opening: "-1.15", prior_period: "0" };
    const none = await report("receivable", [closed], { prior_known_at: "none" });
    expect([none.rows, none.prior]).toMatchObject([[asKnown], null]);
    const later = await report("receivable", [closed], { from: "2026-04-15" });
    expect(later.rows).toMatchObject([{ opening: "-0.9", prior_period: "0", closing: "-0.9" }]);
    expect((await report("receivable", [closed], { to: "2026-04-15" })).rows).toMatchObject([
      { prior_period: "-1.15", closing: "-0.9" },
    ]);
  });

  test("follows each account from its own close, also in one report", async () => {
    const { rows } = await report("receivable", [closed, open]);
    expect(rows).toMatchObject([
      { account: closed.name, opening: "0", prior_period: "-1.15", closing: "-0.9" },
      { account: open.name, opening: "-1.15", prior_period: "0", closing: "-0.9" },
    ]);
    const booked = (await report("journal", [closed, open])).rows.filter(({ event }) => event === "refund");
    expect(booked.map(({ account }) => account)).toEqual([closed.name, closed.name]);
    expect(await told("receivable", [closed, open], {})).toMatchObject({
      follows: [{ account: closed.name, month: "2026-03" }],
    });
  });

  test("knows of no close that came later, and for ever of one that did not", async () => {
    const books = await openMonth(database.db);
    const before = await now();
    await close(books);
    const after = await now();
    await bringLate(books);
    const known = (at: string) => told("receivable", [books], { known_at: at });
    expect((await known(before)).follows).toBeUndefined();
    const [then, figures] = [await known(after), await report("receivable", [books], { known_at: after })];
    expect(then.follows).toHaveLength(1);
    await reopenPeriod(database.db, await monthOfBooks(books), "a late refund", alice);
    await reopenPeriod(database.db, await monthOfBooks(books), "agreed", bob);
    // Reopened, March is what is known of it now.
    expect((await report("receivable", [books])).rows).toMatchObject([
      { opening: "-1.15", prior_period: "0" },
    ]);
    expect(await known(after)).toEqual(then);
    expect((await report("receivable", [books], { known_at: after })).text).toBe(figures.text);
    const again = await close(books);
    expect((await report("receivable", [books])).rows).toMatchObject([
      { opening: "-1.15", prior_period: "0" },
    ]);
    expect((await told("receivable", [books], {})).prior).toBe(again);
  });

  test("says so where the days of another zone miss the end of the month", async () => {
    const { follows, notes } = await told("receivable", [closed], { tz: "Europe/Berlin" });
    expect([follows, notes]).toEqual([undefined, [expect.stringContaining("days in UTC would")]]);
  });
});

test("a closed month asked for by what is known now says what was signed", async () => {
  const march = { from: "2026-03-01", to: "2026-04-01" };
  const { notes } = await told("journal", [closed], march);
  expect(notes).toEqual([expect.stringContaining(`known_at=${marchKnownAt} gives the figures`)]);
  expect((await told("journal", [closed], { ...march, known_at: marchKnownAt })).notes).toBeUndefined();
  const signed = await report("receivable", [closed], { ...march, known_at: marchKnownAt });
  expect(signed.rows).toMatchObject([{ closing: "0" }]);
});

describe("a file with lines of a closed month", () => {
  const march = { month: "2026-03", counts_in: "2026-04", lines: 1 };
  const bring = async (books: Books, rows: readonly string[], query: Record<string, string> = {}) => {
    const asked = new URLSearchParams({ account: books.name, profile: "generic", ...query });
    const path = `/v1/statements?${asked.toString()}`;
    const body = [lateFile[0], ...rows].join("\n");
    return (await server.send("POST", path, key, body, { "content-type": "text/csv" })).json;
  };

  test("says what of it counts in the next, before and after its import", async () => {
    const books = await openMonth(database.db);
    expect((await bringLate(books, "/preview")).json["closed_months"]).toEqual([]);
    await close(books);
    const sums = [{ ...march, sums: [{ currency: "EUR", amount: "-1.15" }] }];
    expect((await bringLate(books, "/preview")).json["closed_months"]).toEqual(sums);
    expect((await bringLate(books)).json["closed_months"]).toEqual(sums);
  });

  test("says by how much it changes, where it restates or replaces another", async () => {
    const books = await openMonth(database.db);
    await close(books);
    const refund = (net: string) => `moonpay,refund,R-1,settled,mp-A,EUR,100,${net},EUR,2026-03-30T10:00:00Z`;
    const adjusted = "moonpay,adjustment,A-1,settled,,USD,,0.3,USD,2026-03-31T10:00:00Z";
    const first = await bring(books, [refund("-1.15")], { generated_at: "2026-04-05" });
    const second = await bring(books, [refund("-1.25"), adjusted], { generated_at: "2026-04-06" });
    expect(second["closed_months"]).toEqual([
      {
        ...march,
        lines: 2,
        sums: [
          { currency: "EUR", amount: "-0.1" },
          { currency: "USD", amount: "0.3" },
        ],
      },
    ]);
    const { id } = second["statement"] as { id: string };
    const third = await bring(books, [refund("-1.25")], { generated_at: "2026-04-07", replaces: id });
    expect(third["closed_months"]).toEqual([{ ...march, sums: [{ currency: "USD", amount: "-0.3" }] }]);
    expect(first["state"]).toBe("imported");
  });

  test("of a bank says so too, of the money that came in", async () => {
    const books = await openMonth(database.db);
    await close(books);
    const file = bankCsv([
      ["2026-03-30", "1234.5", "PO-1"],
      ["2026-03-31", "-900", "rent"],
      ["2026-04-02", "10", "PO-2"],
    ]);
    const query = new URLSearchParams({ account: books.name, file_name: "bank.csv" }).toString();
    for (const action of ["/preview", ""]) {
      const path = `/v1/receipts${action}?${query}`;
      const { json } = await server.send("POST", path, key, file, { "content-type": "text/csv" });
      expect(json["closed_months"]).toEqual([{ ...march, sums: [{ currency: "EUR", amount: "1234.5" }] }]);
    }
  });
});
