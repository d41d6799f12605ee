import { randomBytes, timingSafeEqual } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { createKeyRing } from "../../src/access/key-ring.ts";
import { hashApiKey, makeApiKey, parseApiKey } from "../../src/core/api-key.ts";
import { createKey, ensureFirstKey, revokeKey } from "../../src/store/people/api-keys.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { waitFor } from "../support/wait-for.ts";
import { aKey, useApi } from "./an-api.ts";
import { anAccount } from "./some-records.ts";

const database = useTestDatabase();
const server = useApi(database);

let admin = "";
beforeAll(async () => {
  await anAccount(database.db, "main");
  admin = await aKey(database.db, "admin");
  const revoked = await aKey(database.db, "viewer");
  await revokeKey(database.db, parseApiKey(revoked)?.id ?? "", { actor: "test" });
});

test("the key may be sent as a bearer or as the user name of Basic, and in no other way", async () => {
  const key = admin;
  expect(await statusFor(`Bearer ${key}`)).toBe(200);
  expect(await statusFor(`bearer ${key}`)).toBe(200);
  expect(await statusFor(basic(`${key}:`))).toBe(200);
  for (const wrong of [
    key,
    basic(`${key}:password`),
    basic(key),
    `Bearer ${key} more`,
    "Bearer ",
    "Basic !",
  ]) {
    expect(await statusFor(wrong)).toBe(401);
  }
});

test("an unknown id costs the same work as a wrong secret: one look-up, one comparison", async () => {
  const looked: string[] = [];
  const compared: number[] = [];
  const watched = {
    ...database.db,
    query: ((text: string, values?: unknown[], name?: string) => {
      looked.push(name ?? text);
      return database.db.query(text, values, name);
    }) as typeof database.db.query,
  };
  const compare = (a: Buffer, b: Buffer) => {
    compared.push(a.length, b.length);
    return timingSafeEqual(a, b);
  };
  const ring = createKeyRing({
    database: watched,
    now: Date.now,
    onError: () => undefined,
    compare: compare as typeof timingSafeEqual,
  });
  const wrongSecret = await wrongSecretFor(admin);
  const traces: unknown[] = [];
  for (const key of [wrongSecret, makeApiKey(randomBytes)]) {
    looked.length = compared.length = 0;
    expect(await ring.check(key)).toEqual({ kind: "unknown" });
    traces.push([[...looked], [...compared]]);
  }
  expect(traces[0]).toEqual(traces[1]);
  expect(traces[0]).toEqual([["find_api_key"], [32, 32]]);
});

test("what is stored opens nothing", async () => {
  const key = admin;
  const [dump] = await database.db.query<{ all: string }>(
    "select json_agg(k)::text as all from tieout.api_keys as k",
  );
  const secret = parseApiKey(key)?.secret ?? "";
  expect(dump?.all).not.toContain(secret.slice(0, 30));
  expect(dump?.all).toContain(hashApiKey(key).toString("hex"));
});

test("a key revoked here is refused at once; its last use is noted", async () => {
  const { key, held } = await createKey(
    database.db,
    randomBytes,
    { name: "short-lived", role: "viewer", scopes: [], accountIds: null, expiresInMs: null },
    { actor: "test" },
  );
  expect((await server.get("/v1/accounts", key)).status).toBe(200);
  await waitFor("its use is noted", async () => {
    const listed = await server.get("/v1/keys?limit=100", admin);
    const found = (listed.json["data"] as { id: string; last_used_at: string | null }[]).find(
      ({ id }) => id === `key_${held.id}`,
    );
    return found?.last_used_at;
  });
  const revoked = await server.send("DELETE", `/v1/keys/key_${held.id}`, admin, undefined);
  expect(revoked.json["revoked_at"]).toMatch(/Z$/);
  expect((await server.get("/v1/accounts", key)).status).toBe(401);
});

test("a key that replaces another lets both be good for the overlap", async () => {
  const first = await server.send("POST", "/v1/keys", admin, { name: "old" });
  const body = { name: "new", replaces: first.json["id"], overlap_seconds: 3_600 };
  const second = await server.send("POST", "/v1/keys", admin, body);
  expect(second.json["replaces"]).toBe(first.json["id"]);
  for (const key of [first.json["key"], second.json["key"]]) {
    expect((await server.get("/v1/accounts", String(key))).status).toBe(200);
  }
  const third = await server.send("POST", "/v1/keys", admin, {
    ...body,
    replaces: second.json["id"],
    overlap_seconds: 0,
  });
  expect(third.status).toBe(201);
  expect((await server.get("/v1/accounts", String(second.json["key"]))).json["code"]).toBe("key_expired");
});

test("the first key is made once, and never again", async () => {
  expect(await ensureFirstKey(database.db, randomBytes)).toBeNull();
});

test("keys are neither deleted nor changed, and a revoked one stays so", async () => {
  for (const statement of [
    "delete from tieout.api_keys",
    "truncate tieout.api_keys",
    "update tieout.api_keys set role = 'admin', scopes = '{keys:write}'",
    "update tieout.api_keys set revoked_at = null where revoked_at is not null",
  ]) {
    await expect(database.db.query(statement)).rejects.toMatchObject({ code: "23001" });
  }
});

/** Another secret with a right checksum, for an id that exists. */
async function wrongSecretFor(key: string): Promise<string> {
  const id = parseApiKey(key)?.id ?? "";
  const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  let calls = 0;
  return makeApiKey((count) =>
    calls++ === 0 ? Uint8Array.from(id, (letter) => letters.indexOf(letter)) : randomBytes(count),
  );
}

async function statusFor(authorization: string): Promise<number> {
  return (await server.get("/v1/accounts", null, { authorization })).status;
}

function basic(text: string): string {
  return `Basic ${Buffer.from(text).toString("base64")}`;
}
