import { request } from "node:http";
import { beforeAll, describe, expect, test } from "vitest";
import { useTestDatabase } from "../support/test-database.ts";
import { aKey, useApi } from "./an-api.ts";
import { anAccount } from "./some-records.ts";

const database = useTestDatabase();
const server = useApi(database);
const clock = { nowMs: Date.parse("2026-11-14T10:00:00Z") };
const strict = useApi(database, {
  now: () => clock.nowMs,
  rateLimits: {
    default: { quota: 5, windowSeconds: 60 },
    mirror: { quota: 2, windowSeconds: 60 },
    refused: { quota: 3, windowSeconds: 60 },
  },
});

let admin = "";
beforeAll(async () => {
  await anAccount(database.db, "main");
  admin = await aKey(database.db, "admin");
});

describe("a write that is sent again", () => {
  test("is done once and answered alike, without the key that was shown", async () => {
    const headers = { "idempotency-key": "once" };
    const first = await server.send("POST", "/v1/keys", admin, { name: "once" }, headers);
    const again = await server.send("POST", "/v1/keys", admin, { name: "once" }, headers);
    expect([first.status, first.headers.get("idempotent-replayed")]).toEqual([201, null]);
    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([201, "true"]);
    expect(again.json).toEqual({ ...first.json, key: null });
    expect(await countKeys("once")).toBe(1);
    const [kept] = await database.db.query<{ all: string }>(
      "select json_agg(i)::text as all from tieout.idempotency_keys as i",
    );
    expect(kept?.all).toContain("once");
    expect(kept?.all).not.toContain(String(first.json["key"]).slice(16));
  });

  test("is done once when both come at the same moment", async () => {
    const headers = { "idempotency-key": "together" };
    const send = () => server.send("POST", "/v1/keys", admin, { name: "together" }, headers);
    const answers = await Promise.all([send(), send(), send(), send()]);
    expect(await countKeys("together")).toBe(1);
    const others = answers.filter(({ status }) => status !== 201);
    expect(others.filter(({ json }) => json["code"] !== "idempotency_in_progress")).toEqual([]);
    expect(others.length).toBeLessThan(4);
  });

  test("is refused with another body, and free for another key", async () => {
    const headers = { "idempotency-key": "mine" };
    await server.send("POST", "/v1/keys", admin, { name: "mine" }, headers);
    const other = await server.send("POST", "/v1/keys", admin, { name: "other" }, headers);
    expect([other.status, other.json["code"]]).toEqual([422, "idempotency_key_reused"]);
    const someone = await aKey(database.db, "admin");
    expect((await server.send("POST", "/v1/keys", someone, { name: "theirs" }, headers)).status).toBe(201);
  });

  test("is not kept when it was refused, and forgotten after a day", async () => {
    const headers = { "idempotency-key": "later" };
    expect((await server.send("POST", "/v1/keys", admin, { nam: "later" }, headers)).status).toBe(400);
    expect((await server.send("POST", "/v1/keys", admin, { name: "later" }, headers)).status).toBe(201);
    await database.db.query(
      "update tieout.idempotency_keys set started_at = started_at - interval '25 hours'",
    );
    expect((await server.send("POST", "/v1/keys", admin, { name: "a day later" }, headers)).status).toBe(201);
  });

  test("is not done at all when its answer cannot be kept", async () => {
    await database.db.query(
      `create function public.refuse_poison() returns trigger language plpgsql as 'begin raise exception ''no room''; end';
       create trigger refuse before insert on tieout.idempotency_keys
       for each row when (new.key = 'poison') execute function public.refuse_poison()`,
    );
    const send = () =>
      server.send("POST", "/v1/keys", admin, { name: "poison" }, { "idempotency-key": "poison" });
    expect((await send()).status).toBe(500);
    expect(await countKeys("poison")).toBe(0);
    await database.db.query("drop function public.refuse_poison() cascade");
    expect((await send()).status).toBe(201);
    expect(await countKeys("poison")).toBe(1);
  });

  test("is answered in full although the client says that it has such an answer already", async () => {
    const headers = { "if-none-match": "*", "idempotency-key": "known" };
    const made = await server.send("POST", "/v1/keys", admin, { name: "known" });
    const revoke = () =>
      server.send("DELETE", `/v1/keys/${String(made.json["id"])}`, admin, undefined, headers);
    const first = await revoke();
    const again = await revoke();
    expect([first.status, first.json["id"]]).toEqual([200, made.json["id"]]);
    expect([again.status, again.json]).toEqual([200, first.json]);
  });

  test("needs a key that can be one", async () => {
    const answer = await server.send(
      "POST",
      "/v1/keys",
      admin,
      { name: "x" },
      { "idempotency-key": "x".repeat(256) },
    );
    expect([answer.status, answer.json["param"]]).toEqual([400, "Idempotency-Key"]);
  });
});

describe("a body", () => {
  test.each([
    ["{", 400, "invalid_body"],
    ["", 400, "invalid_body"],
    ["[]", 400, "invalid_body"],
    ['{"name":""}', 400, "invalid_body"],
    ['{"name":"x","role":"king"}', 400, "invalid_body"],
    ['{"name":"x","accounts":["nobody"]}', 400, "invalid_body"],
    ['{"name":"x","replaces":"key_00000000"}', 404, "not_found"],
    [`{"name":"${"x".repeat(70_000)}"}`, 413, "body_too_large"],
    ["[".repeat(100), 400, "invalid_body"],
  ])("%.30s is answered with %i %s", async (body, status, code) => {
    const answer = await server.send("POST", "/v1/keys", admin, body);
    expect([answer.status, answer.json["code"]]).toEqual([status, code]);
  });

  test("names the unknown field and the nearest known one", async () => {
    const { json } = await server.send("POST", "/v1/keys", admin, { name: "x", rol: "viewer" });
    expect(json["errors"]).toMatchObject([
      { path: "rol", message: expect.stringContaining("Did you mean role?") as string },
    ]);
  });

  test("must say that it is JSON", async () => {
    const answer = await server.send("POST", "/v1/keys", admin, "{}", { "content-type": "text/plain" });
    expect([answer.status, answer.json["code"]]).toEqual([415, "unsupported_media_type"]);
  });

  test("is cut off at its limit also when it does not say how long it is", async () => {
    const status = await sendEndlessly(`${server.url}/v1/keys`, admin);
    expect(status).toBe(413);
  });
});

describe("limits", () => {
  test("are told with every answer, count each key by itself, and end with their window", async () => {
    const [one, other] = [await aKey(database.db, "viewer"), await aKey(database.db, "viewer")];
    const left: (string | null)[] = [];
    for (let n = 0; n < 5; n++) left.push((await strict.get("/v1/accounts", one)).headers.get("ratelimit"));
    expect(left).toEqual([4, 3, 2, 1, 0].map((r) => `"default";r=${r};t=60`));
    const refused = await strict.get("/v1/accounts", one);
    expect([refused.status, refused.json["code"], refused.headers.get("retry-after")]).toEqual([
      429,
      "rate_limited",
      "60",
    ]);
    expect(refused.headers.get("ratelimit-policy")).toBe('"default";q=5;w=60');
    expect((await strict.get("/v1/accounts", other)).status).toBe(200);
    clock.nowMs += 60_000;
    expect((await strict.get("/v1/accounts", one)).status).toBe(200);
  });

  test("of the mirror are its own", async () => {
    const key = await aKey(database.db, "accountant");
    const headers = { authorization: key, "x-service-secret": key };
    const statuses: number[] = [];
    for (let n = 0; n < 3; n++)
      statuses.push((await strict.get("/mirror/transactions", null, headers)).status);
    expect(statuses).toEqual([200, 200, 429]);
    expect((await strict.get("/v1/accounts", key)).status).toBe(200);
  });

  test("slow down who tries keys, and nobody else at that address", async () => {
    clock.nowMs += 60_000;
    const good = await aKey(database.db, "viewer");
    const statuses: number[] = [];
    const left: (string | null)[] = [];
    for (let n = 0; n < 5; n++) {
      const { status, headers } = await strict.get("/v1/accounts", "wrong");
      statuses.push(status);
      left.push(headers.get("ratelimit"));
    }
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    expect(left).toEqual([2, 1, 0, 0, 0].map((r) => `"refused";r=${r};t=60`));
    expect((await strict.get("/v1/accounts", good)).status).toBe(200);
    for (let n = 0; n < 10; n++) expect((await strict.get("/livez", null)).status).toBe(200);
  });
});

test("the audit log says who made and who revoked a key, with the request's id and not the client's", async () => {
  const own = { "request-id": "req-1" };
  const made = await server.send("POST", "/v1/keys", admin, { name: "audited" }, own);
  const id = String(made.json["id"]);
  const revoked = await server.send("DELETE", `/v1/keys/${id}`, admin, undefined, own);
  const { json, text } = await server.get(`/v1/audit?subject=${id}`, admin);
  const idOf = ({ headers }: typeof made) => headers.get("request-id");
  expect(json["data"]).toMatchObject([
    { action: "key.revoked", request_id: idOf(revoked) },
    { action: "key.created", request_id: idOf(made), after: { name: "audited", role: "viewer" } },
  ]);
  expect([idOf(made), made.headers.get("client-request-id")]).toEqual(["made-1", "req-1"]);
  expect(text).not.toContain(String(made.json["key"]).slice(16));
});

async function countKeys(name: string): Promise<number> {
  const [row] = await database.db.query<{ found: number }>(
    "select count(*)::int as found from tieout.api_keys where name = $1",
    [name],
  );
  return row?.found ?? 0;
}

/** Chunks without a length, until the server has had enough. */
function sendEndlessly(url: string, key: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const sending = request(url, { method: "POST", headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
      sending.destroy();
    });
    sending.on("error", (error: NodeJS.ErrnoException) =>
      error.code === "EPIPE" ? undefined : reject(error),
    );
    for (let n = 0; n < 20; n++) sending.write("x".repeat(10_000));
  });
}
