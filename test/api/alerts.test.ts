import { beforeAll, expect, test } from "vitest";
import { holdAccount } from "../../src/store/accounts/account-switches.ts";
import { runAlerts } from "../../src/notify/run-alerts.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { aKey, useApi } from "./an-api.ts";
import { anAccount } from "./some-records.ts";

const database = useTestDatabase();
const server = useApi(database);
let key = "";
let keyOfB = "";

beforeAll(async () => {
  const [a, b] = [await anAccount(database.db, "a"), await anAccount(database.db, "b")];
  key = await aKey(database.db, "admin");
  keyOfB = await aKey(database.db, "admin", { accountIds: [b] });
  await holdAccount(
    database.db,
    { id: a, name: "a", reason: "maintenance" },
    { actor: "test", requestId: "r" },
  );
});

const silent = { info: () => undefined, warn: () => undefined };
const judge = () =>
  runAlerts({ database: database.db, mailer: null, pageUrl: "", now: Date.now, log: silent });
const listed = async (path: string, as = key) =>
  ((await server.get(path, as)).json["data"] as Record<string, unknown>[]).map(
    ({ kind, account, state, title }) => ({ kind, account, state, title }),
  );

test("a rule finds something, is changed with what was seen of it, and takes what it found with it", async () => {
  const made = await server.send("POST", "/v1/alert-rules", key, {
    kind: "account_paused",
    by_webhook: true,
  });
  expect([made.status, made.json]).toEqual([
    201,
    expect.objectContaining({ object: "alert_rule", kind: "account_paused", accounts: null, version: 1 }),
  ]);
  await judge();
  const paused = { kind: "account_paused", account: "a", title: "Account a is paused" };
  expect(await listed("/v1/alerts")).toEqual([{ ...paused, state: "open" }]);
  expect(await listed("/v1/alerts?state=cleared")).toEqual([]);
  expect(await listed("/v1/alerts?state=open,cleared&kind=account_paused&account=a")).toHaveLength(1);
  // Whoever sees one account sees neither what concerns another, nor rules for all of them.
  expect(await listed("/v1/alerts", keyOfB)).toEqual([]);
  expect(await listed("/v1/alert-rules", keyOfB)).toEqual([]);

  const path = `/v1/alert-rules/${String(made.json["id"])}`;
  expect((await server.get(path, keyOfB)).status).toBe(404);
  const { headers } = await server.get(path, key);
  const seen = { "if-match": headers.get("etag") ?? "" };
  expect((await server.send("PATCH", path, key, { by_email: true })).status).toBe(428);
  const changed = await server.send("PATCH", path, key, { by_email: true, accounts: ["b"] }, seen);
  expect(changed.json).toMatchObject({ by_email: true, by_webhook: true, accounts: ["b"], version: 2 });
  expect((await server.send("PATCH", path, key, { by_email: false }, seen)).status).toBe(412);
  await judge();
  expect(await listed("/v1/alerts")).toEqual([{ ...paused, state: "cleared" }]);

  expect((await server.send("DELETE", path, keyOfB, undefined)).status).toBe(200);
  expect((await server.get(path, key)).status).toBe(404);
  const actions = await database.db.query<{ action: string }>(
    "select action from tieout.audit_log where action like 'alert_rule.%' order by number",
  );
  expect(actions.map(({ action }) => action)).toEqual([
    "alert_rule.created",
    "alert_rule.changed",
    "alert_rule.removed",
  ]);
});

test.each([
  [{ kind: "data_old" }, "limit_seconds"],
  [{ kind: "quarantine", limit_seconds: 60 }, "limit_seconds"],
  [{ kind: "value_at_risk" }, "limit_amount"],
  [{ kind: "value_at_risk", limit_amount: "1000" }, "currency"],
  [{ kind: "value_at_risk", limit_amount: "-1", currency: "eur" }, "limit_amount"],
  [{ kind: "value_at_risk", limit_amount: "ten", currency: "eur" }, "limit_amount"],
  [{ kind: "payout_overdue", currency: "eur" }, "currency"],
  [{ kind: "data_old", limit_seconds: 60, accounts: ["nowhere"] }, "accounts"],
  [{ kind: "weather" }, "kind"],
])("%j is refused, and the answer names %s", async (body, field) => {
  const answer = await server.send("POST", "/v1/alert-rules", key, body);
  expect([answer.status, answer.json["code"]]).toEqual([400, "invalid_body"]);
  expect(JSON.stringify(answer.json)).toContain(field);
});

test("a rule is added once with its Idempotency-Key, and answered alike", async () => {
  const add = () =>
    server.send("POST", "/v1/alert-rules", key, { kind: "payout_overdue" }, { "idempotency-key": "rule" });
  const [first, second] = [await add(), await add()];
  expect([first.status, first.text]).toEqual([201, expect.stringContaining('"kind":"payout_overdue"')]);
  expect([second.status, second.text]).toEqual([201, first.text]);
  await server.send("DELETE", `/v1/alert-rules/${String(first.json["id"])}`, key, undefined);
});

test("a limit is changed within the kind of its rule", async () => {
  const rule = { kind: "value_at_risk", limit_amount: "1000.50", currency: "EUR" };
  const made = await server.send("POST", "/v1/alert-rules", keyOfB, rule);
  expect(made.json).toMatchObject({ limit_amount: "1000.5", currency: "eur", accounts: ["b"] });
  const path = `/v1/alert-rules/${String(made.json["id"])}`;
  const tag = async () => ({ "if-match": (await server.get(path, key)).headers.get("etag") ?? "" });
  const changed = await server.send("PATCH", path, key, { limit_amount: "5" }, await tag());
  expect(changed.json).toMatchObject({ limit_amount: "5", currency: "eur", version: 2 });
  const refused = await server.send("PATCH", path, key, { limit_seconds: 5 }, await tag());
  expect([refused.status, refused.json["param"]]).toEqual([400, "limit_seconds"]);
});

test("recipients of e-mail are added, listed and removed, by those who may see every account", async () => {
  const path = "/v1/alert-recipients";
  const add = (address: string, as = key) => server.send("POST", path, as, { address });
  expect((await add("Ada@example.com")).json).toEqual({
    object: "alert_recipient",
    id: "arc_b5fc85e55755f9e0",
    address: "Ada@example.com",
  });
  // The same person, whatever the case; and one mail is not sent to two addresses of it.
  expect((await add("ada@EXAMPLE.com")).json["address"]).toBe("Ada@example.com");
  expect((await add("bob@example.com")).status).toBe(201);
  for (const wrong of [
    "ada",
    "ada@",
    "a b@example.com",
    "a@x.com,b@x.com",
    "a@x.com\nBcc: b@x.com",
    "<a@x.com>",
    "a@.com",
  ])
    expect([wrong, (await add(wrong)).status]).toEqual([wrong, 400]);
  const addresses = async (query = "") => {
    const { json } = await server.get(`${path}${query}`, key);
    const held = json["data"] as { id: string; address: string }[];
    return { held, json, addresses: held.map(({ address }) => address) };
  };
  const first = await addresses("?limit=1");
  expect([first.addresses, first.json["has_more"]]).toEqual([["Ada@example.com"], true]);
  const next = `?limit=1&cursor=${String(first.json["next_cursor"])}`;
  expect((await addresses(next)).addresses).toEqual(["bob@example.com"]);

  expect([(await server.get(path, keyOfB)).status, (await add("eve@example.com", keyOfB)).status]).toEqual([
    403, 403,
  ]);
  const one = `${path}/${first.held[0]?.id ?? ""}`;
  expect((await server.send("DELETE", one, keyOfB, undefined)).status).toBe(403);
  expect((await server.send("DELETE", one, key, undefined)).json["address"]).toBe("Ada@example.com");
  expect((await server.send("DELETE", one, key, undefined)).status).toBe(404);
  expect((await addresses()).addresses).toEqual(["bob@example.com"]);

  for (let number = 1; number < 20; number++) await add(`person${number}@example.com`);
  expect((await add("person20@example.com")).status).toBe(409);
  const audited = await database.db.query<{ action: string; address: string }>(
    `select action, coalesce(after, before) ->> 'address' as address from tieout.audit_log where action like 'alert_recipient.%' order by number limit 3`,
  );
  expect(audited).toEqual([
    { action: "alert_recipient.added", address: "Ada@example.com" },
    { action: "alert_recipient.added", address: "bob@example.com" },
    { action: "alert_recipient.removed", address: "Ada@example.com" },
  ]);
});
