import { beforeAll, describe, expect, test } from "vitest";
import type { Api } from "../../src/api/deps.ts";
import { periodRoutes } from "../../src/api/periods/routes.ts";
import { parseApiKey } from "../../src/core/api-key.ts";
import { scopes } from "../../src/core/scopes.ts";
import { aKey, useApi } from "../api/an-api.ts";
import { anAccount } from "../api/some-records.ts";
import { addMissingOrder, openMonth, signingKey } from "../close/a-month.ts";
import { aPerson, everyRole } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { waitFor } from "../support/wait-for.ts";

describe("a key does no more than its owner may", () => {
  const database = useTestDatabase();
  const server = useApi(database, {
    extensions: [(api: Api) => periodRoutes({ database: database.db, signingKey })(api)],
  });
  let admin = "";
  beforeAll(async () => {
    admin = await aKey(database.db, "admin", { name: "operations" });
  });
  const scopesOf = async (key: string) => (await server.get("/v1/me", key)).json["scopes"];
  const grant = (person: number, body: object) =>
    server.send("PATCH", `/v1/people/per_${person}`, admin, body);

  test("at this moment: who is a viewer by now closes no month with it", async () => {
    const { name } = await openMonth(database.db);
    const path = (verb: string) => `/v1/periods/2026-03/${verb}?account=${encodeURIComponent(name)}`;
    const carol = await aKey(database.db, "accountant", {
      ownerId: await aPerson(database.db, "accountant"),
    });
    const mallory = await aPerson(database.db, "controller", { name: "Mallory" });
    const key = await aKey(database.db, "controller", { ownerId: mallory });
    expect(await scopesOf(key)).toContain("approvals:write");
    const prepared = await server.send("POST", path("prepare"), carol, {});
    expect((await grant(mallory, { roles: ["viewer"] })).status).toBe(200);
    await waitFor(
      "the key is a viewer's",
      async () => JSON.stringify(await scopesOf(key)) === '["transactions:read","reconcile:read"]',
    );
    const seen = { pack_sha256: prepared.json["pack_sha256"] };
    const closing = await server.send("POST", path("approve"), key, seen);
    expect([closing.status, closing.json["code"]]).toEqual([403, "scope_missing"]);
    const deciding = await server.send("POST", "/v1/discrepancies/dis_1/actions", key, {
      action: "resolve",
      reason: "x",
    });
    expect([deciding.status, deciding.json["code"]]).toEqual([403, "scope_missing"]);
    // And back, as with a suspension.
    await grant(mallory, { roles: ["controller"] });
    await waitFor(
      "it works again",
      async () => (await server.send("POST", path("approve"), key, seen)).status === 200,
    );
  });

  test("and sees no more: only the accounts of both", async () => {
    const [eu, us] = [await anAccount(database.db, "eu"), await anAccount(database.db, "us")];
    const owner = await aPerson(database.db, "viewer", { accountIds: [eu] });
    const accountsOf = async (key: string) => (await server.get("/v1/me", key)).json["accounts"];
    expect(await accountsOf(await aKey(database.db, "viewer", { ownerId: owner }))).toEqual(["eu"]);
    const both = await aKey(database.db, "viewer", { ownerId: owner, accountIds: [eu, us] });
    expect(await accountsOf(both)).toEqual(["eu"]);
    const none = await aKey(database.db, "viewer", { ownerId: owner, accountIds: [us] });
    expect(await accountsOf(none)).toEqual([]);
    for (const path of ["/v1/accounts", "/v1/transactions", "/v1/discrepancies", "/v1/periods"]) {
      const { status, json } = await server.get(path, none);
      expect([path, status, json["data"]]).toEqual([path, 200, []]);
    }
  });

  test("what is signed with it names the person and the key", async () => {
    const books = await openMonth(database.db);
    await addMissingOrder(books, "signed-by-key");
    const path = (verb: string) => `/v1/periods/2026-03/${verb}?account=${encodeURIComponent(books.name)}`;
    const owner = await aPerson(database.db, everyRole, { name: "Dorothy" });
    const key = await aKey(database.db, "accountant", { name: "month end", ownerId: owner });
    expect(
      (await server.send("POST", path("carry"), key, { owner: "Dorothy", reason: "asked" })).status,
    ).toBe(200);
    expect((await server.send("POST", path("prepare"), key, {})).status).toBe(200);
    const { json } = await server.get(`/v1/audit?actor=person:${owner}`, admin);
    const named = { name: "Dorothy", key: { id: `key_${parseApiKey(key)?.id}`, name: "month end" } };
    expect(json["data"]).toMatchObject([
      { action: "period.prepared", actor_name: "Dorothy", after: named },
      { action: "period.discrepancies_carried", after: named },
      { action: "discrepancy.assigned", actor_name: "Dorothy" },
    ]);
    const [carried] = await database.db.query("select actor_name from tieout.carried_discrepancies");
    expect(carried).toEqual({ actor_name: "Dorothy" });
  });
});

describe("once there are two admins", () => {
  const database = useTestDatabase();
  const server = useApi(database);
  let ada = "";
  let alan = 0;
  beforeAll(async () => {
    ada = await aKey(database.db, "admin", {
      ownerId: await aPerson(database.db, everyRole, { name: "Ada" }),
    });
    alan = await aPerson(database.db, everyRole, { name: "Alan" });
  });
  const make = (body: object) => server.send("POST", "/v1/keys", ada, { name: "x", ...body });
  const works = async (key: unknown) => (await server.get("/v1/me", String(key))).status;

  test.each([
    { scopes },
    { scopes: ["people:write"] },
    { scopes: ["keys:write"] },
    { role: "viewer", scopes: ["keys:write"] },
    { role: "admin" },
  ])("a key that may do what only admins may waits for the other: %j", async (wanted) => {
    const made = await make(wanted);
    expect(made.status).toBe(201);
    expect(await works(made.json["key"])).toBe(401);
  });

  test.each([{ role: "controller" }, { scopes: ["settings:write", "audit:read"] }])(
    "any other works at once: %j",
    async (wanted) => expect(await works((await make(wanted)).json["key"])).toBe(200),
  );

  test("neither becomes the only one by taking the role from the other, or keeping them out", async () => {
    const answers = [
      () => server.send("PATCH", `/v1/people/per_${alan}`, ada, { roles: ["viewer"] }),
      () => server.send("POST", `/v1/people/per_${alan}/suspend`, ada, {}),
    ];
    for (const remove of answers) {
      expect((await remove()).status).toBe(200);
      expect(await works((await make({ role: "admin" })).json["key"])).toBe(401);
      const name = `Eve ${answers.indexOf(remove)}`;
      const eve = { name, email: `${name.replace(" ", "-")}@example.com`, roles: ["admin"] };
      const invited = await server.send("POST", "/v1/people", ada, eve);
      expect(invited.json["roles"]).toEqual(["viewer"]);
    }
    // Nothing that a program writes sets it back; after 30 days it is over.
    await database.db.query("update tieout.people set admin_until = null");
    expect(await works((await make({ role: "admin" })).json["key"])).toBe(401);
    await database.db.query("alter table tieout.people disable trigger note_admin_until");
    await database.db.query("update tieout.people set admin_until = admin_until - interval '30 days'");
    await database.db.query("alter table tieout.people enable trigger note_admin_until");
    expect(await works((await make({ role: "admin" })).json["key"])).toBe(200);
  });
});
