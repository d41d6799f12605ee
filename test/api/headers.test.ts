import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { upstreamEventRoutes } from "../../src/api/upstream-events/routes.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { aKey, type Answer, useApi } from "./an-api.ts";
import { extensions, keepReconciled, type ReconciledIds } from "./every-route.ts";
import { aRecord, anAccount, keep } from "./some-records.ts";

const database = useTestDatabase();
const failing = { name: "queue", critical: true, run: () => Promise.reject(new Error("away")) };
const events = upstreamEventRoutes({
  secrets: new Map(),
  transactionOf: () => null,
  wakeSync: () => Promise.resolve(),
});
const server = useApi(database, {
  extensions: [...extensions, events],
  readiness: [failing],
  baseUrl: "https://books.example",
});
const elsewhere = useApi(database, { isOurHost: () => false });

interface Operation {
  parameters?: { name: string; in: string; required?: boolean }[];
  responses: Record<string, { headers?: Record<string, { $ref: string }>; content?: object }>;
}
interface OpenApi {
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { headers: Record<string, unknown>; securitySchemes: Record<string, { name?: string }> };
}

let document: OpenApi;
let admin = "";
let ids: ReconciledIds;

beforeAll(async () => {
  const account = await anAccount(database.db, "main");
  await keep(database.db, account, [aRecord(1)], []);
  ids = await keepReconciled(database.db, { accountId: account, name: "main" });
  admin = await aKey(database.db, "admin");
  document = JSON.parse((await server.get("/openapi.json", null)).text) as OpenApi;
});

/** What every HTTP answer has, and what is for browsers. */
const ofTheWire =
  /^(content-(type|length|security-policy)|date|connection|keep-alive|transfer-encoding|cross-origin-.*|origin-agent-cluster|referrer-policy|x-.*|vary)$/;

/** The status and headers of an answer that the document does not have. */
function notDocumented(method: string, template: string, { status, headers }: Answer): string[] {
  const response = document.paths[template]?.[method]?.responses[String(status)];
  if (response === undefined) return [`${status}`];
  const names = new Set(Object.keys(response.headers ?? {}).map((name) => name.toLowerCase()));
  return [...headers.keys()].filter((name) => !ofTheWire.test(name) && !names.has(name));
}

function takes(method: string, template: string): Record<string, boolean> {
  const given = document.paths[template]?.[method]?.parameters ?? [];
  return Object.fromEntries(
    given.filter((one) => one.in === "header").map((one) => [one.name, one.required ?? false]),
  );
}

describe("the document says", () => {
  test("where the service is, and every header that a route reads", async () => {
    expect(document.servers).toEqual([{ url: "https://books.example" }]);
    const files = await readdir("src/api", { recursive: true });
    const sources = await Promise.all(
      files.filter((name) => /\.tsx?$/.test(name)).map((name) => readFile(join("src/api", name), "utf8")),
    );
    const read = new Set(
      sources.flatMap((text) =>
        [...text.matchAll(/req\.header\("([\w-]+)"\)/g)].map(([, name]) => (name ?? "").toLowerCase()),
      ),
    );
    const documented = Object.values(document.paths)
      .flatMap((methods) => Object.values(methods))
      .flatMap(({ parameters }) => parameters ?? [])
      .filter((one) => one.in === "header")
      .map(({ name }) => name.toLowerCase());
    const schemes = Object.values(document.components.securitySchemes).map(({ name }) => name?.toLowerCase());
    const known = new Set([...documented, ...schemes]);
    // OpenAPI says these in other places, or a proxy sends them.
    const others = [
      "accept",
      "content-type",
      "content-length",
      "host",
      "x-forwarded-for",
      "x-forwarded-proto",
    ];
    expect(read).toContain("if-match");
    expect([...read].filter((name) => !known.has(name)).toSorted()).toEqual(others.toSorted());
  });

  test("which writes take If-Match, and that all take an Idempotency-Key", () => {
    expect(takes("patch", "/v1/alert-rules/{id}")).toMatchObject({ "If-Match": true });
    expect(takes("put", "/v1/accounts/{account}/settings/{name}")).toMatchObject({ "If-Match": true });
    expect(takes("post", "/v1/discrepancies/{id}/actions")).toMatchObject({ "If-Match": false });
    const writes = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods)
        .filter((method) => method !== "get" && !path.startsWith("/v1/events/"))
        .map((method) => `${method} ${path}`),
    );
    const without = writes.filter((one) => {
      const [method = "", path = ""] = one.split(" ");
      return takes(method, path)["Idempotency-Key"] !== false;
    });
    expect(without).toEqual([]);
  });

  test.each([
    ["/v1/transactions", "/v1/transactions"],
    ["/v1/transactions/01TX0000000001", "/v1/transactions/{id}"],
    ["/v1/discrepancies/{discrepancy}", "/v1/discrepancies/{id}"],
    ["/v1/providers/moonpay/settings", "/v1/providers/{provider}/settings"],
    ["/v1/reports", "/v1/reports"],
    ["/v1/keys", "/v1/keys"],
  ])("what %s answers, and that it may be unchanged", async (asked, template) => {
    const path = asked.replace(/\{(\w+)\}/, (_, kind: keyof ReconciledIds) => ids[kind]);
    const first = await server.get(path, admin, { "request-id": "mine" });
    expect([first.status, notDocumented("get", template, first)]).toEqual([200, []]);
    const again = await server.get(path, admin, { "if-none-match": first.headers.get("etag") ?? "" });
    expect([again.status, notDocumented("get", template, again)]).toEqual([304, []]);
    expect(takes("get", template)).toMatchObject({ "If-None-Match": false });
  });

  test.each([
    ["/readyz", "/readyz", 503],
    ["/v1/discrepancies.xlsx", "/v1/discrepancies.xlsx", 200],
    ["/v1/reports/transactions.csv?partial=true", "/v1/reports/{file}", 200],
    ["/v1/transactions/none", "/v1/transactions/{id}", 404],
  ])("what %s answers", async (path, template, status) => {
    const answer = await server.get(path, admin);
    expect([answer.status, notDocumented("get", template, answer)]).toEqual([status, []]);
  });

  test("what is answered without a key, to another host, and to a version that was not seen", async () => {
    const path = `/v1/discrepancies/${ids.discrepancy}/actions`;
    const body = { action: "investigate" };
    const stale = { "if-match": '"99-1"' };
    const answers = [
      [401, "get", "/v1/keys", await server.get("/v1/keys", null)],
      [421, "get", "/v1/keys", await elsewhere.get("/v1/keys", admin)],
      [428, "post", "/v1/discrepancies/{id}/actions", await server.send("POST", path, admin, body)],
      [412, "post", "/v1/discrepancies/{id}/actions", await server.send("POST", path, admin, body, stale)],
    ] as const;
    for (const [status, method, template, answer] of answers)
      expect([answer.status, notDocumented(method, template, answer)]).toEqual([status, []]);
  });
});

describe("a write that is sent again is answered with the same headers:", () => {
  const kept = ["location", "etag", "cache-control", "content-type"];
  const of = ({ status, headers }: Answer) => [status, ...kept.map((name) => headers.get(name))];

  test("an export, with its place", async () => {
    const body = { report: "transactions", parameters: { partial: "true" } };
    const send = () => server.send("POST", "/v1/exports", admin, body, { "idempotency-key": "export" });
    const [first, again] = [await send(), await send()];
    expect(first.status).toBe(202);
    expect(first.headers.get("location")).toBe(`/v1/exports/${String(first.json["id"])}`);
    expect([again.headers.get("idempotent-replayed"), of(again)]).toEqual(["true", of(first)]);
    expect(notDocumented("post", "/v1/exports", again)).toEqual([]);
  });

  test("what was changed, with a tag that its next change takes", async () => {
    const made = await server.send("POST", "/v1/alert-rules", admin, { kind: "payout_overdue" });
    const path = `/v1/alert-rules/${String(made.json["id"])}`;
    const etag = (await server.get(path, admin)).headers.get("etag") ?? "";
    const headers = { "if-match": etag, "idempotency-key": "change" };
    const change = () => server.send("PATCH", path, admin, { by_webhook: true }, headers);
    const [first, again] = [await change(), await change()];
    expect([first.status, again.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
    expect(again.headers.get("cache-control")).toBe(first.headers.get("cache-control"));
    const next = { "if-match": again.headers.get("etag") ?? "" };
    expect((await server.send("PATCH", path, admin, { by_webhook: false }, next)).status).toBe(200);
  });

  test("a key, which nobody keeps", async () => {
    const send = () =>
      server.send("POST", "/v1/keys", admin, { name: "shown once" }, { "idempotency-key": "key" });
    const [first, again] = [await send(), await send()];
    expect(first.headers.get("cache-control")).toBe("no-store");
    expect(of(again)).toEqual(of(first));
  });
});
