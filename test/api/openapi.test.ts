import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { problemCodes } from "../../src/api/problem-codes.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { aKey, useApi } from "./an-api.ts";
import { extensions, keepReconciled, type ReconciledIds } from "./every-route.ts";
import { aRecord, anAccount, keep } from "./some-records.ts";
import { checkSchema, type JsonSchema } from "./check-schema.ts";

const database = useTestDatabase();
const server = useApi(database, { extensions });

interface Operation {
  operationId?: string;
  security?: object[];
  summary?: string;
  parameters?: { name: string; in: string; schema?: JsonSchema }[];
  responses: Record<
    string,
    { description: string; content?: Record<string, { schema: JsonSchema; example?: unknown }> }
  >;
}
interface OpenApi {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, JsonSchema> };
}

let document: OpenApi;
let operations: { method: string; path: string; operation: Operation }[] = [];
let admin = "";
let reconciled: ReconciledIds;

beforeAll(async () => {
  const account = await anAccount(database.db, "main");
  const raw = { reason: "not_an_object", field: null, raw: "5", rawHash: "ab".repeat(32) };
  await keep(database.db, account, [aRecord(1), aRecord(2), aRecord(1, { status: "failed" })], [raw]);
  await database.db.query(
    "insert into tieout.providers (account_id, id, last_seen_at) values ($1, 'p', now())",
    [account],
  );
  await database.db.query(
    "insert into tieout.assets (account_id, id, code, last_seen_at) values ($1, 'btc', 'btc', now())",
    [account],
  );
  reconciled = await keepReconciled(database.db, { accountId: account, name: "main" });
  admin = await aKey(database.db, "admin");
  document = JSON.parse((await server.get("/openapi.json", null)).text) as OpenApi;
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
});

test("the document is OpenAPI 3.1 and holds every route", () => {
  expect(document.openapi).toBe("3.1.0");
  const documented = operations.map(
    ({ method, path }) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ":$1")}`,
  );
  expect(documented.toSorted()).toEqual([...server.api.access.keys()].toSorted());
});

test("every operation has an id of its own, a summary, an example that fits, and its errors", () => {
  const ids = operations.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { path, operation } of operations) {
    expect(operation.summary).toMatch(/\S/);
    const [, answer] = Object.entries(operation.responses).find(([status]) => status.startsWith("2")) ?? [];
    const [content] = Object.values(answer?.content ?? {});
    expect({ path, example: content?.example }).toEqual({ path, example: expect.anything() as unknown });
    expect({
      path,
      misfits: checkSchema(document.components.schemas, content?.schema ?? {}, content?.example),
    }).toEqual({
      path,
      misfits: [],
    });
    const errors = Object.entries(operation.responses).filter(([status]) => !status.startsWith("2"));
    const types = errors.flatMap(([, error]) => Object.keys(error.content ?? {}));
    // When it is not ready, a probe answers in the same form as when it is.
    const own = "503" in operation.responses && operation.security?.length === 0 ? types.filter(isJson) : [];
    expect(new Set(types)).toEqual(new Set(["application/problem+json", ...own]));
    const expected =
      (operation.security ?? []).length > 0 ? ["401", "403", "429", "500", "503"] : ["429", "500"];
    expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(expected));
  }
});

const isJson = (type: string) => type === "application/json";

test("every parameter is described", () => {
  for (const { path, operation } of operations) {
    for (const { name, schema } of operation.parameters ?? []) {
      expect({ path, name, type: schema?.type }).toMatchObject({
        type: expect.stringMatching(/string|integer|boolean/) as string,
      });
    }
  }
});

test("every filter of a list takes the value that the document shows as its example", async () => {
  // Amounts are compared in one currency only.
  const beside: Record<string, string> = {
    in: "source_currency",
    out: "target_currency",
    value: "value_currency",
  };
  const refused: string[] = [];
  let filters = 0;
  for (const { method, path, operation } of operations) {
    if (method !== "get" || !/^\/v1\/[^{]*$/.test(path)) continue;
    for (const { name, schema } of operation.parameters ?? []) {
      const [first] = (schema?.enum ?? []) as string[];
      const example = (schema?.["example"] ?? first) as string | number | boolean | undefined;
      if (example === undefined) continue;
      filters += 1;
      const currency = beside[/^(in|out|value)(_amount)?\[/.exec(name)?.[1] ?? ""];
      const query = new URLSearchParams({ [name]: String(example), ...(currency && { [currency]: "eur" }) });
      const { status, text } = await server.get(`${path}?${query.toString()}`, admin);
      // What is to exist, such as an account, does not exist here under the name in the example.
      if (status !== 200 && !/names (no|none)\b/.test(text))
        refused.push(`${path}?${query.toString()}: ${text}`);
    }
  }
  expect(refused).toEqual([]);
  expect(filters).toBeGreaterThan(40);
});

describe("real answers fit", () => {
  const cases = [
    ["/v1/transactions?expand[]=statuses&include=total", "/v1/transactions"],
    ["/v1/transactions?sort=last_changed_at", "/v1/transactions"],
    ["/v1/transactions/01TX0000000001", "/v1/transactions/{id}"],
    ["/v1/transactions/01TX0000000001/statuses", "/v1/transactions/{id}/statuses"],
    ["/v1/transactions/01TX0000000001/story", "/v1/transactions/{id}/story"],
    ["/v1/summary?from=2026-03-01&to=2026-03-02&group_by=day,provider,status", "/v1/summary"],
    ["/v1/providers", "/v1/providers"],
    ["/v1/assets", "/v1/assets"],
    ["/v1/accounts", "/v1/accounts"],
    ["/v1/freshness", "/v1/freshness"],
    ["/v1/sync/coverage", "/v1/sync/coverage"],
    ["/v1/sync/windows", "/v1/sync/windows"],
    ["/v1/quarantine", "/v1/quarantine"],
    ["/v1/keys", "/v1/keys"],
    ["/v1/audit", "/v1/audit"],
    ["/v1/statements", "/v1/statements"],
    ["/v1/statements/{statement}", "/v1/statements/{id}"],
    ["/v1/payouts", "/v1/payouts"],
    ["/v1/payouts/{payout}", "/v1/payouts/{id}"],
    ["/v1/payouts/{payout}/lines", "/v1/payouts/{id}/lines"],
    ["/v1/matches", "/v1/matches"],
    ["/v1/matches/{match}", "/v1/matches/{id}"],
    ["/v1/discrepancies", "/v1/discrepancies"],
    ["/v1/discrepancies/{discrepancy}", "/v1/discrepancies/{id}"],
    ["/v1/discrepancies/{discrepancy}/events", "/v1/discrepancies/{id}/events"],
    ["/v1/providers/moonpay/settings", "/v1/providers/{provider}/settings"],
    ["/v1/reports", "/v1/reports"],
    ["/livez", "/livez"],
    ["/readyz", "/readyz"],
  ] as const;

  test.each(cases)("%s", async (asked, template) => {
    const path = asked.replace(/\{(\w+)\}/, (_, kind: keyof ReconciledIds) => reconciled[kind]);
    const { status, json, text } = await server.get(path, admin);
    expect([status, text.slice(0, 1)]).toEqual([200, "{"]);
    const schema = document.paths[template]?.["get"]?.responses["200"]?.content?.["application/json"]?.schema;
    expect(checkSchema(document.components.schemas, schema ?? {}, json)).toEqual([]);
    expect(json["data"]).not.toEqual([]);
  });

  test("what is answered to a write", async () => {
    const read = await server.get(`/v1/discrepancies/${reconciled.discrepancy}`, admin);
    const headers = { "if-match": String(read.headers.get("etag")) };
    const reason = "because";
    const writes = [
      [
        "/v1/discrepancies/{discrepancy}/actions",
        { action: "resolve", reason },
        "/v1/discrepancies/{id}/actions",
      ],
      [
        "/v1/discrepancies/actions",
        {
          action: { action: "reopen" },
          discrepancies: [
            { id: reconciled.discrepancy, version: 2 },
            { id: "dis_999999", version: 1 },
          ],
        },
        "/v1/discrepancies/actions",
      ],
      ["/v1/matches/{match}/end", { reason }, "/v1/matches/{id}/end"],
      ["/v1/statements/{statement}/withdraw", { reason }, "/v1/statements/{id}/withdraw"],
    ] as const;
    for (const [asked, body, template] of writes) {
      const path = asked.replace(/\{(\w+)\}/, (_, kind: keyof ReconciledIds) => reconciled[kind]);
      const { status, json } = await server.send("POST", path, admin, body, headers);
      const schema =
        document.paths[template]?.["post"]?.responses["200"]?.content?.["application/json"]?.schema;
      const misfits = checkSchema(document.components.schemas, schema ?? {}, json);
      expect({ path, status, misfits }).toEqual({ path, status: 200, misfits: [] });
    }
  });

  test.each([
    ["/v1/statements/preview", "200"],
    ["/v1/statements", "201"],
    ["/v1/statements", "200"],
  ])("what is answered to a file sent to %s (%s)", async (path, expected) => {
    const file = await readFile("test/fixtures/statements/moonpay.csv", "utf8");
    const { status, json } = await server.send("POST", path, admin, file, { "content-type": "text/csv" });
    const schema = document.paths[path]?.["post"]?.responses[expected]?.content?.["application/json"]?.schema;
    expect(checkSchema(document.components.schemas, schema ?? {}, json)).toEqual([]);
    expect(String(status)).toBe(expected);
  });

  test("an error", async () => {
    const { json } = await server.get("/v1/transactions?limit=0", admin);
    expect(
      checkSchema(document.components.schemas, document.components.schemas["Problem"] ?? {}, json),
    ).toEqual([]);
  });

  test("the check itself finds what does not fit", async () => {
    const { json } = await server.get("/v1/transactions/01TX0000000001", admin);
    const schema = document.components.schemas["Transaction"] ?? {};
    for (const wrong of [
      { ...json, in_amount: 1 },
      { ...json, surprise: 1 },
      { ...json, status: undefined },
    ]) {
      expect(checkSchema(document.components.schemas, schema, wrong)).not.toEqual([]);
    }
  });
});

describe("the pages for people", () => {
  test("show every operation without script, under a policy that permits nothing foreign", async () => {
    const { text, headers } = await server.get("/docs", null);
    for (const { operation } of operations) expect(text).toContain(`id="${operation.operationId}"`);
    expect(text).not.toContain("<script");
    expect(text).not.toMatch(/(src|href)="(https?:)?\/\//);
    expect(headers.get("content-security-policy")).toBe(
      "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect((await server.get("/docs/style.css", null)).headers.get("content-type")).toContain("text/css");
  });

  test("list every error code at the place that an error's type points to", async () => {
    const { text } = await server.get("/docs/errors", null);
    for (const code of Object.keys(problemCodes)) expect(text).toContain(`id="${code}"`);
  });
});
