import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { makeApiKey } from "../../src/core/api-key.ts";
import { everyone } from "../../src/access/access.ts";
import { createApi } from "../../src/api/app.ts";
import { listen, requestTimeoutMs } from "../../src/api/listen.ts";
import { SECOND } from "../../src/core/duration.ts";
import { uploadBytesMax } from "../../src/reconcile/statement/limits.ts";
import type { ReadinessCheck } from "../../src/api/health/readiness.ts";
import { declareAccess } from "../../src/api/route.ts";
import { secret } from "../../src/core/secret.ts";
import { openDatabase } from "../../src/store/database.ts";

test("says that it is alive without touching anything", async () => {
  const { app } = create({ readiness: [failing("database", true)] });
  const answer = await app.request("/livez");
  expect([answer.status, await answer.json()]).toEqual([200, { status: "alive" }]);
});

test.each([
  ["ready when all holds", [ok("database"), ok("queue")], 200, "ready"],
  ["not ready when something critical fails", [ok("database"), failing("queue", true)], 503, "not_ready"],
  [
    "ready when something fails that it can do without",
    [ok("database"), failing("heartbeat", false)],
    200,
    "ready",
  ],
])("is %s", async (_, readiness, status, says) => {
  const { app } = create({ readiness });
  for (const path of ["/readyz", "/healthz"]) {
    const answer = await app.request(path);
    const body = (await answer.json()) as {
      status: string;
      checks: Record<string, { state: string; reason?: string }>;
    };
    expect([answer.status, body.status]).toEqual([status, says]);
    for (const check of readiness) expect(body.checks[check.name]).toHaveProperty("duration_ms");
  }
});

test("shows its version, and measures the routes it served", async () => {
  const { app, observed } = create({});
  expect(await (await app.request("/version")).json()).toMatchObject({ version: "1.2.3" });
  await app.request("/nowhere");
  await app.request("/v1/nowhere");
  expect(observed).toEqual(["GET /version 200", "GET unknown 404", "GET unknown 404"]);
});

test("lets nobody use a route that names no scope", async () => {
  const { app } = create({});
  app.get("/forgotten", (c) => c.text("secret"));
  const answer = await app.request("/forgotten");
  expect([answer.status, await answer.json()]).toMatchObject([403, { code: "scope_missing" }]);
});

test("says that it is not ready when the database is away, and not that the key is wrong", async () => {
  const { app, log } = create({});
  const key = makeApiKey(randomBytes);
  const answer = await app.request("/v1/transactions", { headers: { authorization: `Bearer ${key}` } });
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
  expect(await answer.json()).toMatchObject({ code: "not_ready", type: "/docs/errors#not_ready" });
  expect(log.some((fields) => fields["event"] === "request_failed")).toBe(true);
});

test("answers every error as a problem document with the request's id", async () => {
  const { app, api, log } = create({});
  declareAccess(api, "get", "/boom", everyone);
  app.get("/boom", () => {
    throw new Error("select secret from canary");
  });
  const cases = [
    ["GET", "/nowhere", 404, "not_found"],
    ["POST", "/livez", 405, "method_not_allowed"],
    ["GET", "/boom", 500, "internal_error"],
  ] as const;
  for (const [method, path, status, code] of cases) {
    const answer = await app.request(path, { method, headers: { "request-id": "abc-1" } });
    const text = await answer.text();
    expect(answer.status).toBe(status);
    expect(answer.headers.get("content-type")).toBe("application/problem+json");
    expect(answer.headers.get("request-id")).toBe("made-1");
    expect(answer.headers.get("client-request-id")).toBe("abc-1");
    expect(JSON.parse(text)).toMatchObject({ status, code, instance: path, request_id: "made-1" });
    expect(text).not.toContain("canary");
  }
  expect(
    log.some((fields) => fields["event"] === "request_failed" && fields["request_id"] === "made-1"),
  ).toBe(true);
});

test("names the methods that a path takes", async () => {
  const { app } = create({});
  app.get("/things/:id", (c) => c.text("x"));
  app.delete("/things/:id", (c) => c.text("x"));
  const answer = await app.request("/things/7", { method: "PATCH" });
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, "DELETE, GET, HEAD"]);
});

test("makes the id of a request itself, and gives back the client's own beside it", async () => {
  const { app } = create({});
  for (const given of [undefined, "", "a b", "x".repeat(65), "<script>", "fine-1"]) {
    const answer = await app.request(
      "/livez",
      given === undefined ? {} : { headers: { "request-id": given } },
    );
    expect(answer.headers.get("request-id")).toBe("made-1");
    expect(answer.headers.get("client-request-id")).toBe(given === "fine-1" ? "fine-1" : null);
  }
});

test("sends headers that keep browsers from doing harm, with errors too", async () => {
  const { app } = create({});
  for (const path of ["/livez", "/nowhere"]) {
    const { headers } = await app.request(path);
    expect(headers.get("content-security-policy")).toBe("default-src 'none'; frame-ancestors 'none'");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
  }
});

test("over HTTP: says that it is starting until it is served, and refuses a taken port", async () => {
  const listening = await listen({ host: "127.0.0.1", port: 0 });
  const starting = await fetch(`${listening.url}/livez`);
  expect([starting.status, starting.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(await starting.json()).toMatchObject({ code: "not_ready" });

  listening.serve(create({}).app.fetch);
  expect((await fetch(`${listening.url}/livez`)).status).toBe(200);
  const port = Number(new URL(listening.url).port);
  await expect(listen({ host: "127.0.0.1", port })).rejects.toMatchObject({
    code: "port_taken",
    message: `port ${port} is taken: stop the program that listens there, or set PORT to another`,
  });
  await listening.close();
});

/** Nobody listens there: these tests need no database, or need it to be away. */
const nowhere = openDatabase(secret("postgres://u:p@127.0.0.1:9/none"), {
  part: "test",
  connectionsMax: 1,
  statementTimeoutMs: 1_000,
  onError: () => undefined,
});

function create({ readiness = [] }: { readiness?: ReadinessCheck[] }) {
  const observed: string[] = [];
  const log: Record<string, unknown>[] = [];
  const api = createApi({
    database: nowhere,
    now: Date.now,
    newRequestId: () => "made-1",
    version: { version: "1.2.3" },
    readiness,
    metrics: {
      observeRequest: ({ method, route, status }) => observed.push(`${method} ${route} ${status}`),
      render: async () => ({ contentType: "text/plain", body: "figures" }),
    },
    log: { info: (fields) => log.push({ ...fields }), error: (fields) => log.push({ ...fields }) },
  });
  return { app: api.app, api, observed, log };
}

function ok(name: string): ReadinessCheck {
  return { name, critical: true, run: async () => ({ figure: 1 }) };
}

function failing(name: string, critical: boolean): ReadinessCheck {
  return { name, critical, run: () => Promise.reject(new Error("away")) };
}

test("waits for the largest file over a slow line", () => {
  const seconds = (uploadBytesMax * 8) / 2_000_000;
  expect(requestTimeoutMs / SECOND).toBeGreaterThan(seconds);
});

test("keeps an idle connection for longer than proxies do, which send on it without looking", async () => {
  const server = await listen({ host: "127.0.0.1", port: 0 });
  try {
    const answer = await fetch(server.url);
    await answer.text();
    const [, seconds = "0"] = /timeout=(\d+)/.exec(answer.headers.get("keep-alive") ?? "") ?? [];
    expect(Number(seconds)).toBeGreaterThan(60);
  } finally {
    await server.close();
  }
});
