import * as fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { createLog } from "../../src/log.ts";
import { findReport, reports } from "../../src/report/catalogue.ts";
import { parametersOf as reportParameters } from "../../src/report/parameters.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { aKey, useApi } from "./an-api.ts";
import { extensions, keepReconciled } from "./every-route.ts";
import { aRecord, anAccount, keep } from "./some-records.ts";

const database = useTestDatabase();
/** Every line, as it would be written: through the real log with its redaction. */
let lines = "";
const log = createLog({ level: "trace", destination: { write: (line: string) => void (lines += line) } });
const server = useApi(database, { log, extensions });

let admin = "";
let parametersOf: [path: string, names: string[]][] = [];

beforeAll(async () => {
  const account = await anAccount(database.db, "main");
  await keep(database.db, account, [aRecord(1), aRecord(2)]);
  await keepReconciled(database.db, { accountId: account, name: "main" });
  admin = await aKey(database.db, "admin");
  const { json } = await server.get("/openapi.json", null);
  const paths = json["paths"] as Record<
    string,
    Record<string, { parameters?: { name: string; in: string }[] }>
  >;
  parametersOf = Object.entries(paths)
    .filter(([path, methods]) => methods["get"] !== undefined && /^\/(v1|mirror)\//.test(path))
    .map(([path, methods]) => [
      path.replace(/\{\w+\}/g, "01TX0000000001"),
      (methods["get"]?.parameters ?? []).filter((one) => one.in === "query").map(({ name }) => name),
    ]);
});

const hostile = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({ maxLength: 10 }),
  fc.integer().map(String),
  fc.double().map(String),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.constantFrom(
    "' or 1=1 --",
    "\0",
    "-infinity",
    "infinity",
    "NaN",
    "now()",
    "epoch",
    "9".repeat(400),
    "1e199",
    "-1e-199",
    "0000-01-01T00:00:00Z",
    "99999999999",
    "2026-01-01",
    "0001-01-01",
    "9999-12-31",
    "%",
    "\\",
    "a,b,,c",
    "true",
    "statuses",
    "total",
    "last_changed_at",
    "UTC",
    "Europe/London",
    "eur",
    "x".repeat(5_000),
    "WzEsIi1zdGF0dXNfZGF0ZSIsIngiLCIyMDI2LTAxLTAxIDAwOjAwOjAwKzAwIiwieCIsIjEiXQ",
  ),
);

/** More with FUZZ_REQUESTS; the seed of a failure is printed. */
const requests = Number(process.env["FUZZ_REQUESTS"] ?? 500);

test(`${requests} hostile questions: no 5xx, and no SQL in any answer`, { timeout: 600_000 }, async () => {
  const statuses = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(
      fc.nat(),
      fc.array(fc.tuple(fc.nat(), hostile), { minLength: 1, maxLength: 4 }),
      async (which, pairs) => {
        const [path, names] = parametersOf[which % parametersOf.length] ?? ["", []];
        const query = new URLSearchParams();
        for (const [at, value] of pairs) query.append(names[at % (names.length || 1)] ?? "x", value);
        const headers: Record<string, string> = path.startsWith("/mirror")
          ? { authorization: admin, "x-service-secret": admin }
          : {};
        const { status, text } = await server.get(`${path}?${query.toString()}`, admin, headers);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        expect({ asked: `${path}?${query.toString()}`, failed: status >= 500 }).toMatchObject({
          failed: false,
        });
        expect(text).not.toMatch(/select .* from|tieout\.(transactions|api_keys)|syntax error|pg_/i);
      },
    ),
    { numRuns: requests },
  );
  expect(statuses.get(400)).toBeGreaterThan(0);
  expect(statuses.get(200)).toBeGreaterThan(0);
});

/** Values that come far enough to meet the report's own SQL. */
const plausible = fc.constantFrom(
  "2026-03-01",
  "2026-01",
  "2026-Q1",
  "last_month",
  "2026-03-01T00:00:00Z",
  "UTC",
  "Asia/Kathmandu",
  "main",
  "moonpay",
  "completed",
  "buy",
  "EUR",
  "de",
  "true",
  "false",
  "excel",
  "xero",
  "quickbooks",
  "plain",
  "12.50",
  "-0.000000000000000001",
  "open",
  "error",
  "account",
  "provider,account",
  "1",
);

test(
  `${requests} hostile questions to the reports: no 5xx, and no SQL in any answer`,
  { timeout: 600_000 },
  async () => {
    const statuses = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...reports.map(({ name }) => name)),
        fc.constantFrom("csv", "jsonl"),
        fc.array(fc.tuple(fc.nat(), fc.oneof(hostile, plausible, plausible)), { maxLength: 4 }),
        async (name, format, pairs) => {
          const report = findReport(name);
          const names = report ? reportParameters(report) : [];
          const query = new URLSearchParams({ partial: "true" });
          for (const [at, value] of pairs) query.set(names[at % names.length] ?? "x", value);
          const asked = `/v1/reports/${name}.${format}?${query.toString()}`;
          const { status, text } = await server.get(asked, admin);
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          expect({ asked, failed: status >= 500 }).toEqual({ asked, failed: false });
          expect(text).not.toMatch(/select .* from|tieout\.(transactions|api_keys)|syntax error|pg_/i);
        },
      ),
      { numRuns: requests },
    );
    expect(statuses.get(400)).toBeGreaterThan(0);
    expect(statuses.get(200)).toBeGreaterThan(0);
  },
);

const bodies = [
  "/v1/keys",
  "/v1/matches",
  "/v1/matches/split",
  "/v1/matches/mat_1/end",
  "/v1/discrepancies/actions",
  "/v1/discrepancies/dis_1/actions",
  "/v1/statements/stm_999/withdraw",
  "/v1/exports",
  "/v1/providers/moonpay/settings/preview",
];

/** Of nearly the right shape. */
const hostileBody = fc
  .record(
    {
      action: fc.oneof(
        fc.constantFrom("assign", "comment", "resolve", "write_off", "reopen", "investigate"),
        fc.record({ action: fc.constantFrom("assign", "resolve", "x"), owner: hostile, reason: hostile }),
      ),
      owner: hostile,
      comment: hostile,
      reason: hostile,
      line: fc.constantFrom("lin_1", "lin_99999999999999999", "po_1"),
      transaction_id: hostile,
      discrepancies: fc.array(
        fc.record({ id: fc.constantFrom("dis_1", "dis_0", "x"), version: fc.integer() }),
      ),
    },
    { requiredKeys: [] },
  )
  .map((body) => JSON.stringify(body));

test("hostile paths and bodies are refused, not failed at", async () => {
  for (const path of [
    "/v1/transactions/%00",
    "/v1/transactions/%E0%A4%A",
    "/v1/keys/%00",
    "/v1/statements/stm_%00",
    "/v1/statements/stm_99999999999999999999",
    "/v1/payouts/po_0",
    "/v1/matches/mat_9999999999999999",
    "/v1/discrepancies/dis_-1/events",
    "/v1/transactions/..%2F..",
    "//v1",
    "/v1/",
  ]) {
    expect([path, (await server.get(path, admin)).status >= 500]).toEqual([path, false]);
  }
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...bodies),
      fc.oneof(fc.json(), fc.string({ unit: "binary" }), hostileBody),
      async (path, body) => {
        const { status } = await server.send("POST", path, admin, body, { "if-match": '"1-0"' });
        expect([path, body, status < 500]).toEqual([path, body, true]);
      },
    ),
    { numRuns: 200 },
  );
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), fc.boolean(), async (bytes, afterHeader) => {
      const start = afterHeader
        ? "provider_transaction_id,status,fiat_currency,fiat_gross,effective_at\n"
        : "";
      const file = start + Buffer.from(bytes).toString("latin1");
      const headers = { "content-type": "text/csv" };
      const path = "/v1/statements/preview?provider=p";
      expect((await server.send("POST", path, admin, file, headers)).status).toBeLessThan(500);
    }),
    { numRuns: 40 },
  );
});

test("a secret in any input shows up in no log line and in no error", async () => {
  const canary = `canary${"x7".repeat(6)}`;
  const someKey = await aKey(database.db, "viewer");
  const inputs: [method: string, path: string, headers: Record<string, string>, body?: string][] = [
    ["GET", `/v1/transactions?q=${canary}`, {}],
    ["GET", `/v1/transactions/${canary}?account=${canary}`, {}],
    ["GET", "/v1/transactions", { authorization: `Bearer ${canary}` }],
    ["GET", "/v1/transactions", { authorization: `Basic ${Buffer.from(`${canary}:`).toString("base64")}` }],
    ["GET", "/mirror/transactions", { authorization: admin, "x-service-secret": canary }],
    [
      "GET",
      "/v1/transactions",
      { cookie: canary, "request-id": `${canary} ${canary}`, "user-agent": canary },
    ],
    ["POST", "/v1/keys", { "idempotency-key": canary }, `{"name":"x","secret":"${canary}"`],
    ["POST", "/v1/keys", {}, `{"name":{"a":"${canary}"}}`],
    ["GET", `/v1/transactions?cursor=${someKey}`, {}],
    ["GET", `/v1/transactions?limit=${someKey}`, {}],
    ["GET", `/v1/transactions?${someKey}=1`, {}],
  ];
  lines = "";
  for (const [method, path, headers, body] of inputs) {
    const { text } = await server.send(method, path, admin, body, headers);
    expect(text.replace(/"instance":"[^"]*"/, "")).not.toContain(canary);
    expect(text).not.toContain(someKey);
  }
  expect(lines).toContain('"event":"request"');
  for (const secret of [canary, someKey, admin]) expect(lines).not.toContain(secret);
});
