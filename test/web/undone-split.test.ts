import { expect, test } from "vitest";
import { partsMax } from "../../src/reconcile/split-by-hand.ts";
import { aKey } from "../api/an-api.ts";
import { addRecords, addStatement, type Books, openBooks } from "../reconcile/books.ts";
import { signIn, type VisitorOfTest } from "../security/as-visitor.ts";
import { aPerson } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { usePage } from "./a-page.ts";

const database = useTestDatabase();
const service = usePage(database);

/** What a browser keeps of one cookie, name and all; a longer one it drops without a word. */
const cookieBytesMax = 4096;

test("a split of as many parts as there can be is undone by mistake, and made again with the same parts", async () => {
  const books = await openBooks(database.db);
  const ids = Array.from({ length: partsMax }, (_, at) => `01K6FJ4Z7M${String(at).padStart(16, "0")}`);
  await addRecords(
    books,
    ids.map((id) => ({ id, inAmount: "12.34" })),
  );
  await addStatement(books, { lines: [{ fiat_gross: "2000" }] });
  const line = await onlyLine(books);
  const first = await split(
    books,
    line,
    ids.map((id, at) => ({ transaction_id: id, amount: `12.${at + 10}` })),
  );
  const made = await partsOf(books);
  expect(made).toHaveLength(partsMax);

  const ada = await signIn(database.db, await aPerson(database.db, "accountant"));
  const undone = await post(ada, "/statements/lines/unmatch", { match: first, reason: "by mistake" });
  expect(undone).toMatchObject({ status: 303, text: "Line 2 is no longer split." });
  expect(await partsOf(books)).toEqual([]);

  const again = await post(ada, undone.action, undone.fields);
  expect(again).toMatchObject({ status: 303, text: `Line 2 is split over ${partsMax} transactions.` });
  expect(await partsOf(books)).toEqual(made);
  // And back once more: what is split again can be undone again.
  expect(await post(ada, again.action, again.fields)).toMatchObject({ text: "Line 2 is no longer split." });
  expect(await partsOf(books)).toEqual([]);
});

test("only an ended split of this line is made again", async () => {
  const books = await openBooks(database.db);
  await addRecords(books, [{ id: "P" }, { id: "Q" }, { id: "R" }, { id: "S" }]);
  await addStatement(books, { lines: [{ fiat_gross: "300" }] });
  const line = await onlyLine(books);
  const match = await split(books, line, [
    { transaction_id: "P", amount: "60" },
    { transaction_id: "Q", amount: "40" },
  ]);
  const ada = await signIn(database.db, await aPerson(database.db, "accountant"));
  const again = (given: Record<string, string>, visitor = ada) =>
    post(visitor, "/statements/lines/split", { line, again: match, reason: "again", ...given });
  expect((await again({})).status).toBe(404);
  await post(ada, "/statements/lines/unmatch", { match, reason: "by mistake" });
  expect((await again({ line: "999999" })).status).toBe(404);
  expect((await again({ again: "999999" })).status).toBe(404);
  expect((await again({ again: "1; drop" })).status).toBe(404);
  const elsewhere = await openBooks(database.db);
  const stranger = await aPerson(database.db, "accountant", { accountIds: [elsewhere.accountId] });
  expect((await again({}, await signIn(database.db, stranger))).status).toBe(404);
  expect(await partsOf(books)).toEqual([]);
  expect((await again({})).status).toBe(303);
  expect(await partsOf(books)).toEqual([
    { transaction_id: "P", part: "60" },
    { transaction_id: "Q", part: "40" },
  ]);
});

/** The number of the first of its matches. */
async function split(books: Books, line: string, parts: object[]): Promise<string> {
  const key = await aKey(database.db, "accountant", { accountIds: [books.accountId] });
  const body = { line: `lin_${line}`, parts, reason: "one charge for all" };
  const { status, json } = await service.send("POST", "/v1/matches/split", key, body);
  expect(status).toBe(201);
  return (json["matches"] as { id: string }[])[0]?.id.replace("mat_", "") ?? "";
}

/** What the page says next, and the form that it offers to take it back, as a browser would have them. */
async function post(visitor: VisitorOfTest, path: string, fields: Record<string, string>) {
  const answer = await fetch(service.url + path, {
    method: "POST",
    redirect: "manual",
    headers: { ...visitor.headers, origin: service.url },
    body: new URLSearchParams({ ...fields, back: "/settings", csrf: visitor.csrf }),
  });
  const cookie = answer.headers.getSetCookie().find((one) => one.startsWith("tieout_notice=")) ?? "";
  const [kept = ""] = cookie.split(";");
  const cookies =
    kept.length > cookieBytesMax ? visitor.headers.cookie : `${visitor.headers.cookie}; ${kept}`;
  const page = await (await fetch(`${service.url}/settings`, { headers: { cookie: cookies } })).text();
  const [, notice = ""] = /<div class="notice">(.*?)<\/div>/s.exec(page) ?? [];
  const inputs = notice.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g);
  return {
    status: answer.status,
    text: notice.split("<")[0],
    action: /<form[^>]* action="([^"]*)"/.exec(notice)?.[1] ?? "",
    fields: Object.fromEntries([...inputs].map(([, name = "", value = ""]) => [name, value])),
  };
}

async function onlyLine({ accountId }: Books): Promise<string> {
  const [row] = await database.db.query<{ id: string }>(
    "select id::text from tieout.statement_lines where account_id = $1",
    [accountId],
  );
  return row?.id ?? "";
}

async function partsOf({ accountId }: Books): Promise<object[]> {
  return database.db.query(
    `select transaction_id, trim_scale(part_amount)::text as part
     from tieout.matches
     where account_id = $1 and state = 'active'
     order by part_no`,
    [accountId],
  );
}
