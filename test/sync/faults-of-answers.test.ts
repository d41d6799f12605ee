import * as fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { DAY, HOUR, MINUTE } from "../../src/core/duration.ts";
import { formatInstant } from "../../src/core/instant.ts";
import { type Faults, noFaults } from "../../src/sandbox/transactions/faults.ts";
import { listWrongClocks } from "../../src/store/accounts/aggregator-clocks.ts";
import { insertWindows } from "../../src/store/windows/sync-windows.ts";
import type { SyncAccount } from "../../src/sync/deps.ts";
import { createSyncRunner, type RunnerAccount } from "../../src/sync/sync-runner.ts";
import { workAccount } from "../../src/sync/work-account.ts";
import { UpstreamError } from "../../src/upstream/errors.ts";
import { createServerClock } from "../../src/upstream/server-clock.ts";
import { readWindow, readWindows } from "../support/a-window.ts";
import { type ScriptedAnswer, startHttpServer } from "../support/http-server.ts";
import { compareWithLedger, readLedger, tiedOut } from "../support/ledger-oracle.ts";
import { aRecord, expectedOf, modelAggregator } from "../support/model-aggregator.ts";
import { type LogLine, never, syncDeps } from "../support/sync-deps.ts";
import { refuseCredentials } from "../../src/store/accounts/account-pace.ts";
import { idsOf, quarantineOf, readPace } from "../support/sync-reads.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { addAccount, openFrozenSandbox, passTime, syncToEnd } from "../support/use-sync.ts";

const database = useTestDatabase();
const start = Date.UTC(2026, 2, 1);

async function survives(faults: Partial<Faults>, client = {}, options = {}): Promise<SyncAccount> {
  const { sandbox } = await openFrozenSandbox({ transactions: 80, ...options });
  sandbox.switches.faults = { ...noFaults, ...faults };
  const account = await addAccount(database.db, sandbox, { client });
  await syncToEnd(syncDeps(database.db), account);
  expect(await compareWithLedger(database.db, account.id, await readLedger(sandbox))).toEqual(tiedOut);
  return account;
}

/** A server that gives these answers in turn, and a window to be read from it. */
async function scriptedWindow(answers: readonly ScriptedAnswer[]) {
  const server = await startHttpServer(answers);
  onTestFinished(() => server.close());
  const account = await addAccount(database.db, server, { syncStartMs: start });
  await insertWindows(database.db, account.id, [{ kind: "live", fromMs: start, toMs: start + HOUR }]);
  const [window] = await readWindows(database.db, account.id);
  return { server, account, window: () => readWindow(database.db, window?.id ?? 0) };
}

/** A worker that waits a second before it tries again: so that one call is one try. */
const patient = () => syncDeps(database.db, { random: () => 1 });

describe("fault 02: clocks disagree", () => {
  test.each([-DAY, HOUR])("the worker's is off by %d ms: the rows are the same", async (offMs) => {
    const account = await survives({}, { now: () => Date.now() + offMs });
    expect((await idsOf(database.db, account.id)).length).toBe(80);
  });

  test.each([-600, 600])("the aggregator's is off by %d s: the rows are the same", async (seconds) => {
    // All of it is an hour old: what is newer than the aggregator's clock would be read later.
    const toMs = Date.now() - HOUR;
    const account = await survives({ "skew-seconds": 3_600 + seconds }, {}, { toMs, now: () => toMs });
    expect((await idsOf(database.db, account.id)).length).toBe(80);
  });

  test("an aggregator that is behind is not asked for what is still to come there; it is said", async () => {
    const { sandbox } = await openFrozenSandbox({ transactions: 20 });
    sandbox.switches.faults = { ...noFaults, "skew-seconds": -540 };
    const account = await addAccount(database.db, sandbox);
    const lines: LogLine[] = [];
    const settings = { lagMs: 30_000 };
    await syncToEnd(syncDeps(database.db, { lines, settings }), account);
    const newestMs = async () => {
      const windows = await readWindows(database.db, account.id);
      return Math.max(...windows.filter(({ kind }) => kind === "live").map(({ toMs }) => toMs));
    };
    // A minute more, because the sandbox stands still a minute ago.
    const ageMs = Date.now() - (await newestMs());
    expect(ageMs).toBeGreaterThan(600_000 + 30_000 - 2_000);
    expect(ageMs).toBeLessThan(600_000 + 30_000 + 60_000);
    expect(lines.find(({ event }) => event === "aggregator_clock")).toMatchObject({
      level: "warn",
      account: account.name,
      effect: "live windows end that much earlier",
    });
    expect(await listWrongClocks(database.db)).toContainEqual({
      account: account.name,
      aheadMs: expect.closeTo(-600_000, -4) as number,
    });

    sandbox.switches.faults = noFaults;
    await syncToEnd(syncDeps(database.db, { settings }), account);
    await syncToEnd(syncDeps(database.db, { settings }), account);
    expect(Date.now() - (await newestMs())).toBeLessThan(30_000 + 60_000);
    expect((await listWrongClocks(database.db)).filter((each) => each.account === account.name)).toEqual([]);
  });

  test("an aggregator that is behind is not asked too early by the watchdog either", async () => {
    const { sandbox } = await openFrozenSandbox({ transactions: 20 });
    sandbox.switches.faults = { ...noFaults, "skew-seconds": -540 };
    const account = await addAccount(database.db, sandbox);
    const runner = createSyncRunner(syncDeps(database.db), [account as RunnerAccount]);
    // Nothing was ever planned: the queue has lost every wake-up.
    await runner.rescue(never);
    await runner.settle();
    const listed = (await readWindows(database.db, account.id)).filter(({ kind }) => kind !== "refresh");
    expect(Date.now() - Math.max(...listed.map(({ toMs }) => toMs))).toBeGreaterThan(600_000 - 2_000);
  });

  test("an aggregator that is ahead, or whose answers are only slow, changes nothing", async () => {
    const { sandbox } = await openFrozenSandbox({ transactions: 20 });
    sandbox.switches.faults = { ...noFaults, "skew-seconds": 600 };
    const account = await addAccount(database.db, sandbox);
    const lines: LogLine[] = [];
    await syncToEnd(syncDeps(database.db, { lines }), account);
    const windows = await readWindows(database.db, account.id);
    expect(Date.now() - Math.max(...windows.map(({ toMs }) => toMs))).toBeLessThan(60_000);
    expect(lines.find(({ event }) => event === "aggregator_clock")).toMatchObject({
      effect: "none on what is read",
    });
    // Written when the request came, and read 20 s later: the header is old, the clock is not.
    const clock = createServerClock(() => 100_000);
    clock.note({
      endpoint: "GET /transactions",
      outcome: "200",
      sentAtMs: 80_000,
      endedAtMs: 100_000,
      serverDateMs: 80_000,
    });
    expect(clock.read()).toEqual({ earliestMs: 80_000, latestMs: 101_000 });
  });
});

describe("fault 10: a broken body", () => {
  test.each<keyof Faults>(["html", "bom", "nan", "truncated"])(
    "of kind %s costs time, and no record",
    async (fault) => {
      const account = await survives({ [fault]: 0.3 });
      expect((await idsOf(database.db, account.id)).length).toBe(80);
    },
  );

  const whole = JSON.stringify({
    transactions: [1, 2, 3].map((n) =>
      aRecord({ transactionId: `t${n}`, statusDate: formatInstant(start + n) }),
    ),
    limit: 50,
    cursor: null,
  });

  test("cut at any byte commits nothing, and the next try reads it", async () => {
    const offsets = fc.sample(fc.integer({ min: 0, max: whole.length - 1 }), { numRuns: 8, seed: 7 });
    const halves = offsets.map((at): ScriptedAnswer => ({ body: whole.slice(0, at) }));
    const { account, window } = await scriptedWindow([...halves, { body: whole }]);
    for (let tries = 0; tries < halves.length; tries++) {
      await workAccount(patient(), account, never);
      expect(await window()).toMatchObject({
        pages: 0,
        error_code: "body_not_json",
      });
      await passTime(database.db, account.id);
    }
    expect(await idsOf(database.db, account.id)).toEqual([]);
    await workAccount(patient(), account, never);
    expect(await window()).toMatchObject({ state: "sealed", pages: 1, read: 3, error_code: null });
  });

  test("with status 403 is a firewall's, and does not stop the account as a refused key would", async () => {
    const page = { status: 403, headers: { "content-type": "text/html" }, body: "<h1>Access denied</h1>" };
    const { account, window } = await scriptedWindow([page, { body: whole }]);
    await workAccount(patient(), account, never);
    const { error, error_code: code } = await window();
    expect([code, error]).toEqual(["body_not_json", expect.stringContaining("answered 403 with text/html")]);
    expect(await readPace(database.db, account.id)).not.toMatchObject({ state: "refused" });
    await passTime(database.db, account.id);
    await workAccount(patient(), account, never);
    expect(await window()).toMatchObject({ state: "sealed", read: 3, error_code: null });
  });

  test("is kept in the window's error, at most its first kilobyte, whatever bytes it holds", async () => {
    const body = `<h1>\u0000 ${"x".repeat(5_000)}</h1>`;
    const { account, window } = await scriptedWindow([{ body }]);
    await workAccount(patient(), account, never);
    const { error, error_code: code } = await window();
    expect(code).toBe("body_not_json");
    expect(String(error)).toContain(String.raw`<h1>\u0000 xxx`);
    expect(String(error).length).toBeLessThan(1_300);
  });

  test("nested too deep inside a record costs the record, around the records the page", async () => {
    const deep = `${"[".repeat(40)}${"]".repeat(40)}`;
    const record = (id: string, more: string) =>
      `${JSON.stringify(aRecord({ transactionId: id, statusDate: formatInstant(start) })).slice(0, -1)}${more}}`;
    const inside = `{"transactions":[${record("good", "")},${record("bad", `,"details":${deep}`)}],"limit":50}`;
    const around = `{"transactions":[${record("good", "")}],"limit":50,"meta":${deep}}`;
    const { account, window } = await scriptedWindow([{ body: around }, { body: inside }]);
    await workAccount(patient(), account, never);
    expect(await window()).toMatchObject({ state: "planned", pages: 0, error_code: "body_unexpected" });
    await passTime(database.db, account.id);
    await workAccount(patient(), account, never);
    expect(await window()).toMatchObject({ state: "sealed", read: 2, added: 1, quarantined: 1 });
    expect(await idsOf(database.db, account.id)).toEqual(["good"]);
    expect(await quarantineOf(database.db, account.id)).toMatchObject([{ reason: "nested_too_deep" }]);
  });

  test("with a key twice counts the last, like every parser", async () => {
    const text = JSON.stringify(
      aRecord({ transactionId: "t", statusDate: formatInstant(start), inAmount: 2 }),
    );
    const doubled = text.replace('"inAmount":2', '"inAmount":1,"inAmount":2');
    const { account } = await scriptedWindow([{ body: `{"transactions":[${doubled}],"limit":50}` }]);
    await workAccount(patient(), account, never);
    const verdict = await compareWithLedger(database.db, account.id, expectedOf([JSON.parse(text)]));
    expect(verdict).toEqual(tiedOut);
  });
});

describe("fault 11: too many requests", () => {
  test.each([
    ["in seconds", () => "2"],
    ["as a date", () => new Date(Date.now() + 3_000).toUTCString()],
  ])("with Retry-After %s: nobody of the account asks before, and the pace halves", async (_, retryAfter) => {
    const asked: number[] = [];
    let refusedAt = 0;
    const server = await startHttpServer(() => {
      asked.push(performance.now());
      if (asked.length === 1) {
        refusedAt = performance.now();
        return { status: 429, headers: { "retry-after": retryAfter() } };
      }
      return { body: { transactions: [], limit: 50 } };
    });
    onTestFinished(() => server.close());
    const account = await addAccount(database.db, server, { syncStartMs: start, requestLimit: 4 });
    await insertWindows(
      database.db,
      account.id,
      [0, 1, 2, 3, 4, 5].map((n) => ({
        kind: "live",
        fromMs: start + n * HOUR,
        toMs: start + (n + 1) * HOUR,
      })),
    );
    const deps = syncDeps(database.db);
    await workAccount(deps, account, never);
    expect(await readPace(database.db, account.id)).toMatchObject({ requestLimit: 2, waits: true });
    await Promise.all([1, 2, 3, 4].map(() => workAccount(deps, account, never)));
    expect(asked.length).toBe(1);
    await syncToEnd(syncDeps(database.db, { settings: { lagMs: 400 * DAY } }), account);
    expect(asked.length).toBe(7);
    expect((asked[1] ?? 0) - refusedAt).toBeGreaterThanOrEqual(1_900);
  });

  test.each(["0", "1"])(
    "a window that is told to wait %s s each time waits longer and longer",
    async (retryAfter) => {
      const server = await startHttpServer([{ status: 429, headers: { "retry-after": retryAfter } }]);
      onTestFinished(() => server.close());
      const account = await addAccount(database.db, server, { syncStartMs: start });
      await insertWindows(database.db, account.id, [{ kind: "live", fromMs: start, toMs: start + HOUR }]);
      const lines: LogLine[] = [];
      const deps = syncDeps(database.db, { lines, random: () => 1 });
      for (let tries = 1; tries <= 5; tries++) {
        await workAccount(deps, account, never);
        await passTime(database.db, account.id);
      }
      expect(lines.map((line) => line["wait_ms"])).toEqual([1_000, 2_000, 4_000, 8_000, 16_000]);
    },
  );

  test("a storm of them ends with every record", async () => {
    const records = Array.from({ length: 120 }, (_, n) =>
      aRecord({ transactionId: `t${n}`, statusDate: formatInstant(start + n) }),
    );
    const upstream = modelAggregator({
      records: () => records,
      pageSize: 5,
      before: (_query, request) => {
        if (request % 3 !== 0)
          throw new UpstreamError("rate_limited", "answered 429", {
            endpoint: "GET /transactions",
            retry: true,
          });
      },
    });
    const account = await addAccount(database.db, { url: "http://127.0.0.1:1" }, { syncStartMs: start });
    await insertWindows(database.db, account.id, [{ kind: "live", fromMs: start, toMs: start + HOUR }]);
    const settings = { lagMs: 400 * DAY };
    await syncToEnd(syncDeps(database.db, { settings }), { ...account, upstream });
    expect(await compareWithLedger(database.db, account.id, expectedOf(records))).toEqual(tiedOut);
    expect(upstream.requests.length).toBe(3 * 24);
  });
});

describe("fault 12: server errors, resets, timeouts and slow bodies", () => {
  test("a 503 that says how long it will last keeps the whole account away, not one window", async () => {
    const server = await startHttpServer([
      { status: 503, headers: { "retry-after": "120" }, body: "<h1>Service Unavailable</h1>" },
    ]);
    onTestFinished(() => server.close());
    const account = await addAccount(database.db, server, { syncStartMs: start });
    await insertWindows(database.db, account.id, [
      { kind: "live", fromMs: start, toMs: start + HOUR },
      { kind: "live", fromMs: start + HOUR, toMs: start + 2 * HOUR },
    ]);
    await workAccount(syncDeps(database.db), account, never);
    expect(server.requests).toHaveLength(1);
    expect(await readPace(database.db, account.id)).toMatchObject({ waits: true });
  });

  test("a window that was given up counts its pages from the first one when it is read again", async () => {
    const records = [1, 2, 3].map((n) =>
      aRecord({ transactionId: `t${n}`, statusDate: formatInstant(start + n) }),
    );
    let down = true;
    const upstream = modelAggregator({
      records: () => records,
      pageSize: 1,
      before: ({ cursor }) => {
        if (down && cursor)
          throw new UpstreamError("server_error", "answered 500", { endpoint: "GET /transactions" });
      },
    });
    const account = await addAccount(database.db, { url: "http://127.0.0.1:1" }, { syncStartMs: start });
    await insertWindows(database.db, account.id, [{ kind: "live", fromMs: start, toMs: start + HOUR }]);
    for (let tries = 1; tries <= 10; tries++) {
      await workAccount(syncDeps(database.db), { ...account, upstream }, never);
      await passTime(database.db, account.id);
    }
    const [window] = await readWindows(database.db, account.id);
    expect(window).toMatchObject({ state: "failed" });
    down = false;
    await workAccount(syncDeps(database.db), { ...account, upstream }, never);
    expect(await readWindow(database.db, window?.id ?? 0)).toMatchObject({
      state: "sealed",
      pages: 3,
      read: 3,
      added: 3,
    });
  });

  test.each<[Partial<Faults>, object]>([
    [{ "5xx": 0.3 }, {}],
    [{ reset: 0.3 }, {}],
    [{ "slow-body": 0.05 }, { limits: { deadlineMs: 300 } }],
    [{ "latency-ms": 40, "5xx": 0.1, reset: 0.1 }, {}],
  ])("%j ends with every record", async (faults, client) => {
    const account = await survives(faults, client);
    expect((await idsOf(database.db, account.id)).length).toBe(80);
  });

  test.each([
    ["resetAfterBytes", [0, 1, 100, 400, 5_000, 20_000]],
    ["cutAfterBytes", [0, 1, 100, 400, 5_000, 20_000]],
    ["stallAfterBytes", [0, 400, 5_000]],
  ] as const)("%s, at %j: what was cut off is not kept, and the pace halves", async (mishap, places) => {
    const { sandbox } = await openFrozenSandbox({ transactions: 100 });
    const proxy = await startTcpProxy(sandbox.port);
    onTestFinished(() => proxy.close());
    const client = { limits: { headersTimeoutMs: 300, bodyTimeoutMs: 300 } };
    const account = await addAccount(database.db, sandbox, { url: proxy.url, client, requestLimit: 8 });
    const range = { fromMs: Date.now() - 4 * DAY, toMs: Date.now() - MINUTE };
    await insertWindows(database.db, account.id, [{ kind: "live", ...range }]);
    for (const bytes of places) {
      proxy.set({ [mishap]: bytes });
      await workAccount(syncDeps(database.db), account, never);
      await passTime(database.db, account.id);
    }
    expect((await readPace(database.db, account.id)).requestLimit).toBe(1);
    proxy.set({});
    await syncToEnd(syncDeps(database.db), account);
    expect(await compareWithLedger(database.db, account.id, await readLedger(sandbox))).toEqual(tiedOut);
  });
});

test("fault 13: an answer from before the refusal does not take it back", async () => {
  const { sandbox } = await openFrozenSandbox({ transactions: 20 });
  const plain = await addAccount(database.db, sandbox);
  const refusal = { credentials: "of another worker", reason: "answered 401", probeMs: HOUR };
  const account: SyncAccount = {
    ...plain,
    upstream: {
      ...plain.upstream,
      fetchPage: async (...args) => {
        const page = await plain.upstream.fetchPage(...args);
        await refuseCredentials(database.db, plain.id, refusal);
        return page;
      },
    },
  };
  const window = { kind: "backfill" as const, fromMs: Date.now() - 3 * DAY, toMs: Date.now() - HOUR };
  await insertWindows(database.db, account.id, [window]);
  await workAccount(syncDeps(database.db), account, never);
  expect(await readPace(database.db, account.id)).toMatchObject({
    state: "refused",
    pausedReason: "answered 401",
  });
});

test("fault 13: a refused key pauses the account, with at most one more request per worker; another account goes on", async () => {
  const { sandbox } = await openFrozenSandbox({ transactions: 400 });
  const other = await openFrozenSandbox({ transactions: 100 });
  const plain = await addAccount(database.db, sandbox);
  const outcomes: string[] = [];
  const account: SyncAccount = {
    ...plain,
    upstream: {
      ...plain.upstream,
      fetchPage: async (...args) => {
        const page = await plain.upstream.fetchPage(...args).catch((error: unknown) => {
          outcomes.push(error instanceof UpstreamError ? error.code : "other");
          throw error;
        });
        outcomes.push("page");
        return page;
      },
    },
  };
  const windows = Array.from({ length: 8 }, (_, n) => ({
    kind: "backfill" as const,
    fromMs: Date.now() - 3 * DAY - HOUR + n * 9 * HOUR,
    toMs: Date.now() - 3 * DAY - HOUR + (n + 1) * 9 * HOUR,
  }));
  await insertWindows(database.db, account.id, windows);
  sandbox.switches.faults = { ...noFaults, "revoked-after": 6 };
  const deps = syncDeps(database.db);
  const workers = [1, 2, 3, 4].map(() => workAccount(deps, account, never));
  const neighbour = await addAccount(database.db, other.sandbox);
  await syncToEnd(deps, neighbour);
  await Promise.all(workers);
  expect(await compareWithLedger(database.db, neighbour.id, await readLedger(other.sandbox))).toEqual(
    tiedOut,
  );

  const firstRefusal = outcomes.indexOf("unauthorized");
  expect(firstRefusal).toBe(6);
  expect(outcomes.slice(firstRefusal).length).toBeLessThanOrEqual(4);
  const paused = await readPace(database.db, account.id);
  expect(paused).toMatchObject({ state: "refused", waits: true });
  expect(paused.pausedReason).toContain("401");
  await Promise.all([1, 2, 3, 4].map(() => workAccount(deps, account, never)));
  expect(outcomes.slice(firstRefusal).length).toBeLessThanOrEqual(4);

  // The time of the next probe: one request, which is refused; then the key is good again.
  await passTime(database.db, account.id);
  const before = outcomes.length;
  await Promise.all([1, 2, 3, 4].map(() => workAccount(deps, account, never)));
  expect(outcomes.slice(before)).toEqual(["unauthorized"]);
  sandbox.switches.faults = noFaults;
  await passTime(database.db, account.id);
  await syncToEnd(deps, account);
  expect(await readPace(database.db, account.id)).toMatchObject({ state: "active", pausedReason: null });
  expect(await compareWithLedger(database.db, account.id, await readLedger(sandbox))).toEqual(tiedOut);
});
