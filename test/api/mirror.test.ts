import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { canonicaliseJson } from "../../src/core/canonical-json.ts";
import { parseApiKey } from "../../src/core/api-key.ts";
import { startSandbox } from "../../src/sandbox/server.ts";
import type { Database } from "../../src/store/database.ts";
import { syncOnce } from "../../src/sync/sync-once.ts";
import { createUpstream } from "../../src/upstream/client.ts";
import { runConformance } from "../../src/conformance/run.ts";
import { syncDeps } from "../support/sync-deps.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { aKey, useApi } from "./an-api.ts";
import { aRecord, anAccount, instant, keep } from "./some-records.ts";

const first = useTestDatabase();
const second = useTestDatabase();
const server = useApi(first);

/** The aggregator's clock stands still, before the odd records: they are not part of a specified server. */
const nowMs = Date.parse("2026-10-28T00:00:00Z");
let key = "";

beforeAll(async () => {
  const accountId = await anAccount(first.db, "copied");
  const sandbox = await startSandbox({ port: 0, now: () => nowMs, seed: "mirror", transactions: 600 });
  try {
    const { url, apiKey, apiSecret } = sandbox;
    await sync(first.db, accountId, { baseUrl: url, apiKey, apiSecret });
  } finally {
    await sandbox.close();
  }
  const extra = canonicaliseJson('{"partnerContext":{"a":[1,2]},"fee":12345678901234567890.123456789}');
  if (extra === null) throw new Error("not JSON");
  // What the specification does not promise: microseconds, long digits, unknown words and fields, missing ones.
  await keep(first.db, accountId, [
    aRecord(1, {
      statusDate: instant("2026-11-01T00:00:00.123456Z"),
      extra,
      inAmount: null,
      country: null,
      status: "on_hold",
    }),
    aRecord(2, {
      statusDate: instant("2026-11-01T00:00:00.1Z"),
      walletAddress: 'quote " and \\ and \n and é😀',
    }),
  ]);
  key = await aKey(first.db, "accountant");
});

test("the conformance suite passes for both endpoints", async () => {
  const account = await aKey(first.db, "accountant", { name: "conformance" });
  const report = await runConformance({
    baseUrl: `${server.url}/mirror`,
    apiKey: account,
    apiSecret: parseApiKey(account)?.secret ?? "",
    allowWrites: false,
    only: ["transactions", "transaction"],
    now: () => nowMs,
  });
  const differing = report.results.filter(({ outcome }) => outcome.verdict === "differ");
  expect(differing.map(({ id, outcome }) => ({ id, outcome }))).toEqual([]);
  expect(report.counts.pass).toBeGreaterThan(40);
});

test("a second tieout syncs from the first and ends with the same rows", async () => {
  const accountId = await anAccount(second.db, "copy of the copy");
  await sync(second.db, accountId, { baseUrl: `${server.url}/mirror`, apiKey: key, apiSecret: key });
  const [ours, theirs] = [await digest(first.db), await digest(second.db)];
  expect(ours?.rows).toBeGreaterThan(1_000);
  expect(theirs).toEqual(ours);
});

describe("the shape", () => {
  test("is the aggregator's: limit, cursor, every status row as one record, exact digits", async () => {
    const { json, text, headers } = await ask("/transactions?startDateTime=2026-11-01T00:00:00Z&limit=1");
    expect(headers.get("content-type")).toContain("application/json");
    expect(json).toMatchObject({ limit: 1, cursor: expect.any(String) as string });
    const query = "startDateTime=2026-11-01T00:00:00Z&endDateTime=2026-11-01T00:00:01Z";
    const whole = await ask(`/transactions?${query}`);
    expect(Object.keys(whole.json)).toEqual(["transactions", "limit"]);
    expect(whole.json["limit"]).toBe(50);
    const dates = (whole.json["transactions"] as { statusDate: string }[]).map(
      ({ statusDate }) => statusDate,
    );
    expect(dates).toEqual(["2026-11-01T00:00:00.100Z", "2026-11-01T00:00:00.123456Z"]);
    expect(whole.text).toContain('"fee": 12345678901234567890.123456789');
    expect(whole.text).toContain('"outAmount":0.000000000000000001');
    expect(text).not.toContain("null");
  });

  test("the window is half-open, and ids select", async () => {
    const at = "2026-11-01T00:00:00.100Z";
    const bounded = (from: string, to: string) => count(`startDateTime=${from}&endDateTime=${to}`);
    expect(await bounded(at, "2026-11-01T00:00:00.101Z")).toBe(1);
    expect(await bounded("2026-11-01T00:00:00.000Z", at)).toBe(0);
    expect(await count("transactionIds=01TX0000000001,01TX0000000002,nobody")).toBe(2);
  });

  test("one transaction is its latest record, not wrapped", async () => {
    const { json } = await ask("/transactions/01TX0000000002");
    expect(json).toMatchObject({
      transactionId: "01TX0000000002",
      walletAddress: 'quote " and \\ and \n and é😀',
      inAmount: 2.25,
    });
    expect((await ask("/transactions/nobody")).status).toBe(404);
  });

  test.each([
    ["limit=51", "limit"],
    ["limit=0", "limit"],
    ["limit=2.5", "limit"],
    ["startDateTime=yesterday", "startDateTime"],
    ["startDateTime=2026-01-02T00:00:00Z&endDateTime=2026-01-01T00:00:00Z", "endDateTime"],
    [`transactionIds=${Array.from({ length: 51 }, (_, n) => n).join(",")}`, "transactionIds"],
    ["transactionIds=a,,b", "transactionIds"],
    ["cursor=nonsense", "cursor"],
  ])("refuses %s", async (query, param) => {
    const { status, json } = await ask(`/transactions?${query}`);
    expect([status, json["param"]]).toEqual([400, param]);
  });

  test("a cursor belongs to its window", async () => {
    const { json } = await ask("/transactions?limit=1&startDateTime=2026-01-01T00:00:00Z");
    const cursor = String(json["cursor"]);
    expect(
      (await ask(`/transactions?limit=5&startDateTime=2026-01-01T00:00:00Z&cursor=${cursor}`)).status,
    ).toBe(200);
    expect((await ask(`/transactions?cursor=${cursor}`)).json["code"]).toBe("cursor_mismatch");
  });
});

describe("the key, the aggregator's way", () => {
  test.each([
    [
      "key and its secret part",
      () => ({ authorization: key, "x-service-secret": parseApiKey(key)?.secret ?? "" }),
      200,
    ],
    ["key twice", () => ({ authorization: key, "x-service-secret": key }), 200],
    ["no secret", () => ({ authorization: key }), 401],
    ["an empty secret", () => ({ authorization: key, "x-service-secret": "" }), 401],
    ["a wrong secret", () => ({ authorization: key, "x-service-secret": `${key}x` }), 401],
    ["a bearer", () => ({ authorization: `Bearer ${key}`, "x-service-secret": key }), 401],
    ["the secret alone", () => ({ "x-service-secret": key }), 401],
  ])("%s", async (_, headers, status) => {
    expect((await server.get("/mirror/transactions", null, headers())).status).toBe(status);
  });

  test("stands for one account: with several, the key must be limited to one", async () => {
    const account = await anAccount(first.db, "another");
    const limited = await aKey(first.db, "accountant", { accountIds: [account] });
    const both = await aKey(first.db, "accountant", { accountIds: [account, account - 1] });
    expect((await askAs(both, "/transactions")).json["code"]).toBe("account_required");
    expect((await askAs(limited, "/transactions")).json["transactions"]).toEqual([]);
  });
});

function ask(path: string) {
  return askAs(key, path);
}

function askAs(one: string, path: string) {
  return server.get(`/mirror${path}`, null, { authorization: one, "x-service-secret": one });
}

async function count(query: string): Promise<number> {
  return ((await ask(`/transactions?${query}`)).json["transactions"] as unknown[]).length;
}

async function digest(database: Database) {
  const [row] = await database.query<{ rows: number; latest: number; bits: string; latest_bits: string }>(
    `select (select count(*)::int from tieout.transaction_statuses) as rows,
            (select count(*)::int from tieout.transactions) as latest,
            (select bit_xor(('x' || encode(record_hash, 'hex'))::bit(256))::text from tieout.transaction_statuses) as bits,
            (select bit_xor(('x' || encode(record_hash, 'hex'))::bit(256))::text from tieout.transactions) as latest_bits`,
  );
  return row;
}

async function sync(
  database: Database,
  accountId: number,
  address: { baseUrl: string; apiKey: string; apiSecret: string },
): Promise<void> {
  const upstream = createUpstream({ ...address, now: Date.now, random: Math.random, sleep: wait });
  const deps = syncDeps(database, { settings: { lookbackMs: 0 } });
  try {
    const account = { id: accountId, name: "test", upstream };
    const progress = await syncOnce(deps, account, { signal: AbortSignal.timeout(50_000) });
    if (progress.coverage.gapCount > 0) throw new Error(JSON.stringify(progress));
  } finally {
    await upstream.close();
  }
}

async function wait(ms: number): Promise<void> {
  await sleep(ms);
}
