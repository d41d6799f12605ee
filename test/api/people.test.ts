import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { parseApiKey } from "../../src/core/api-key.ts";
import { createKey } from "../../src/store/people/api-keys.ts";
import { aPerson } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { waitFor } from "../support/wait-for.ts";
import { aKey, useApi } from "./an-api.ts";
import { anAccount } from "./some-records.ts";

const database = useTestDatabase();
const server = useApi(database, { baseUrl: "https://books.example.com" });
let admin = "";
let accountA = 0;
beforeAll(async () => {
  accountA = await anAccount(database.db, "a");
  await anAccount(database.db, "b");
  admin = await aKey(database.db, "admin", { name: "operations" });
});

const grace = { name: "Grace Hopper", email: "grace@example.com", roles: ["accountant"] };

describe("people", () => {
  test("are invited by a link that is shown once, and listed without it", async () => {
    const headers = { "idempotency-key": "invite-1" };
    const made = await server.send("POST", "/v1/people", admin, grace, headers);
    expect(made.status).toBe(201);
    expect(made.json).toMatchObject({
      ...grace,
      state: "invited",
      accounts: null,
      created_by_name: "key operations",
      link: expect.stringMatching(/^https:\/\/books\.example\.com\/sign-in\?link=[\w-]{43}$/) as string,
    });
    const again = await server.send("POST", "/v1/people", admin, grace, headers);
    expect(again.json).toMatchObject({ id: made.json["id"], link: null });
    const taken = await server.send("POST", "/v1/people", admin, { ...grace, email: "GRACE@example.com" });
    expect([taken.status, taken.json["code"]]).toEqual([409, "state_conflict"]);
    expect(taken.json["detail"]).toBe('"GRACE@example.com" belongs to someone who is here already.');
    const { link: _, ...shown } = made.json;
    expect((await server.get(`/v1/people/${String(made.json["id"])}`, admin)).json).toEqual(shown);
    expect((await server.get("/v1/people?state=invited", admin)).json["data"]).toContainEqual(shown);
  });

  test("get no role and no account that whoever gives it lacks", async () => {
    const limited = await aKey(database.db, "admin", { accountIds: [accountA] });
    const wider = await server.send("POST", "/v1/people", limited, {
      ...grace,
      accounts: null,
      email: "x@y",
    });
    expect([wider.status, wider.json["code"]]).toEqual([403, "not_allowed"]);
    const narrow = await aKey(database.db, "custom", { scopes: ["people:write", "people:read"] });
    for (const roles of [["viewer"], ["admin"], ["controller"], ["auditor"]]) {
      const answer = await server.send("POST", "/v1/people", narrow, { ...grace, email: "z@y", roles });
      expect([roles, answer.status, answer.json["code"]]).toEqual([roles, 403, "not_allowed"]);
    }
    const above = await aPerson(database.db, "controller");
    for (const [verb, body] of [
      ["suspend", {}],
      ["link", {}],
    ] as const) {
      const { status } = await server.send("POST", `/v1/people/per_${above}/${verb}`, narrow, body);
      expect([verb, status]).toEqual([verb, 403]);
    }
    const roles = await server.send("PATCH", `/v1/people/per_${above}`, narrow, { roles: ["viewer"] });
    expect(roles.status).toBe(403);
  });

  test("keep their last admin", async () => {
    const only = await aPerson(database.db, "admin");
    for (const [method, path, body] of [
      ["POST", "/suspend", {}],
      ["PATCH", "", { roles: ["viewer"] }],
    ] as const) {
      const answer = await server.send(method, `/v1/people/per_${only}${path}`, admin, body);
      expect([answer.status, answer.json["detail"]]).toEqual([
        409,
        '"a admin" is the only admin: make someone else one first.',
      ]);
    }
    // One who is limited to some accounts can let nobody in to the others.
    await aPerson(database.db, "admin", { accountIds: [accountA] });
    for (const body of [{ roles: ["viewer"] }, { roles: ["admin"], accounts: ["a"] }]) {
      const answer = await server.send("PATCH", `/v1/people/per_${only}`, admin, body);
      expect([answer.status, answer.json["detail"]]).toEqual([
        409,
        '"a admin" is the only admin for all accounts: make someone else one first.',
      ]);
    }
    await aPerson(database.db, "admin");
    expect((await server.send("POST", `/v1/people/per_${only}/suspend`, admin, {})).status).toBe(200);
  });

  test("are told apart by their names, however these are written", async () => {
    await aPerson(database.db, "viewer", { name: "Ada Lovelace" });
    const gone = await aPerson(database.db, "viewer", { name: "Charles" });
    await server.send("POST", `/v1/people/per_${gone}/suspend`, admin, {});
    for (const name of ["Ada Lovelace", "ada  LOVELACE ", "\uff21\uff24\uff21 Lovelace", "Charles"]) {
      const body = { ...grace, name, email: "other@example.com" };
      const answer = await server.send("POST", "/v1/people", admin, body);
      expect([name, answer.status, answer.json["code"]]).toEqual([name, 409, "state_conflict"]);
    }
  });

  test("have names in any alphabet", async () => {
    for (const [at, name] of [
      "Zoë O’Brien-Łukasz",
      "Анна Каренина (Finance)",
      "Νίκος",
      "山田 太郎",
    ].entries()) {
      const body = { ...grace, name, email: `alphabet-${at}@example.com` };
      expect([name, (await server.send("POST", "/v1/people", admin, body)).status]).toEqual([name, 201]);
    }
  });

  test.each([
    [{ ...grace, email: "nothing" }, "email: expected an address"],
    [{ ...grace, name: "  " }, "name: expected 1 to 200"],
    [{ ...grace, name: "Ada\u202e" }, "name: expected 1 to 200"],
    [{ ...grace, name: "A\u200bda" }, "name: expected 1 to 200"],
    // The first letter is Cyrillic, and the o of the second is Greek.
    [{ ...grace, name: "\u0410da Lovelace" }, "has letters of several alphabets in one word"],
    [{ ...grace, name: "Ada L\u03bfvelace" }, "has letters of several alphabets in one word"],
    [{ ...grace, name: "tieout" }, "is how tieout writes of itself"],
    [{ ...grace, name: " TieOut" }, "is how tieout writes of itself"],
    [{ ...grace, name: "Sign-in service" }, "is how tieout writes of itself"],
    [{ ...grace, name: "root (command line)" }, "is how tieout writes of itself"],
    [{ ...grace, name: "key nightly (Ada)" }, "is how tieout writes of itself"],
    [{ ...grace, name: "person:1" }, "is how tieout writes of itself"],
  ])("are refused with words: %j", async (body, words) => {
    const answer = await server.send("POST", "/v1/people", admin, body);
    expect(answer.status).toBe(400);
    expect(String(answer.json["detail"]).toLowerCase()).toContain(words);
  });
});

describe("a key", () => {
  test("falls with its owner's suspension, and comes back with them", async () => {
    const owner = await aPerson(database.db, "viewer", { name: "Edsger" });
    const wanted = {
      name: "nightly",
      role: "viewer",
      scopes: [],
      accountIds: null,
      expiresInMs: null,
    } as const;
    const { key, held } = await createKey(
      database.db,
      randomBytes,
      { ...wanted, ownerId: owner },
      { actor: `person:${owner}` },
    );
    const status = async () => (await server.get("/v1/accounts", key)).status;
    expect(await status()).toBe(200);
    const listed = await server.get("/v1/keys?limit=100", admin);
    expect(listed.json["data"]).toContainEqual(
      expect.objectContaining({ id: `key_${held.id}`, owner_name: "Edsger", unused: false }),
    );
    await server.send("POST", `/v1/people/per_${owner}/suspend`, admin, { reason: "left" });
    await waitFor("the key is refused", async () => (await status()) === 401);
    await server.send("POST", `/v1/people/per_${owner}/resume`, admin, {});
    await waitFor("the key works again", async () => (await status()) === 200);
  });

  test("is good for a year at most, and shown when it is not used", async () => {
    const long = await server.send("POST", "/v1/keys", admin, {
      name: "x",
      expires_in_seconds: 366 * 86_400,
    });
    expect(long.status).toBe(400);
    const old = parseApiKey(await aKey(database.db, "viewer", { name: "forgotten" }))?.id;
    await database.db.query(
      "update tieout.api_keys set created_at = clock_timestamp() - interval '91 days' where id = $1",
      [old],
    );
    const { json } = await server.get("/v1/keys?limit=100", admin);
    const unused = (json["data"] as { id: string; unused: boolean }[]).filter((one) => one.unused);
    expect(unused.map(({ id }) => id)).toEqual([`key_${old}`]);
  });
});

test("whoever asks is told who they are", async () => {
  const owner = await aPerson(database.db, "viewer", { name: "Barbara", accountIds: [accountA] });
  const key = await aKey(database.db, "viewer", {
    name: "her script",
    accountIds: [accountA],
    ownerId: owner,
  });
  const { json } = await server.get("/v1/me", key);
  expect(json).toMatchObject({
    object: "caller",
    actor: `key:${parseApiKey(key)?.id}`,
    name: "her script",
    person: { name: "Barbara", roles: ["viewer"] },
    scopes: ["transactions:read", "reconcile:read"],
    accounts: ["a"],
  });
});

describe("names", () => {
  test("stand in the audit log as they were then, whoever was renamed since", async () => {
    const owner = await aPerson(database.db, "viewer", { name: "Miss Lovelace" });
    await server.send("POST", `/v1/people/per_${owner}/suspend`, admin, { reason: "test" });
    await database.db.transaction(async (tx) => {
      await tx.query(
        "insert into tieout.audit_log (actor, action, subject, number, at, previous_hash, hash) values ($1, 'x', 'x', 0, now(), '', '')",
        [`person:${owner}`],
      );
      await tx.query("update tieout.people set name = 'Countess Lovelace' where id = $1", [owner]);
    });
    const { json } = await server.get(`/v1/audit?actor=person:${owner}`, admin);
    expect(json["data"]).toMatchObject([{ actor: `person:${owner}`, actor_name: "Miss Lovelace" }]);
    const [now] = await database.db.query("select tieout.actor_name($1) as name", [`person:${owner}`]);
    expect(now).toEqual({ name: "Countess Lovelace" });
  });

  test("are found for every kind of actor, and an unknown one is its own name", async () => {
    const owner = await aPerson(database.db, "viewer", { name: "Ada" });
    const key = parseApiKey(await aKey(database.db, "viewer", { name: "nightly", ownerId: owner }))?.id;
    const names = await database.db.query<{ name: string }>(
      "select tieout.actor_name(actor) as name from unnest($1::text[]) as given (actor)",
      [[`person:${owner}`, `key:${key}`, "cli:root", "tieout", "person:x", "person:999999", "key:none"]],
    );
    expect(names.map(({ name }) => name)).toEqual([
      "Ada",
      "key nightly (Ada)",
      "root (command line)",
      "tieout",
      "person:x",
      "person:999999",
      "key:none",
    ]);
  });

  test("people are never deleted", async () => {
    await expect(database.db.query("delete from tieout.people")).rejects.toMatchObject({ code: "23001" });
  });
});
