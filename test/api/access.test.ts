import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { isOpen } from "../../src/access/access.ts";
import { makeApiKey, parseApiKey } from "../../src/core/api-key.ts";
import { type Scope, scopes } from "../../src/core/scopes.ts";
import { createErasureKey } from "../../src/core/erasure.ts";
import { insertApproval } from "../../src/store/people/approvals.ts";
import { revokeKey } from "../../src/store/people/api-keys.ts";
import { aPerson, everyRole } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { aKey, type Answer, useApi } from "./an-api.ts";
import { alertRequests, alertsOfAll, keepAlert } from "./alert-requests.ts";
import { aSplit, extensions, keepReconciled, open, type ReconciledIds } from "./every-route.ts";
import { aRecord, anAccount, keep } from "./some-records.ts";

const database = useTestDatabase();
const server = useApi(database, {
  extensions,
  openErasureKey: async () => createErasureKey(Buffer.alloc(32)),
});

let reconciled: ReconciledIds;

interface ARequest {
  path: string | ((ids: ReconciledIds) => string);
  method?: string;
  body?: unknown;
  type?: string;
  /** What a key of another account is answered with, where it is not the usual. */
  elsewhere?: number;
}

const post = (path: ARequest["path"], body: unknown): ARequest => ({ path, method: "POST", body });
const march = "from=2026-03-01&to=2026-03-02&partial=true";
let exportId = "";
let personOfA = 0;
let webhookId = "";
const at = "/v1/statements/";
const aProfile = { method: "POST", body: { profile: { name: "x" }, reason: "x" } } as const;
const aWebhook = { url: "https://example.com/hooks", events: ["*"] };
let feeSchedule = "";
let approvalOfA = 0;
const aLimit = { role: "accountant", currency: "EUR", amount: "50", reason: "x" };
const anErasure = { kind: "transaction", value: "01NOTHING" };
const anExport = {
  report: "transactions.v1",
  format: "csv",
  parameters: { from: "2026-03-01", to: "2026-03-02", partial: "true" },
};

/** Every route that needs a key, with a request that it answers. A route that is not here fails the first test. */
const requests: Record<string, ARequest> = {
  "GET /metrics": { path: "/metrics" },
  "GET /v1/transactions": { path: "/v1/transactions" },
  "GET /v1/transactions/:id": { path: "/v1/transactions/01TX0000000001" },
  "GET /v1/transactions/:id/statuses": { path: "/v1/transactions/01TX0000000001/statuses" },
  "GET /v1/transactions/:id/story": { path: "/v1/transactions/01TX0000000001/story" },
  "GET /v1/summary": { path: "/v1/summary?from=2026-01-01&to=2026-12-31" },
  "GET /v1/providers": { path: "/v1/providers" },
  "GET /v1/assets": { path: "/v1/assets" },
  "GET /v1/accounts": { path: "/v1/accounts" },
  "GET /v1/accounts/:account/settings/:name": {
    path: "/v1/accounts/a/settings/functional_currency",
    elsewhere: 404,
  },
  "PUT /v1/accounts/:account/settings/:name": {
    path: "/v1/accounts/a/settings/functional_currency",
    method: "PUT",
    body: { value: "EUR", reason: "x" },
    elsewhere: 404,
  },
  "GET /v1/freshness": { path: "/v1/freshness" },
  "GET /v1/sync/coverage": { path: "/v1/sync/coverage" },
  "GET /v1/sync/windows": { path: "/v1/sync/windows" },
  "GET /v1/quarantine": { path: "/v1/quarantine" },
  "GET /v1/me": { path: "/v1/me", elsewhere: 200 },
  "GET /v1/people": { path: "/v1/people" },
  "GET /v1/people/:id": { path: () => `/v1/people/per_${personOfA}` },
  "POST /v1/people": {
    path: "/v1/people",
    method: "POST",
    body: { name: "x", email: "x@example.com", roles: ["admin"], accounts: ["a"] },
    elsewhere: 400,
  },
  "PATCH /v1/people/:id": {
    path: () => `/v1/people/per_${personOfA}`,
    method: "PATCH",
    body: { roles: ["viewer"] },
  },
  "POST /v1/people/:id/suspend": post(() => `/v1/people/per_${personOfA}/suspend`, { reason: "x" }),
  "POST /v1/people/:id/resume": post(() => `/v1/people/per_${personOfA}/resume`, {}),
  "POST /v1/people/:id/link": post(() => `/v1/people/per_${personOfA}/link`, {}),
  "GET /v1/approvals": { path: "/v1/approvals" },
  "GET /v1/approvals/:id": { path: () => `/v1/approvals/apr_${approvalOfA}` },
  "POST /v1/approvals/:id/approve": post(() => `/v1/approvals/apr_${approvalOfA}/approve`, {}),
  "POST /v1/approvals/:id/reject": post(() => `/v1/approvals/apr_${approvalOfA}/reject`, { reason: "x" }),
  "GET /v1/erasures": { path: "/v1/erasures" },
  "POST /v1/erasures/preview": { ...post("/v1/erasures/preview", anErasure), elsewhere: 200 },
  // Keys without an owner propose nothing.
  "POST /v1/erasures": { ...post("/v1/erasures", { ...anErasure, reason: "x" }), elsewhere: 403 },
  "GET /v1/write-off-limits": { path: "/v1/write-off-limits" },
  "POST /v1/write-off-limits": post("/v1/write-off-limits", aLimit),
  "GET /v1/keys": { path: "/v1/keys" },
  "POST /v1/keys": {
    path: "/v1/keys",
    method: "POST",
    body: { name: "made by a test", scopes: ["keys:write"] },
  },
  "DELETE /v1/keys/:id": { path: "/v1/keys/key_00000000", method: "DELETE" },
  "GET /v1/audit": { path: "/v1/audit" },
  "GET /v1/reports": { path: "/v1/reports" },
  "GET /v1/reports/:file": { path: `/v1/reports/transactions.csv?${march}`, elsewhere: 200 },
  "GET /v1/periods": { path: "/v1/periods" },
  "GET /v1/periods/:month": { path: "/v1/periods/2020-01?account=a", elsewhere: 400 },
  "GET /v1/periods/:month/pack": { path: "/v1/periods/2020-01/pack?account=a", elsewhere: 400 },
  "POST /v1/periods/:month/prepare": {
    path: "/v1/periods/1999-01/prepare?account=a",
    method: "POST",
    body: {},
    elsewhere: 400,
  },
  "POST /v1/periods/:month/approve": {
    path: "/v1/periods/1999-01/approve?account=a",
    method: "POST",
    body: { pack_sha256: "00".repeat(32) },
    elsewhere: 400,
  },
  "POST /v1/periods/:month/reopen": {
    path: "/v1/periods/1999-01/reopen?account=a",
    method: "POST",
    body: { reason: "x" },
    elsewhere: 400,
  },
  "POST /v1/periods/:month/carry": {
    path: "/v1/periods/1999-01/carry?account=a",
    method: "POST",
    body: { owner: "x", reason: "x" },
    elsewhere: 400,
  },
  "GET /v1/exports": { path: "/v1/exports" },
  "GET /v1/exports/:id": { path: () => `/v1/exports/${exportId}` },
  "POST /v1/exports": { path: "/v1/exports", method: "POST", body: anExport, elsewhere: 202 },
  "POST /v1/exports/:id/cancel": { path: () => `/v1/exports/${exportId}/cancel`, method: "POST", body: {} },
  "GET /v1/statements": { path: "/v1/statements" },
  "GET /v1/statements/:id": { path: ({ statement }) => `/v1/statements/${statement}` },
  "GET /v1/statements/:id/rejects.csv": { path: ({ statement }) => `${at}${statement}/rejects.csv` },
  "GET /v1/statements/:id/original": { path: ({ statement }) => `${at}${statement}/original` },
  "POST /v1/statements": {
    path: "/v1/statements",
    method: "POST",
    body: "a,b\n1,2\n",
    type: "text/csv",
    elsewhere: 422,
  },
  "POST /v1/statements/preview": {
    path: "/v1/statements/preview",
    method: "POST",
    body: "a,b\n1,2\n",
    type: "text/csv",
    elsewhere: 422,
  },
  "POST /v1/statements/:id/withdraw": {
    path: "/v1/statements/stm_999999/withdraw",
    method: "POST",
    body: { reason: "x" },
  },
  "GET /v1/receipts": { path: "/v1/receipts" },
  "GET /v1/receipts/:id": { path: ({ receiptFile }) => `/v1/receipts/${receiptFile}` },
  "GET /v1/receipts/:id/original": { path: ({ receiptFile }) => `/v1/receipts/${receiptFile}/original` },
  "POST /v1/receipts": {
    path: "/v1/receipts",
    method: "POST",
    body: "a,b\n1,2\n",
    type: "text/csv",
    elsewhere: 422,
  },
  "POST /v1/receipts/preview": {
    path: "/v1/receipts/preview",
    method: "POST",
    body: "a,b\n1,2\n",
    type: "text/csv",
    elsewhere: 422,
  },
  "POST /v1/receipts/:id/withdraw": {
    path: "/v1/receipts/rcf_999999/withdraw",
    method: "POST",
    body: { reason: "x" },
  },
  "GET /v1/receipt-lines": { path: "/v1/receipt-lines" },
  "GET /v1/receipt-lines/:id": { path: ({ receiptLine }) => `/v1/receipt-lines/${receiptLine}` },
  "GET /v1/receipt-lines/:id/suggestions": {
    path: ({ receiptLine }) => `/v1/receipt-lines/${receiptLine}/suggestions`,
  },
  "POST /v1/receipt-matches": {
    path: "/v1/receipt-matches",
    method: "POST",
    body: { line: "rcl_999999", payout: "po_999999", reason: "x" },
    elsewhere: 404,
  },
  "POST /v1/receipt-matches/:id/end": {
    path: "/v1/receipt-matches/rcm_999999/end",
    method: "POST",
    body: { reason: "x" },
  },
  "GET /v1/profiles": { path: "/v1/profiles" },
  "POST /v1/profiles": { path: "/v1/profiles", ...aProfile, elsewhere: 422 },
  "POST /v1/profiles/preview": { path: "/v1/profiles/preview", ...aProfile, elsewhere: 400 },
  "GET /v1/profiles/:name": { path: "/v1/profiles/moonpay", elsewhere: 200 },
  "POST /v1/profiles/:name/retire": {
    path: "/v1/profiles/nobody/retire",
    method: "POST",
    body: { reason: "x" },
    elsewhere: 404,
  },
  "GET /v1/providers/:provider/settings": { path: "/v1/providers/moonpay/settings" },
  "PATCH /v1/providers/:provider/settings": {
    path: "/v1/providers/moonpay/settings",
    method: "PATCH",
    body: { reason: "x" },
    elsewhere: 428,
  },
  "POST /v1/providers/:provider/settings/preview": {
    path: "/v1/providers/moonpay/settings/preview",
    method: "POST",
    body: { reason: "x" },
    elsewhere: 200,
  },
  "GET /v1/fee-schedules": { path: "/v1/fee-schedules" },
  "GET /v1/fee-schedules/:id": { path: () => `/v1/fee-schedules/${feeSchedule}` },
  "POST /v1/fee-schedules": {
    path: "/v1/fee-schedules",
    method: "POST",
    body: {
      provider: "moonpay",
      valid_from: "2026-01-01T00:00:00Z",
      terms: [{ kind: "share" }],
      reason: "x",
    },
  },
  "GET /v1/rates": { path: "/v1/rates" },
  "POST /v1/rates": {
    path: "/v1/rates",
    method: "POST",
    body: { rates: [{ date: "2026-03-02", base: "EUR", quote: "USD", rate: "1.1", source: "test" }] },
  },
  "GET /v1/payouts": { path: "/v1/payouts" },
  "GET /v1/payouts/:id": { path: ({ payout }) => `/v1/payouts/${payout}` },
  "GET /v1/payouts/:id/lines": { path: ({ payout }) => `/v1/payouts/${payout}/lines` },
  "GET /v1/matches": { path: "/v1/matches" },
  "GET /v1/matches/:id": { path: ({ match }) => `/v1/matches/${match}` },
  "POST /v1/matches": {
    path: "/v1/matches",
    method: "POST",
    body: { line: "lin_999999", transaction_id: "x", reason: "x" },
    elsewhere: 404,
  },
  "POST /v1/matches/split": { path: "/v1/matches/split", method: "POST", body: aSplit, elsewhere: 404 },
  "POST /v1/matches/:id/end": { path: "/v1/matches/mat_999999/end", method: "POST", body: { reason: "x" } },
  "GET /v1/discrepancies": { path: "/v1/discrepancies" },
  "GET /v1/discrepancies.xlsx": { path: "/v1/discrepancies.xlsx" },
  "POST /v1/discrepancies/workbook": {
    path: "/v1/discrepancies/workbook",
    method: "POST",
    body: "no workbook",
    type: "application/octet-stream",
    elsewhere: 400,
  },
  "POST /v1/discrepancies/workbook/preview": {
    path: "/v1/discrepancies/workbook/preview",
    method: "POST",
    body: "no workbook",
    type: "application/octet-stream",
    elsewhere: 400,
  },
  "GET /v1/discrepancies/:id": { path: ({ discrepancy }) => `/v1/discrepancies/${discrepancy}` },
  "GET /v1/discrepancies/:id/events": {
    path: ({ discrepancy }) => `/v1/discrepancies/${discrepancy}/events`,
  },
  "POST /v1/discrepancies/:id/actions": {
    path: ({ discrepancy }) => `/v1/discrepancies/${discrepancy}/actions`,
    method: "POST",
    body: { action: "comment", comment: "x" },
  },
  "POST /v1/discrepancies/actions": {
    path: "/v1/discrepancies/actions",
    method: "POST",
    body: { action: { action: "investigate" }, discrepancies: [{ id: "dis_999999", version: 1 }] },
    elsewhere: 200,
  },
  ...alertRequests,
  "GET /v1/webhooks": { path: "/v1/webhooks" },
  "POST /v1/webhooks": { path: "/v1/webhooks", method: "POST", body: aWebhook },
  "GET /v1/webhooks/:id": { path: () => `/v1/webhooks/${webhookId}` },
  "PATCH /v1/webhooks/:id": {
    path: () => `/v1/webhooks/${webhookId}`,
    method: "PATCH",
    body: { description: "x" },
  },
  "DELETE /v1/webhooks/:id": { path: "/v1/webhooks/wh_000000000000", method: "DELETE" },
  "POST /v1/webhooks/:id/rotate": {
    path: () => `/v1/webhooks/${webhookId}/rotate`,
    method: "POST",
    body: {},
  },
  "POST /v1/webhooks/:id/test": { path: () => `/v1/webhooks/${webhookId}/test`, method: "POST", body: {} },
  "POST /v1/webhooks/:id/replay": {
    path: () => `/v1/webhooks/${webhookId}/replay`,
    method: "POST",
    body: {},
  },
  "GET /v1/webhooks/:id/deliveries": { path: () => `/v1/webhooks/${webhookId}/deliveries` },
  "GET /mirror/transactions": { path: "/mirror/transactions" },
  "GET /mirror/transactions/:transactionId": { path: "/mirror/transactions/01TX0000000001" },
};
const limitedMayNot = new Set([
  "GET /metrics",
  "GET /v1/audit",
  "POST /v1/rates",
  "POST /v1/write-off-limits",
  ...alertsOfAll,
]);

let accountA = 0;
let accountB = 0;
const keyOf = new Map<string, string>();

beforeAll(async () => {
  const { db } = database;
  accountA = await anAccount(db, "a");
  accountB = await anAccount(db, "b");
  const raw = { reason: "not_an_object", field: null, raw: "5", rawHash: "ab".repeat(32) };
  await keep(db, accountA, [aRecord(1), aRecord(2)], [raw]);
  for (const table of ["providers", "assets"]) {
    const code = table === "assets" ? ", code" : "";
    await db.query(
      `insert into tieout.${table} (account_id, id, last_seen_at${code}) values ($1, 'thing', now()${code && ", 'x'"})`,
      [accountA],
    );
  }
  reconciled = await keepReconciled(db, { accountId: accountA, name: "a" });
  keyOf.set("all", await aKey(db, "admin"));
  keyOf.set("a", await aKey(db, "admin", { accountIds: [accountA] }));
  const made = await server.send("POST", "/v1/exports", keyOf.get("a") ?? "", anExport);
  exportId = String(made.json["id"]);
  const hook = await server.send("POST", "/v1/webhooks", keyOf.get("a") ?? "", aWebhook);
  webhookId = String(hook.json["id"]);
  await keepAlert(db, accountA, (rule) => server.send("POST", "/v1/alert-rules", keyOf.get("a") ?? "", rule));
  await server.send("POST", `/v1/webhooks/${webhookId}/test`, keyOf.get("a") ?? "", {});
  const agreed = {
    provider: "moonpay",
    valid_from: "2026-01-01T00:00:00Z",
    terms: [{ kind: "share" }],
    reason: "x",
  };
  const kept = await server.send("POST", "/v1/fee-schedules", keyOf.get("a") ?? "", agreed);
  feeSchedule = String(kept.json["id"]);
  keyOf.set("b", await aKey(db, "admin", { accountIds: [accountB] }));
  // A month that someone has signed: there is a pack of it.
  await db.query("update tieout.accounts set sync_start = '2020-01-01' where id = $1", [accountA]);
  const signer = await aKey(db, "admin", { ownerId: await aPerson(db, everyRole) });
  const accepted = ["read", "read_again"].map((line) => ({ line, reason: "x" }));
  await server.send("POST", "/v1/periods/2020-01/prepare?account=a", signer, { accepted });
  personOfA = await aPerson(db, "viewer", { accountIds: [accountA] });
  await aPerson(db, "viewer", { accountIds: [accountB] });
  approvalOfA = await db.transaction((tx) =>
    insertApproval(tx, {
      kind: "erase",
      subject: "transaction 12",
      accountId: accountA,
      details: { what: "transaction", named: "x", counts: {}, closed_months: [] },
      proposedBy: personOfA,
      reason: "request 4711",
    }),
  );
  keyOf.set("expired", await aKey(db, "admin", { expiresInMs: 1 }));
  keyOf.set("revoked", await aKey(db, "admin"));
  await revokeKey(db, parseApiKey(keyOf.get("revoked") ?? "")?.id ?? "", { actor: "test" });
  keyOf.set("unknown", makeApiKey(randomBytes));
  keyOf.set("mistyped", `${keyOf.get("all")?.slice(0, -1)}!`);
});

test("the table below holds every route, and every route names who may use it", () => {
  const keyed = [...server.api.access].filter(([, access]) => !isOpen(access)).map(([route]) => route);
  expect(Object.keys(requests).toSorted()).toEqual(keyed.toSorted());
  const free = [...server.api.access].filter(([, access]) => isOpen(access)).map(([route]) => route);
  // The link of a download is signed: whoever has it needs no key.
  const signed = "GET /v1/exports/:id/download";
  expect(free.toSorted()).toEqual([...open.map((path) => `GET ${path}`), signed].toSorted());
  const mounted = server.api.app.routes.filter(({ method }) => method !== "ALL");
  const undeclared = mounted.filter(({ method, path }) => !server.api.access.has(`${method} ${path}`));
  expect(undeclared).toEqual([]);
});

test.each(open)("%s needs no key", async (path) => {
  expect((await server.get(path, null)).status).toBe(200);
});

describe.each(Object.keys(requests))("%s", (route) => {
  test.each([
    ["no key", null, "key_missing"],
    ["a mistyped key", "mistyped", "key_invalid"],
    ["an unknown key", "unknown", "key_invalid"],
    ["an expired key", "expired", "key_expired"],
    ["a revoked key", "revoked", "key_invalid"],
  ])("refuses %s", async (_, name, code) => {
    const answer = await ask(route, name === null ? null : (keyOf.get(name) ?? ""));
    expect([answer.status, answer.json["code"]]).toEqual([401, code]);
    expect(answer.headers.get("www-authenticate")).toContain("Bearer");
  });

  test("takes a key with its scopes, and refuses one that lacks any of them, by name", async () => {
    const needed = server.api.access.get(route)?.scopes ?? [];
    const enough = await ask(route, await scopedKey(needed));
    // Of people: nobody grants what they lack, whatever the route allows.
    const outcome = enough.status === 403 ? enough.json["code"] : enough.status;
    expect([200, 201, 202, 400, 404, 422, 428, "not_allowed"]).toContain(outcome);
    for (const missing of needed) {
      const others = scopes.filter((scope) => scope !== missing);
      const answer = await ask(route, await scopedKey(others));
      expect([answer.status, answer.json["code"], answer.json["scopes"]]).toEqual([
        403,
        "scope_missing",
        [missing],
      ]);
    }
  });

  test("shows a key of another account nothing of the first", async () => {
    const { status, json, text } = await ask(route, keyOf.get("b") ?? "");
    // An error repeats the path that it was asked for.
    const { instance: _path, ...shown } = json;
    expect(JSON.stringify(shown)).not.toContain("01TX000000000");
    expect(text).not.toMatch(/"account":"a"|"thing"|abababab/);
    const hidden = /:id|:transactionId/.test(route);
    const usual = limitedMayNot.has(route) ? 403 : hidden ? 404 : route.startsWith("POST") ? 201 : 200;
    expect(status).toBe(requests[route]?.elsewhere ?? usual);
    const listed = (json["data"] ?? []) as { account?: string }[];
    expect(listed.filter(({ account }) => account !== undefined && account !== "b")).toEqual([]);
  });
});

const writes = Object.keys(requests).filter((name) => !name.startsWith("GET"));

test.each(writes)("%s reads its Idempotency-Key before it does anything", async (route) => {
  const answer = await ask(route, keyOf.get("all") ?? "", { "idempotency-key": "x".repeat(256) });
  expect([answer.status, answer.json["param"]]).toEqual([400, "Idempotency-Key"]);
});

test("a key of the account sees what the other does not", async () => {
  const forLimited = (name: string) => !name.includes("keys") && !limitedMayNot.has(name);
  const reads = Object.keys(requests).filter((name) => name.startsWith("GET") && forLimited(name));
  for (const route of reads) {
    const answer = await ask(route, keyOf.get("a") ?? "");
    expect([route, answer.status]).toEqual([route, 200]);
    expect([route, answer.json["data"]]).not.toEqual([route, []]);
  }
});

test("a limited key sees and revokes only keys that are limited to its accounts", async () => {
  const listed = await server.get("/v1/keys?limit=100", keyOf.get("b") ?? "");
  const ids = (listed.json["data"] as { id: string; accounts: string[] }[]).map(({ accounts }) => accounts);
  expect(ids.length).toBeGreaterThan(0);
  for (const accounts of ids) expect(accounts).toEqual(["b"]);
  const other = `key_${parseApiKey(keyOf.get("a") ?? "")?.id}`;
  expect((await server.send("DELETE", `/v1/keys/${other}`, keyOf.get("b") ?? "", undefined)).status).toBe(
    404,
  );
});

test("a key makes no key that may do or see more than itself", async () => {
  const narrow = await scopedKey(["keys:write"]);
  const more = await server.send("POST", "/v1/keys", narrow, { name: "x", role: "admin" });
  expect([more.status, more.json["code"]]).toEqual([403, "scope_missing"]);
  const wider = await server.send("POST", "/v1/keys", keyOf.get("b") ?? "", { name: "x", accounts: ["a"] });
  expect([wider.status, wider.json["param"]]).toEqual([400, "accounts"]);
  const same = await server.send("POST", "/v1/keys", keyOf.get("b") ?? "", { name: "x" });
  expect(same.json).toMatchObject({ accounts: ["b"], role: "viewer" });
});

async function scopedKey(wanted: readonly Scope[]): Promise<string> {
  const name = wanted.join(" ");
  const key = keyOf.get(name) ?? (await aKey(database.db, "custom", { scopes: wanted }));
  keyOf.set(name, key);
  return key;
}

function ask(route: string, key: string | null, more: Record<string, string> = {}): Promise<Answer> {
  const { path: given, method = "GET", body, type } = requests[route] ?? { path: "" };
  const path = typeof given === "string" ? given : given(reconciled);
  if (!route.includes("/mirror/"))
    return server.send(
      method,
      path,
      key,
      body,
      type === undefined ? more : { "content-type": type, ...more },
    );
  const headers: Record<string, string> = key === null ? {} : { authorization: key, "x-service-secret": key };
  return server.get(path, null, headers);
}
