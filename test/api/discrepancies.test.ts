import { beforeAll, describe, expect, test } from "vitest";
import { setAccountSetting } from "../../src/reconcile/account-settings.ts";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { summariseAccount } from "../../src/reconcile/summarise.ts";
import { addRecords, addStatement, type Books, codesOf, openBooks } from "../reconcile/books.ts";
import { aPerson, liftLimits } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { aKey, type Answer, useApi } from "./an-api.ts";

const database = useTestDatabase();
const server = useApi(database);

let books: Books;
let key = "";
let ofOther = "";

/** Three transactions that the statement does not name, a fourth whose amount differs, and a line nobody knows. */
beforeAll(async () => {
  await liftLimits(database.db);
  books = await openBooks(database.db);
  const others = await openBooks(database.db);
  await addRecords(books, [
    { id: "T1", inAmount: "10" },
    { id: "T2", inAmount: "20.50" },
    { id: "T3", inAmount: "30", at: "2026-03-12T12:00:00.000Z" },
    { id: "T4", inAmount: "100" },
  ]);
  await addStatement(books, { lines: [{ of: "T4", fiat_gross: "90", fiat_net: "87" }, { of: "X9" }] });
  await reconcileAccount(database.db, books.accountId);
  key = await aKey(database.db, "accountant", { accountIds: [books.accountId] });
  ofOther = await aKey(database.db, "accountant", { accountIds: [others.accountId] });
  for (const name of owners) await aPerson(database.db, "accountant", { name, email: `${name}@example.com` });
  await aPerson(database.db, "accountant", { name: "Noor", accountIds: [others.accountId] });
});

const owners = ["Ada", "Grace", "Edsger"];

describe("the list", () => {
  test("shows what is wrong, how much, since when, and where it stands in which file", async () => {
    const { json } = await server.get("/v1/discrepancies", key);
    const data = json["data"] as Found[];
    const shown = data.map(({ code, transaction_id, value }) => `${code} ${transaction_id} ${value}`);
    expect(shown.toSorted((a, b) => a.localeCompare(b))).toEqual([
      "in_amount_mismatch T4 10",
      "missing_from_records null 100",
      "missing_from_statement T1 10",
      "missing_from_statement T2 20.5",
      "missing_from_statement T3 30",
    ]);
    expect(data.find(({ transaction_id }) => transaction_id === "T4")).toMatchObject({
      id: expect.stringMatching(/^dis_\d+$/) as string,
      provider_transaction_id: "mp-T4",
      expected: "100",
      actual: "90",
      delta: "-10",
      currency: "EUR",
      file_name: expect.stringMatching(/\.csv$/) as string,
      line_no: 2,
      line: expect.stringMatching(/^lin_\d+$/) as string,
      state: "open",
      version: 1,
    });
  });

  test.each([
    ["code=missing_from_records", 1],
    ["code=missing_from_records,in_amount_mismatch", 2],
    ["provider=moonpay", 5],
    ["provider=transak", 0],
    ["state=open,investigating", 5],
    ["state=resolved", 0],
    ["owner=none", 5],
    ["owner=Ada", 0],
    ["transaction_id=T2", 1],
    ["level=warning", 0],
    ["age_days[gte]=1", 5],
    ["age_days[lte]=1", 0],
    ["value[gte]=20.5&value_currency=eur", 3],
    ["value[lte]=10&value_currency=EUR", 2],
    ["value_currency=USD", 0],
  ])("?%s finds %i", async (query, found) => {
    const { status, json } = await server.get(`/v1/discrepancies?${query}`, key);
    expect([status, (json["data"] as object[]).length]).toEqual([200, found]);
  });

  test("goes page by page, and shows each once", async () => {
    const ids: string[] = [];
    for (let cursor = ""; ;) {
      const { json } = await server.get(`/v1/discrepancies?limit=2&sort=-last_changed_at${cursor}`, key);
      ids.push(...(json["data"] as Found[]).map(({ id }) => id));
      if (json["has_more"] === false) break;
      cursor = `&cursor=${String(json["next_cursor"])}`;
    }
    expect([ids.length, new Set(ids).size]).toEqual([5, 5]);
  });

  test("sorts values within their currency, and pages on from there", async () => {
    const worldly = await openBooks(database.db);
    const inAmounts = { V1: "20.5 EUR", V2: "150000000 IDR", V3: "30 EUR", V4: "7 USD", V5: "17000000 IDR" };
    await addRecords(
      worldly,
      Object.entries(inAmounts).map(([id, words]) => {
        const [inAmount, sourceCurrency] = words.split(" ");
        return { id, inAmount, sourceCurrency };
      }),
    );
    await addStatement(worldly, { lines: [] });
    await reconcileAccount(database.db, worldly.accountId);
    const own = await aKey(database.db, "accountant", { accountIds: [worldly.accountId] });
    const walk = async (sort: string) => {
      const values: string[] = [];
      for (let cursor = ""; ;) {
        const { json } = await server.get(`/v1/discrepancies?limit=2&sort=${sort}${cursor}`, own);
        values.push(...(json["data"] as Found[]).map((found) => `${found.value} ${found.value_currency}`));
        if (json["has_more"] === false) return values;
        cursor = `&cursor=${String(json["next_cursor"])}`;
      }
    };
    const highest = ["30 EUR", "20.5 EUR", "150000000 IDR", "17000000 IDR", "7 USD"];
    expect(await walk("-value")).toEqual(highest);
    const lowest = ["20.5 EUR", "30 EUR", "17000000 IDR", "150000000 IDR", "7 USD"];
    expect(await walk("value")).toEqual(lowest);
  });

  test.each([
    ["code=missing", "code"],
    ["value[gte]=5", "value_currency"],
    ["age_days[gte]=old", "age_days[gte]"],
    ["payout=mat_1", "payout"],
    ["sort=colour", "sort"],
  ])("?%s is refused by name", async (query, param) => {
    const { status, json } = await server.get(`/v1/discrepancies?${query}`, key);
    expect([status, json["param"]]).toEqual([400, param]);
  });
});

describe("an action", () => {
  test("needs the version that was seen, and refuses another", async () => {
    const { id, etag } = await one("T1");
    const path = `/v1/discrepancies/${id}/actions`;
    const bare = await server.send("POST", path, key, { action: "investigate" });
    expect([bare.status, bare.json["code"], bare.json["param"]]).toEqual([
      428,
      "precondition_required",
      "If-Match",
    ]);
    for (const wrong of ['"9-0"', `W/${etag}`, "*", "1", '"x"']) {
      const answer = await server.send("POST", path, key, { action: "investigate" }, { "if-match": wrong });
      expect([wrong, answer.status, answer.json["code"]]).toEqual([wrong, 412, "version_mismatch"]);
    }
    const done = await act(id, etag, { action: "investigate" });
    expect([done.status, done.json["state"], done.json["version"]]).toEqual([200, "investigating", 2]);
    expect(done.headers.get("etag")).not.toBe(etag);
    const late = await act(id, etag, { action: "resolve", reason: "too late" });
    expect([late.status, late.json["code"]]).toEqual([412, "version_mismatch"]);
  });

  test("of two people at the same moment happens once", async () => {
    const { id, etag } = await one("T2");
    const answers = await Promise.all(owners.map((owner) => act(id, etag, { action: "assign", owner })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 412, 412]);
    const { json } = await server.get(`/v1/discrepancies?owner=none&transaction_id=T2`, key);
    expect(json["data"]).toEqual([]);
  });

  test("sent again with its Idempotency-Key is done once and answered alike", async () => {
    const { id, etag } = await one("T2");
    const send = () =>
      server.send(
        "POST",
        `/v1/discrepancies/${id}/actions`,
        key,
        { action: "assign", owner: null },
        {
          "if-match": etag,
          "idempotency-key": "unassign",
        },
      );
    const [first, again] = [await send(), await send()];
    expect([first.status, again.status, again.headers.get("idempotent-replayed")]).toEqual([
      200,
      200,
      "true",
    ]);
    expect(again.json).toEqual(first.json);
    expect(await eventsOf(id)).toEqual(["raised", "assigned", "assigned"]);
  });

  test("assigns to active people who see the account, by name or e-mail, and to whoever had it before", async () => {
    const assign = async (owner: string) => {
      const { id, etag } = await one("T2");
      const { status, json } = await act(id, etag, { action: "assign", owner });
      return status === 200 ? json["owner"] : [status, json["param"], json["detail"]];
    };
    const refused = (given: string) => [
      400,
      "owner",
      `"${given}" is not an active person who sees this account: give the name or e-mail of one.`,
    ];
    expect(await assign("Ada Lovelace (approved)")).toEqual(refused("Ada Lovelace (approved)"));
    expect(await assign("Noor")).toEqual(refused("Noor"));
    expect(await assign("grace@example.com")).toBe("Grace");
    await database.db.query(
      "update tieout.people set state = 'suspended', suspended_at = now() where name = 'Grace'",
    );
    await assign("Ada");
    // Taking back what one has just done, too.
    expect(await assign("Grace")).toBe("Grace");
    const { id, version } = await one("T3");
    const bulk = await server.send("POST", "/v1/discrepancies/actions", key, {
      action: { action: "assign", owner: "Grace" },
      discrepancies: [{ id, version }],
    });
    expect(bulk.json).toMatchObject({ changed: [], refused: [{ id, code: "owner_unknown", state: "open" }] });
  });

  test("a comment overwrites nothing, needs no version, and makes none", async () => {
    const { id, version } = await one("T3");
    const path = `/v1/discrepancies/${id}/actions`;
    const said = await server.send("POST", path, key, { action: "comment", comment: "asked MoonPay" });
    expect([said.status, said.json["version"]]).toEqual([200, version]);
    const { json } = await server.get(`/v1/discrepancies/${id}/events`, key);
    expect(json["data"]).toMatchObject([
      { event: "raised", actor: "tieout" },
      { event: "commented", comment: "asked MoonPay", actor: expect.stringMatching(/^key:/) as string },
    ]);
  });

  test.each([
    ["no reason", { action: "resolve" }],
    ["an empty reason", { action: "write_off", reason: "  " }],
    ["a day that is none", { action: "resolve", reason: "x", booked_at: "soon" }],
    ["a day to come", { action: "write_off", reason: "x", booked_at: "2099-01-01T00:00:00Z" }],
    ["no owner", { action: "assign" }],
    ["an unknown action", { action: "delete" }],
    ["an unknown field", { action: "investigate", owner: "x" }],
    ["a NUL", { action: "comment", comment: "a\u0000b" }],
  ])("with %s is refused, and changes nothing", async (_, body) => {
    const { id, etag } = await one("T3");
    const answer = await act(id, etag, body);
    expect([answer.status, answer.json["code"]]).toEqual([400, "invalid_body"]);
    expect((await one("T3")).etag).toBe(etag);
  });

  test("with a field of another action is told the fields of this one", async () => {
    const { id, etag } = await one("T3");
    const { json } = await act(id, etag, { action: "comment", comment: "x", text: "x" });
    expect(json["detail"]).toContain("text is not a field here. There are action, comment.");
  });
});

describe("what a person closed", () => {
  test("is excluded from then on, stays closed in later runs, and can be reopened", async () => {
    expect(await classesOf()).toEqual({ discrepant: 4 });
    const { id, etag } = await one("T3");
    const closed = await act(id, etag, { action: "resolve", reason: "paid by bank transfer" });
    expect(closed.json).toMatchObject({
      state: "resolved",
      reason: "paid by bank transfer",
      resolved_by: expect.stringMatching(/^key:/) as string,
    });
    expect(await classesOf()).toEqual({ discrepant: 3, excluded: 1 });
    await reconcileAccount(database.db, books.accountId, { full: true });
    expect((await one("T3")).state).toBe("resolved");
    const again = await act(id, String(closed.headers.get("etag")), { action: "write_off", reason: "x" });
    expect([again.status, again.json["code"]]).toEqual([409, "state_conflict"]);
    const open = await act(id, String(closed.headers.get("etag")), { action: "reopen" });
    expect(open.json).toMatchObject({ state: "open", reason: null, resolved_at: null });
    expect(await classesOf()).toEqual({ discrepant: 4 });
  });

  test("counts from the day that it is booked on", async () => {
    const { id, etag } = await one("T3");
    const bookedAt = "2026-05-31T12:00:00.000Z";
    const closed = await act(id, etag, { action: "resolve", reason: "too small", booked_at: bookedAt });
    expect(closed.status).toBe(200);
    expect(await decisionOn(id)).toEqual({ decision: "resolved", booked: "2026-05-31T12:00" });
    await act(id, String(closed.headers.get("etag")), { action: "reopen" });
  });

  test("may be a day, which begins in the zone of the account's months", async () => {
    const zone = async (name: string | null) => {
      await setAccountSetting(database.db, {
        account: { id: books.accountId, name: books.name },
        name: "calendar",
        value: name === null ? null : { zone: name, first_month: null },
        reason: "a test",
        actor: "test",
        seenVersion: null,
      });
    };
    await zone("America/New_York");
    const { id, etag, version } = await one("T3");
    const bulk = { action: { action: "resolve", reason: "too small", booked_at: "2026-05-31" } };
    const closed = await act(id, etag, bulk.action);
    expect(closed.status).toBe(200);
    expect(await decisionOn(id)).toEqual({ decision: "resolved", booked: "2026-05-31T04:00" });
    await act(id, String(closed.headers.get("etag")), { action: "reopen" });
    const again = [{ id, version: version + 2 }];
    const many = await server.send("POST", "/v1/discrepancies/actions", key, {
      ...bulk,
      discrepancies: again,
    });
    expect([many.status, many.json["changed"]]).toEqual([200, [id]]);
    expect(await decisionOn(id)).toEqual({ decision: "resolved", booked: "2026-05-31T04:00" });
    await act(id, (await one("T3")).etag, { action: "reopen" });
    await zone(null);
  });

  test("with the word that tieout uses itself counts as closed by a person", async () => {
    const { id, etag } = await one("T3");
    const closed = await act(id, etag, { action: "resolve", reason: "agreed" });
    expect(await classesOf()).toEqual({ discrepant: 3, excluded: 1 });
    await reconcileAccount(database.db, books.accountId, { full: true });
    expect((await one("T3")).state).toBe("resolved");
    await act(id, String(closed.headers.get("etag")), { action: "reopen" });
  });

  test("is not what agreed by itself: that comes back only when the facts do", async () => {
    const own = await openBooks(database.db);
    await addRecords(own, [{ id: "A1" }]);
    await addStatement(own, { lines: [] });
    await reconcileAccount(database.db, own.accountId);
    await addStatement(own, { lines: [{ of: "A1" }] });
    await reconcileAccount(database.db, own.accountId);
    const mine = await aKey(database.db, "accountant", { accountIds: [own.accountId] });
    const { json } = await server.get("/v1/discrepancies", mine);
    const [agreed] = json["data"] as [Found];
    expect(agreed).toMatchObject({ state: "resolved", reason: "agreed", resolved_by: "tieout" });
    const headers = { "if-match": `"${agreed.version}-${agreed.age_days}"` };
    const path = `/v1/discrepancies/${agreed.id}/actions`;
    const answer = await server.send("POST", path, mine, { action: "reopen" }, headers);
    expect([answer.status, answer.json["code"]]).toEqual([409, "state_conflict"]);
    expect(await codesOf(own)).toEqual([]);
  });
});

test("many at once: what can be changed is, and the rest is listed with its reason", async () => {
  const [t1, t2, t3] = [await one("T1"), await one("T2"), await one("T3")];
  await act(t2.id, t2.etag, { action: "investigate" });
  const { status, json } = await server.send("POST", "/v1/discrepancies/actions", key, {
    action: { action: "write_off", reason: "below our limit" },
    discrepancies: [
      ...[t1, t2, t3].map(({ id, version }) => ({ id, version })),
      { id: "dis_999999", version: 1 },
    ],
  });
  expect([status, json]).toEqual([
    200,
    {
      object: "discrepancy_changes",
      changed: [t1.id, t3.id],
      proposed: [],
      refused: [
        { id: t2.id, code: "version_mismatch", state: "investigating", approval: null },
        { id: "dis_999999", code: "not_found", state: null, approval: null },
      ],
    },
  ]);
  const entries = await database.db.query(
    "select subject, before, after, reason from tieout.audit_log where action = 'discrepancy.written_off' order by number",
  );
  expect(entries).toMatchObject([
    { subject: t1.id, before: { state: "investigating" }, after: { state: "written_off" } },
    { subject: t3.id, reason: "below our limit" },
  ]);
});

test("a key of another account sees and changes nothing", async () => {
  const { id, etag, version } = await one("T2");
  expect((await server.get("/v1/discrepancies", ofOther)).json["data"]).toEqual([]);
  for (const path of [`/v1/discrepancies/${id}`, `/v1/discrepancies/${id}/events`])
    expect((await server.get(path, ofOther)).status).toBe(404);
  const path = `/v1/discrepancies/${id}/actions`;
  const refused = await server.send("POST", path, ofOther, { action: "investigate" }, { "if-match": etag });
  expect(refused.status).toBe(404);
  const bulk = await server.send("POST", "/v1/discrepancies/actions", ofOther, {
    action: { action: "assign", owner: "me" },
    discrepancies: [{ id, version }],
  });
  expect(bulk.json).toMatchObject({ changed: [], refused: [{ id, code: "not_found", state: null }] });
});

interface Found {
  id: string;
  code: string;
  transaction_id: string | null;
  value: string;
  value_currency: string;
  version: number;
  age_days: number;
  state: string;
}

async function one(transactionId: string): Promise<Found & { etag: string }> {
  const { json } = await server.get(`/v1/discrepancies?transaction_id=${transactionId}`, key);
  const [found] = json["data"] as [Found];
  const answer = await server.get(`/v1/discrepancies/${found.id}`, key);
  expect(answer.json).toEqual(found);
  return { ...found, etag: String(answer.headers.get("etag")) };
}

function act(id: string, etag: string, body: object): Promise<Answer> {
  return server.send("POST", `/v1/discrepancies/${id}/actions`, key, body, { "if-match": etag });
}

async function decisionOn(id: string) {
  const [decision] = await database.db.query<{ decision: string; booked: string }>(
    `select decision, to_char(booked_at, 'YYYY-MM-DD"T"HH24:MI') as booked
     from tieout.decisions
     where known_to is null and discrepancy_id = $1`,
    [Number(id.slice("dis_".length))],
  );
  return decision;
}

async function eventsOf(id: string): Promise<string[]> {
  const { json } = await server.get(`/v1/discrepancies/${id}/events`, key);
  return (json["data"] as { event: string }[]).map(({ event }) => event);
}

async function classesOf(): Promise<Record<string, number>> {
  const sums = await summariseAccount(database.db, books.accountId, { provider: null });
  return Object.fromEntries(sums.map((sum) => [sum.class, sum.transactions]));
}
