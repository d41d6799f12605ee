import { beforeAll, describe, expect, test } from "vitest";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { addRecords, addStatement, type Books, codesOf, openBooks } from "../reconcile/books.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { aKey, type Answer, useApi } from "./an-api.ts";

const database = useTestDatabase();
const woken: number[] = [];
const server = useApi(database, {
  wakeReconcile: async (accountId) => void woken.push(accountId),
});
const path = "/v1/providers/moonpay/settings";

let books: Books;
let key = "";
let ofOther = "";

/** T1 differs by 1 EUR, which is too much; T2 is named by nothing but its chain hash, with a little more crypto. */
beforeAll(async () => {
  books = await openBooks(database.db);
  const others = await openBooks(database.db);
  await addRecords(books, [{ id: "T1" }, { id: "T2" }]);
  const byHash = { provider_transaction_id: null, our_reference: null, crypto_amount: "0.00201" };
  await addStatement(books, {
    lines: [
      { of: "T1", fiat_gross: "101", fiat_net: "98" },
      { of: "T2", ...byHash },
    ],
  });
  await reconcileAccount(database.db, books.accountId);
  key = await aKey(database.db, "controller", { accountIds: [books.accountId] });
  ofOther = await aKey(database.db, "controller", { accountIds: [others.accountId] });
});

const wider = {
  tolerances: [
    { currency: "EUR", leg: "in", absolute_over: "1", absolute_under: "1" },
    { currency: "*", leg: "out", relative_over: "0.05", relative_under: "0.02" },
  ],
};

test("nobody has set anything: the defaults are shown as such", async () => {
  const { status, json } = await server.get(path, key);
  expect(status).toBe(200);
  expect(json).toMatchObject({
    object: "provider_settings",
    provider: "moonpay",
    calendar: {
      version: null,
      value: { period: "month", zone: "UTC", statement_lag_days: 30, statement_grace_days: 0 },
    },
    tolerances: { version: null, value: [] },
  });
});

test("an accountant reads them; changing them, and seeing what that would do, takes settings:write", async () => {
  const accountant = await aKey(database.db, "accountant", { accountIds: [books.accountId] });
  const body = { ...wider, reason: "x" };
  expect((await server.get(path, accountant)).status).toBe(200);
  for (const [method, asked] of [
    ["PATCH", path],
    ["POST", `${path}/preview`],
  ] as const) {
    const { status, json } = await server.send(method, asked, accountant, body);
    expect([status, json["code"], json["scopes"]]).toEqual([403, "scope_missing", ["settings:write"]]);
  }
});

test("how long a provider takes is learnt from its files and proposed, and changes nothing", async () => {
  const own = await openBooks(database.db);
  const ownKey = await aKey(database.db, "controller", { accountIds: [own.accountId] });
  const learnt = async () => (await server.get(path, ownKey)).json["learnt"];
  expect(await learnt()).toEqual({
    statement_lag_days: null,
    statements: 0,
    payout_lag_days: null,
    payouts: 0,
  });
  const before = (await server.get(path, ownKey)).headers.get("etag") ?? "";
  const made = ["2026-02-03T08:00:00Z", "2026-03-06T08:00:00Z", "2026-04-04T08:00:00Z"];
  for (const [n, generatedAt] of made.entries()) {
    const month = `2026-0${n + 1}`;
    await addRecords(own, [{ id: `L${n}`, at: `${month}-10T10:00:00Z` }]);
    await addStatement(own, {
      from: `${month}-01T00:00:00Z`,
      to: `2026-0${n + 2}-01T00:00:00Z`,
      generatedAt,
      lines: [
        { of: `L${n}`, payout_ref: `P${n}` },
        {
          type: "payout",
          payout_ref: `P${n}`,
          net_amount: "1",
          net_currency: "EUR",
          effective_at: `2026-0${n + 2}-21T00:00:00Z`,
        },
      ],
    });
  }
  await reconcileAccount(database.db, own.accountId);
  expect((await server.get(path, ownKey, { "if-none-match": before })).status).toBe(200);
  expect(await learnt()).toEqual({
    statement_lag_days: 6,
    statements: 3,
    payout_lag_days: 20,
    payouts: 3,
  });
  expect((await server.get(path, ownKey)).json).toMatchObject({ calendar: { version: null } });
});

test("a preview shows what would be gained and lost, and saves nothing", async () => {
  const before = await codesOf(books);
  const { status, json } = await server.send("POST", `${path}/preview`, key, { ...wider, reason: "agreed" });
  expect([status, json["matches"]]).toEqual([200, { gained: 1, lost: 0 }]);
  expect(json["gained"]).toMatchObject([{ transaction_id: "T2", rule: "hash", line_no: 3 }]);
  expect(json["discrepancies"]).toEqual({ raised: 0, changed: 0, reopened: 0, agreed: 3 });
  expect(json["changes"]).toMatchObject([
    { event: "agreed", level: "error", value: "100" },
    { event: "agreed", level: "error", value: "100" },
    { event: "agreed", level: "error", code: "in_amount_mismatch", transaction_id: "T1", value: "1" },
  ]);
  expect(json["classes"]).toEqual({
    before: [{ currency: "EUR", class: "discrepant", transactions: 2, amount: "200" }],
    after: [{ currency: "EUR", class: "matched", transactions: 2, amount: "200" }],
  });
  expect(await codesOf(books)).toEqual(before);
  expect((await server.get(path, key)).json).toMatchObject({ tolerances: { version: null } });
  expect(woken).toEqual([]);
});

describe("a save", () => {
  test("needs the version that was seen", async () => {
    const bare = await server.send("PATCH", path, key, { ...wider, reason: "x" });
    expect([bare.status, bare.json["code"]]).toEqual([428, "precondition_required"]);
    const stale = await save({ ...wider, reason: "x" }, '"999-1"');
    expect([stale.status, stale.json["code"]]).toEqual([412, "version_mismatch"]);
  });

  test("adds a version, matches nothing, queues a run, and is noted", async () => {
    const before = await codesOf(books);
    const etag = await tag();
    const saved = await save({ ...wider, reason: "agreed with the provider" }, etag);
    expect(saved.json).toMatchObject({
      tolerances: { version: 1, shared: false, saved_by: expect.stringMatching(/^key:/) as string },
    });
    expect(await codesOf(books)).toEqual(before);
    expect(woken).toEqual([books.accountId]);
    const entries = await database.db.query(
      "select subject, reason, after from tieout.audit_log where action = 'setting.saved'",
    );
    expect(entries).toMatchObject([
      {
        subject: "moonpay tolerance",
        reason: "agreed with the provider",
        after: [{ leg: "in" }, { leg: "out" }],
      },
    ]);
    const late = await save({ calendar: null, reason: "x" }, etag);
    expect(late.status).toBe(412);
    await reconcileAccount(database.db, books.accountId);
    expect(await codesOf(books)).toEqual([]);
  });

  test("of what is in force already changes nothing and wakes nobody", async () => {
    const asleep = woken.length;
    const again = await save({ ...wider, reason: "again" }, await tag());
    expect(again.json).toMatchObject({ tolerances: { version: 1 } });
    expect(woken.length).toBe(asleep);
  });

  test("of a calendar decides what is late", async () => {
    const calendar = {
      period: "month",
      zone: "Europe/Vilnius",
      statement_lag_days: 10,
      minimum_payout: { EUR: "100" },
    };
    const saved = await save({ calendar, reason: "their new contract" }, await tag());
    expect(saved.json).toMatchObject({
      calendar: { version: 1, value: { ...calendar, statement_grace_days: 0, our_share: null } },
      tolerances: { version: 1 },
    });
    const back = await save({ calendar: null, reason: "they did not sign" }, await tag());
    expect(back.json).toMatchObject({ calendar: { version: null, value: { statement_lag_days: 30 } } });
  });

  test.each([
    ["calendar.zone", { calendar: { zone: "Mars/Olympus" } }],
    ["calendar.zone", { calendar: { zone: "BST" } }],
    ["calendar.statement_lag_days", { calendar: { statement_lag_days: -1 } }],
    ["calendar.statement_lag_days", { calendar: { statement_lag_days: 1.5 } }],
    ["calendar.minimum_payout.EUR", { calendar: { minimum_payout: { EUR: "ten" } } }],
    ["calendar.lag", { calendar: { lag: 5 } }],
    ["tolerances.0.leg", { tolerances: [{ leg: "both" }] }],
    ["tolerances.0.absolute_over", { tolerances: [{ absolute_over: "-1" }] }],
    ["tolerances.0.absolute_over", { tolerances: [{ absolute_over: 1 }] }],
    ["exclusion.before", { exclusion: { before: "yesterday" } }],
    ["tolerance", { tolerance: [] }],
  ])("with a wrong %s is refused by name", async (param, body) => {
    const { status, json } = await save({ ...body, reason: "x" }, await tag());
    expect([status, json["param"]]).toEqual([400, param]);
  });

  test("with a name that is wrong inside of a section is told the names of that section", async () => {
    const { json } = await save({ tolerances: [{ amount: "1" }], reason: "x" }, await tag());
    expect(json["detail"]).toMatch(/^amount is not a field here\. There are .*absolute_over/);
    const calendar = await save({ calendar: { statement_lag_day: 5 }, reason: "x" }, await tag());
    expect(calendar.json["detail"]).toContain("Did you mean statement_lag_days?");
  });
});

test("another account keeps its own, and a key of several has to say which", async () => {
  expect((await server.get(path, ofOther)).json).toMatchObject({ tolerances: { version: null } });
  const all = await aKey(database.db, "admin");
  expect((await server.get(path, all)).json["code"]).toBe("account_required");
  const named = await server.get(`${path}?account=${encodeURIComponent(books.name)}`, all);
  expect(named.json).toMatchObject({ tolerances: { version: 1 } });
  const elsewhere = await server.get(`${path}?account=${encodeURIComponent(books.name)}`, ofOther);
  expect(elsewhere.status).toBe(400);
});

async function tag(): Promise<string> {
  return String((await server.get(path, key)).headers.get("etag"));
}

function save(body: object, etag: string): Promise<Answer> {
  return server.send("PATCH", path, key, body, { "if-match": etag });
}
