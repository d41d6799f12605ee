import { beforeAll, expect, test } from "vitest";
import { type Books, openBooks } from "../reconcile/books.ts";
import { databaseNow, openClaims, rowsOf } from "../report/claims.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { aKey, useApi } from "./an-api.ts";

const database = useTestDatabase();
const server = useApi(database);
let books: Books;
let key = "";
let ofOther = "";

beforeAll(async () => {
  books = await openClaims(database.db);
  key = await aKey(database.db, "controller", { accountIds: [books.accountId] });
  const other = await openBooks(database.db);
  ofOther = await aKey(database.db, "controller", { accountIds: [other.accountId] });
});

const path = (name: string) => `/v1/accounts/${encodeURIComponent(books.name)}/settings/${name}`;

async function put(name: string, value: unknown, tag?: string) {
  const etag = tag ?? (await server.get(path(name), key)).headers.get("etag") ?? "";
  return server.send("PUT", path(name), key, { value, reason: "a test" }, { "if-match": etag });
}

test("the journal books to the company's own accounts, and the past stays as it was", async () => {
  const before = await databaseNow(books);
  const shown = await server.get(path("chart_of_accounts"), key);
  expect(shown.json).toMatchObject({ version: 0, value: { receivable: { code: "1200" } } });
  const saved = await put("chart_of_accounts", {
    receivable: { code: "D-100", name: "Debtors:{provider}:{currency}" },
  });
  expect([saved.status, saved.json["version"]]).toEqual([200, 1]);
  expect(saved.json["value"]).toMatchObject({ bank: { code: "1000" }, receivable: { code: "D-100" } });
  const [first] = await rowsOf(books, "journal", { to: "2026-04-01" });
  expect(first).toMatchObject({ account_code: "D-100", account_name: "Debtors:moonpay:EUR" });
  const [then] = await rowsOf(books, "journal", { to: "2026-04-01", known_at: before });
  expect(then).toMatchObject({ account_code: "1200" });
  const [entry] = await database.db.query<Record<string, string>>(
    "select subject, reason from tieout.audit_log where action = 'account_setting.saved'",
  );
  expect(entry).toEqual({ subject: `${books.name} chart_of_accounts`, reason: "a test" });
});

test("the same value again adds no version; null goes back to the default", async () => {
  expect((await put("functional_currency", "eur")).json).toMatchObject({ version: 1, value: "EUR" });
  expect((await put("functional_currency", "EUR")).json).toMatchObject({ version: 1 });
  expect((await put("functional_currency", null)).json).toMatchObject({ version: 2, value: null });
});

test("what cannot be is refused by the name of the field", async () => {
  const refused = async (name: string, value: unknown) => {
    const { status, json } = await put(name, value);
    return [status, json["param"]];
  };
  expect(await refused("functional_currency", "BTC")).toEqual([400, "value"]);
  expect(await refused("calendar", { zone: "BST" })).toEqual([400, "value.zone"]);
  expect(await refused("chart_of_accounts", { receivable: { code: "1", name: "a  b" } })).toEqual([
    400,
    "value.receivable.name",
  ]);
  expect((await refused("chart_of_accounts", { nowhere: { code: "1", name: "x" } }))[0]).toBe(400);
});

test("someone who was quicker is noticed, and another account sees nothing", async () => {
  const { headers } = await server.get(path("calendar"), key);
  const seen = headers.get("etag") ?? "";
  expect((await put("calendar", { zone: "europe/london" }, seen)).json).toMatchObject({
    value: { zone: "Europe/London", first_month: null },
  });
  expect((await put("calendar", { zone: "UTC" }, seen)).json).toMatchObject({ code: "version_mismatch" });
  expect((await server.get(path("calendar"), ofOther)).status).toBe(404);
});
