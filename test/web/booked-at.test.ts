import { beforeAll, expect, test } from "vitest";
import { preparePeriod } from "../../src/close/prepare.ts";
import { approvePeriod } from "../../src/close/sign.ts";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { aKey } from "../api/an-api.ts";
import { addMissingOrder, alice, bob, monthOfBooks, openMonth } from "../close/a-month.ts";
import { addRecords, addStatement, type Books } from "../reconcile/books.ts";
import { signIn, type VisitorOfTest } from "../security/as-visitor.ts";
import { aPerson } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { usePage } from "./a-page.ts";

const database = useTestDatabase();
const service = usePage(database);
let books: Books;
let ada: VisitorOfTest;

/**
 * March is closed. Then it turns out that there were more lines that no rule can match: one for an order, one for two
 * orders, and four for which orders are suggested.
 */
beforeAll(async () => {
  books = await openMonth(database.db);
  await preparePeriod(database.db, await monthOfBooks(books), [], alice);
  await approvePeriod(database.db, await monthOfBooks(books), bob);
  const at = "2026-03-15T12:00:00Z";
  await addRecords(books, [
    { id: "ONE", at, inAmount: "70" },
    { id: "P", at, inAmount: "80" },
    { id: "Q", at, inAmount: "50" },
    { id: "S1", at, inAmount: "91" },
    { id: "S2", at, inAmount: "92" },
    { id: "S3", at, inAmount: "93" },
    { id: "S4", at, inAmount: "94" },
    { id: "S5", at, inAmount: "95" },
    { id: "S6", at, inAmount: "96" },
    { id: "S7", at, inAmount: "97" },
  ]);
  await addStatement(books, {
    lines: [
      { key: "single", fiat_gross: "70.5", effective_at: at },
      { key: "both", fiat_gross: "130", effective_at: at },
      { key: "suggested one", fiat_gross: "91", effective_at: at },
      { key: "suggested two", fiat_gross: "92", effective_at: at },
      { key: "suggested three", fiat_gross: "93", effective_at: at },
      { key: "suggested four", fiat_gross: "94", effective_at: at },
      { key: "suggested five", fiat_gross: "95", effective_at: at },
      { key: "suggested six", fiat_gross: "96", effective_at: at },
    ],
  });
  await reconcileAccount(database.db, books.accountId);
  ada = await signIn(database.db, await aPerson(database.db, "accountant"));
});

test("the forms for matching and for splitting a line ask from which day it counts", async () => {
  const { statement, lineNo } = await lineOf("70.5");
  const path = `/statements/${statement}/lines/${lineNo}?find=ONE`;
  const page = await (await fetch(service.url + path, { headers: ada.headers })).text();
  for (const form of ["match", "split"]) {
    const [, fields = ""] =
      new RegExp(`<form[^>]*/statements/lines/${form}"(.*?)</form>`, "s").exec(page) ?? [];
    expect([form, fields]).toEqual([form, expect.stringContaining('type="date" name="booked_at"')]);
  }
});

test.each([
  ["match", "70.5", { transaction_id: "ONE" }, { transaction_id: "ONE" }],
  [
    "split",
    "130",
    { "other-1": "P", "other-amount-1": "80", "other-2": "Q", "other-amount-2": "50" },
    {
      parts: [
        { transaction_id: "P", amount: "80" },
        { transaction_id: "Q", amount: "50" },
      ],
    },
  ],
] as const)(
  "a %s counts from the day that is named, and never in a closed month",
  async (name, gross, fields, body) => {
    const { id } = await lineOf(gross);
    const key = await aKey(database.db, "accountant", { accountIds: [books.accountId] });
    const refusedByApi = await service.send(
      "POST",
      name === "match" ? "/v1/matches" : "/v1/matches/split",
      key,
      {
        ...body,
        line: `lin_${id}`,
        reason: "by mail",
        booked_at: "2026-03-20",
      },
    );
    expect(refusedByApi.status).toBe(409);
    const closed = await post(name, { ...fields, line: id, reason: "by mail", booked_at: "2026-03-20" });
    expect([closed.status, closed.text]).toEqual([
      409,
      expect.stringContaining(String(refusedByApi.json["detail"])),
    ]);
    expect(await bookedDays(id)).toEqual([]);

    expect(
      (await post(name, { ...fields, line: id, reason: "by mail", booked_at: "2026-04-20" })).status,
    ).toBe(303);
    expect(new Set(await bookedDays(id))).toEqual(new Set(["2026-04-20"]));
  },
);

test("suggestions confirmed together count from the day that is named, and never in a closed month", async () => {
  const { statement, ...first } = await lineOf("91");
  const second = await lineOf("92");
  const path = `${service.url}/statements/${statement}/confirm`;
  const page = await (await fetch(path, { headers: ada.headers })).text();
  expect(page).toMatch(/<form[^>]*\/statements\/lines\/confirm".*type="date" name="booked_at".*<\/form>/s);

  // Whoever had chosen a view confirms what is in it, also after a refusal.
  const view = await (
    await fetch(`${path.replace("/confirm", "")}?q=${first.lineNo}`, { headers: ada.headers })
  ).text();
  expect(view).toContain(`href="/statements/${statement}/confirm?q=${first.lineNo}"`);
  const narrowed = await (await fetch(`${path}?q=${first.lineNo}`, { headers: ada.headers })).text();
  expect(narrowed).toContain(`name="back" value="/statements/${statement}/confirm?q=${first.lineNo}"`);

  const lines = await shownLines(statement, [first.id, second.id]);
  const form = { statement, lines, reason: "suggestion confirmed" };
  const key = await aKey(database.db, "accountant", { accountIds: [books.accountId] });
  for (const day of ["2026-03-20", "2999-01-01"]) {
    const single = { line: `lin_${first.id}`, transaction_id: "S1", reason: "by mail", booked_at: day };
    const refusedByApi = await service.send("POST", "/v1/matches", key, single);
    const refused = await post("confirm", { ...form, booked_at: day });
    expect([day, refused.status, refused.text]).toEqual([
      day,
      refusedByApi.status,
      expect.stringContaining(String(refusedByApi.json["detail"])),
    ]);
    expect(refused.status).toBe(409);
  }
  expect([...(await bookedDays(first.id)), ...(await bookedDays(second.id))]).toEqual([]);

  expect((await post("confirm", { ...form, booked_at: "2026-04-20" })).status).toBe(303);
  const days = [...(await bookedDays(first.id)), ...(await bookedDays(second.id))];
  expect(days).toEqual(["2026-04-20", "2026-04-20"]);
});

test("a suggestion that is refused does not keep the others from being confirmed", async () => {
  const { statement, ...third } = await lineOf("93");
  const fourth = await lineOf("94");
  // S1 is settled by now: as when someone else settles the order between the look at its suggestion and the match.
  const form = { statement, reason: "suggestion confirmed", booked_at: "2026-04-20" };
  await database.db.query("update tieout.matches set transaction_id = 'S1' where line_id = $1::bigint", [
    third.id,
  ]);

  const done = await post("confirm", { ...form, lines: await shownLines(statement, [third.id, fourth.id]) });
  expect([done.status, done.notice]).toEqual([
    303,
    expect.stringMatching(/^1 of 2 suggestions confirmed\. Refused: 1\. S1 /),
  ]);
  expect([await bookedDays(third.id), await bookedDays(fourth.id)]).toEqual([[], ["2026-04-20"]]);
});

test("a suggestion that is another by now than the one that was shown is not confirmed", async () => {
  const { statement, ...fifth } = await lineOf("95");
  const sixth = await lineOf("96");
  const suggest = (transactionId: string) =>
    database.db.query("update tieout.matches set transaction_id = $2 where line_id = $1::bigint", [
      fifth.id,
      transactionId,
    ]);
  const page = await (
    await fetch(`${service.url}/statements/${statement}/confirm`, { headers: ada.headers })
  ).text();
  expect(page).toMatch(/Suggested transaction.*S5.*S6/s);
  const form = { statement, reason: "suggestion confirmed", booked_at: "2026-04-20" };
  const both = await shownLines(statement, [fifth.id, sixth.id]);
  const alone = await shownLines(statement, [fifth.id]);
  await suggest("S7");

  const refused = await post("confirm", { ...form, lines: alone });
  expect([refused.status, refused.text]).toEqual([412, expect.stringContaining("no longer as they were")]);
  const done = await post("confirm", { ...form, lines: both });
  expect([done.status, done.notice]).toEqual([
    303,
    "1 of 2 suggestions confirmed. No longer as shown, and left alone: 1.",
  ]);
  expect([await bookedDays(fifth.id), await bookedDays(sixth.id)]).toEqual([[], ["2026-04-20"]]);
});

test("a decision counts from the day that is named, and the form says which days it cannot be", async () => {
  for (const id of ["UNPAID1", "UNPAID2", "UNPAID3"]) await addMissingOrder(books, id);
  for (const [action, of] of [
    ["resolve", "UNPAID1"],
    ["write_off", "UNPAID2"],
  ] as const) {
    const { id, version } = await discrepancyOf(of);
    const page = await (await fetch(`${service.url}/discrepancies/${id}`, { headers: ada.headers })).text();
    expect(page).toMatch(/<form[^>]*id="close".*?type="date" name="booked_at".*?<\/form>/s);
    const form = { action, seen: `${id}:${version}`, reason: "by mail", form: "close" };
    for (const [day, why] of [
      ["2026-03-20", /The books are closed up to 2026-04-01/],
      ["2999-01-01", /in the future/],
      ["the 20th", /is not a day, such as/],
    ] as const) {
      const refused = await post("change", { ...form, booked_at: day }, "discrepancies");
      expect([day, refused.status, refused.refusal]).toEqual([day, 303, expect.stringMatching(why)]);
    }
    const done = await post("change", { ...form, booked_at: "2026-04-20" }, "discrepancies");
    expect([done.status, done.notice]).toEqual([303, expect.stringContaining("1 discrepancy")]);
    expect(await decidedDay(id)).toBe("2026-04-20");
  }
});

test("a bulk decision counts from the day that is named", async () => {
  const { id } = await discrepancyOf("UNPAID3");
  const query = "code=missing_from_statement";
  const page = await (
    await fetch(`${service.url}/discrepancies/bulk?${query}`, { headers: ada.headers })
  ).text();
  const [, shown = ""] = /name="shown" value="([^"]*)"/.exec(page) ?? [];
  const fields = { action: "resolve", reason: "by mail", query, shown, booked_at: "2026-04-21" };
  expect((await post("bulk", fields, "discrepancies")).status).toBe(303);
  expect(await decidedDay(id)).toBe("2026-04-21");
});

async function post(name: string, fields: Record<string, string>, under = "statements/lines") {
  const answer = await fetch(`${service.url}/${under}/${name}`, {
    method: "POST",
    redirect: "manual",
    headers: { ...ada.headers, origin: service.url },
    body: new URLSearchParams({ ...fields, back: "/settings", csrf: ada.csrf }),
  });
  const left = (cookie: string) => {
    const [, kept = ""] = new RegExp(`${cookie}=([^;.]*)`).exec(answer.headers.get("set-cookie") ?? "") ?? [];
    return JSON.parse(Buffer.from(kept, "base64url").toString() || "{}") as Record<string, string>;
  };
  const [notice, refusal] = [left("tieout_notice")["text"] ?? "", left("tieout_refused")["message"] ?? ""];
  return { status: answer.status, text: await answer.text(), notice, refusal };
}

async function discrepancyOf(transactionId: string) {
  const [row] = await database.db.query<{ id: string; version: number }>(
    "select id::text, version from tieout.discrepancies where transaction_id = $1",
    [transactionId],
  );
  return row ?? { id: "", version: 0 };
}

async function decidedDay(discrepancyId: string): Promise<string> {
  const [row] = await database.db.query<{ day: string }>(
    `select to_char(booked_at at time zone 'UTC', 'YYYY-MM-DD') as day
     from tieout.decisions where discrepancy_id = $1::bigint`,
    [discrepancyId],
  );
  return row?.day ?? "";
}

/** What the form holds of these lines: each with what is suggested for it. */
async function shownLines(statement: string, ids: readonly string[]): Promise<string> {
  const path = `${service.url}/statements/${statement}/confirm`;
  const page = await (await fetch(path, { headers: ada.headers })).text();
  const [, lines = ""] = /name="lines" value="([^"]*)"/.exec(page) ?? [];
  const wanted = lines.split(" ").filter((line) => ids.includes(line.split(":")[0] ?? ""));
  expect(wanted).toHaveLength(ids.length);
  return wanted.join(" ");
}

async function lineOf(gross: string) {
  const [row] = await database.db.query<{ id: string; statement: string; lineNo: string }>(
    `select id::text, statement_id::text as statement, line_no::text as "lineNo"
     from tieout.statement_lines where account_id = $1 and fiat_gross = $2::numeric`,
    [books.accountId, gross],
  );
  return row ?? { id: "", statement: "", lineNo: "" };
}

async function bookedDays(line: string): Promise<string[]> {
  const rows = await database.db.query<{ day: string }>(
    `select to_char(effective_at at time zone 'UTC', 'YYYY-MM-DD') as day
     from tieout.matches where line_id = $1::bigint and state = 'active'`,
    [line],
  );
  return rows.map(({ day }) => day);
}
