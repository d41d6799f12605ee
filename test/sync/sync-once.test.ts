import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/core/duration.ts";
import { formatInstant } from "../../src/core/instant.ts";
import { holdAccount } from "../../src/store/accounts/account-switches.ts";
import type { SyncAccount, SyncDeps } from "../../src/sync/deps.ts";
import { planAccount } from "../../src/sync/plan-account.ts";
import { syncOnce } from "../../src/sync/sync-once.ts";
import { workAccount } from "../../src/sync/work-account.ts";
import { UpstreamError, type UpstreamErrorCode } from "../../src/upstream/errors.ts";
import type { PageQuery } from "../../src/upstream/transactions.ts";
import { readWindows } from "../support/a-window.ts";
import { startHttpServer } from "../support/http-server.ts";
import { compareWithLedger, tiedOut } from "../support/ledger-oracle.ts";
import {
  aRecord,
  expectedOf,
  modelAggregator,
  type ModelOptions,
  type RawRecord,
} from "../support/model-aggregator.ts";
import { never, syncDeps } from "../support/sync-deps.ts";
import { idsOf, readPace } from "../support/sync-reads.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { addAccount, passTime, syncToEnd } from "../support/use-sync.ts";
import { wrapDatabase } from "../support/wrap-database.ts";

const database = useTestDatabase();
const advice = "correct UPSTREAM_API_SECRET or UPSTREAM_API_KEY, and start again";

async function accountOn(
  options: ModelOptions,
  { historyMs = 3 * HOUR, fingerprint = "right" } = {},
): Promise<{ account: SyncAccount; requests: PageQuery[] }> {
  const syncStartMs = Date.now() - historyMs;
  const bare = await addAccount(database.db, { url: "http://127.0.0.1:1" }, { syncStartMs });
  const upstream = modelAggregator(options);
  return {
    account: { ...bare, upstream, credentials: { fingerprint, advice } },
    requests: upstream.requests,
  };
}

const ago = (ms: number) => formatInstant(Date.now() - ms);
const some = () =>
  [1, 2, 3].map((n) => aRecord({ transactionId: `t${n}`, statusDate: ago(n * HOUR - MINUTE) }));

function failing(code: UpstreamErrorCode, details: { status?: number; retryAfterMs?: number } = {}) {
  return new UpstreamError(code, `answered ${details.status ?? "nothing"}`, {
    endpoint: "GET /transactions",
    retry: true,
    ...details,
  });
}

describe("a key that is refused", () => {
  test("ends it at once, with the variable to correct; a corrected one is tried at once", async () => {
    let right = "the right one";
    const records = some();
    const before = () => {
      if (right !== "the right one") throw failing("unauthorized", { status: 401 });
    };
    const { account, requests } = await accountOn({ records: () => records, before });
    right = "another";
    const wrong = { ...account, credentials: { fingerprint: "wrong", advice } };
    const { unfinished, coverage } = await syncToEnd(syncDeps(database.db), wrong);
    expect(unfinished).toMatchObject({ code: "refused" });
    expect(unfinished?.message).toContain("401");
    expect(unfinished?.message).toContain(advice);
    expect(coverage.gapCount).toBe(1);
    expect(requests.length).toBeLessThanOrEqual(2);
    expect(await readPace(database.db, account.id)).toMatchObject({ state: "refused" });

    right = "the right one";
    expect(await syncToEnd(syncDeps(database.db), account)).toMatchObject({ unfinished: null });
    expect(await compareWithLedger(database.db, account.id, expectedOf(records))).toEqual(tiedOut);
    expect(await readPace(database.db, account.id)).toMatchObject({ state: "active", pausedReason: null });
  });

  test("is tried at once by the next start, also when it is the same", async () => {
    let refuses = true;
    const before = () => {
      if (refuses) throw failing("forbidden", { status: 403 });
    };
    const { account, requests } = await accountOn({ records: some, before });
    expect(await syncToEnd(syncDeps(database.db), account)).toMatchObject({
      unfinished: { code: "refused" },
    });
    const asked = requests.length;
    expect(await syncToEnd(syncDeps(database.db), account)).toMatchObject({
      unfinished: { code: "refused" },
    });
    expect(requests.length).toBeGreaterThan(asked);
    refuses = false;
    expect(await syncToEnd(syncDeps(database.db), account)).toMatchObject({ unfinished: null });
  });

  test("of another process stops only that process", async () => {
    const records = some();
    const { account } = await accountOn({ records: () => records });
    const refused = modelAggregator({
      records: () => [],
      before: () => {
        throw failing("unauthorized", { status: 401 });
      },
    });
    const old: SyncAccount = { ...account, upstream: refused, credentials: { fingerprint: "old", advice } };
    // The process with the old secret takes whatever window it can get, all the time.
    const stop = new AbortController();
    const deps = syncDeps(database.db);
    const others = (async () => {
      while (!stop.signal.aborted) {
        await workAccount(deps, old, stop.signal);
        await deps.sleep(5);
      }
    })();
    expect(await syncToEnd(deps, account)).toMatchObject({ unfinished: null });
    stop.abort();
    await others;
    expect(await compareWithLedger(database.db, account.id, expectedOf(records))).toEqual(tiedOut);
    expect(refused.requests.length).toBeLessThanOrEqual(2);
  });
});

test("an account that a person paused is not read, and says so at once", async () => {
  const { account, requests } = await accountOn({ records: some });
  const author = { actor: "Ada", requestId: "r" };
  await holdAccount(database.db, { ...account, reason: "paused by Ada: month end" }, author);
  const { unfinished } = await syncToEnd(syncDeps(database.db), account);
  expect(unfinished).toMatchObject({ code: "paused" });
  expect(unfinished?.message).toContain("month end");
  expect(requests).toEqual([]);
});

test("an account that a person pauses in the middle of a window is asked for no further page", async () => {
  const records = Array.from({ length: 500 }, (_, n) =>
    aRecord({ transactionId: `T${n}`, statusDate: ago(50 * MINUTE - n * 5 * SECOND) }),
  );
  const author = { actor: "Ada", requestId: "r" };
  let asked = 0;
  const { account } = await accountOn({
    records: () => records,
    before: async () => {
      if (++asked === 4) await holdAccount(database.db, { ...account, reason: "month end" }, author);
    },
  });
  await planAccount(syncDeps(database.db), account.id);
  await workAccount(syncDeps(database.db), account, never);
  // One more at most, which was prefetched.
  expect(asked).toBeLessThanOrEqual(5);
  expect((await readWindows(database.db, account.id)).map(({ state }) => state)).toEqual(["planned"]);
});

describe("an aggregator in trouble", () => {
  test("that wants a longer wait than its patience ends it at once, with the time", async () => {
    const before = () => {
      throw failing("rate_limited", { status: 429, retryAfterMs: 10 * MINUTE });
    };
    const { account, requests } = await accountOn({ records: some, before });
    const { unfinished } = await syncToEnd(syncDeps(database.db), account);
    expect(unfinished).toMatchObject({ code: "told_to_wait" });
    expect(unfinished?.message).toMatch(/no requests before 20\d\d-.*429/);
    expect(requests.length).toBe(1);
  });

  test("that wants a short wait gets it, and nobody asks the database meanwhile", async () => {
    let refused = 0;
    const before = () => {
      if (refused++ === 0) throw failing("rate_limited", { status: 429, retryAfterMs: 2 * SECOND });
    };
    const { account } = await accountOn({ records: some, before });
    let statements = 0;
    const db = wrapDatabase(database.db, (next, text, values, name) => {
      statements++;
      return next(text, values, name);
    });
    const atWait: number[] = [];
    const sleep: SyncDeps["sleep"] = async (ms, signal) => {
      const began = statements;
      await wait(ms, undefined, signal ? { signal } : {});
      // Not that of a lease, which is kept up while a request is under way and sleeps for longer.
      if (ms > SECOND && ms <= 2 * SECOND) atWait.push(statements - began);
    };
    // One request at a time: what others asked for is kept, whoever is refused meanwhile.
    const deps = syncDeps(db, { sleep, settings: { requestsMax: 1 } });
    expect(await syncToEnd(deps, account)).toMatchObject({ unfinished: null });
    expect(atWait).toEqual([0]);
  });

  test.each([
    ["unreachable", "no answer"],
    ["server_error", "no usable answer"],
  ] as const)("that is %s is tried some times, then given up", async (code, what) => {
    const before = () => {
      throw failing(code, { status: 503 });
    };
    const { account, requests } = await accountOn({ records: some, before }, { historyMs: 30 * MINUTE });
    const said: string[] = [];
    const beganAtMs = Date.now();
    const { unfinished, coverage } = await syncOnce(syncDeps(database.db, { random: () => 0.001 }), account, {
      signal: never,
      onWait: (error) => said.push(error),
    });
    expect(unfinished).toMatchObject({ code: "unanswered" });
    const [, begins, seconds] = /^(.*) for (\d+) seconds? .*503.*check the aggregator's address/.exec(
      unfinished?.message ?? "",
    ) ?? [null, "", "999"];
    expect(begins).toBe(what);
    expect(Number(seconds)).toBeLessThanOrEqual(Math.ceil((Date.now() - beganAtMs) / 1_000));
    expect(said[0]).toContain("503");
    expect(coverage.gapCount).toBe(1);
    expect(requests.length).toBe(10);

    // The next one has all its tries again.
    await syncToEnd(syncDeps(database.db, { random: () => 0.001 }), account);
    expect(requests.length).toBeGreaterThanOrEqual(20);
  });

  test("that refuses whatever it is asked ends it with what it says, and not with the network", async () => {
    const before = () => {
      throw failing("bad_request", { status: 402 });
    };
    const { account } = await accountOn({ records: some, before }, { historyMs: 30 * MINUTE });
    const { unfinished } = await syncToEnd(syncDeps(database.db), account);
    expect(unfinished).toMatchObject({ code: "failed" });
    expect(unfinished?.message).toMatch(
      /^\d+ windows failed with bad_request \(.*answered 402\): start again/,
    );
  });

  test("that answers for all but one range: the rest is read, and the line says what is missing", async () => {
    const poisonMs = Date.now() - 90 * MINUTE;
    const records = some();
    const before = ({ from, to }: PageQuery) => {
      if (Date.parse(from ?? "") < poisonMs && poisonMs < Date.parse(to ?? ""))
        throw failing("server_error", { status: 500 });
    };
    const { account } = await accountOn({ records: () => records, before });
    const { unfinished, coverage } = await syncToEnd(syncDeps(database.db, { random: () => 0.001 }), account);
    expect(unfinished).toMatchObject({ code: "failed" });
    expect(unfinished?.message).toContain("server_error");
    expect(coverage.gapCount).toBe(1);
    expect(coverage.share).toBeGreaterThan(0);
  });
});

test("ends although the clock goes on, however short the interval is and however slow the answers are", async () => {
  const { account } = await accountOn({
    records: some,
    before: () => new Promise((resolve) => setTimeout(resolve, 40)),
  });
  const settings = { intervalMs: 10 };
  expect(await syncToEnd(syncDeps(database.db, { settings }), account)).toMatchObject({ unfinished: null });
});

describe("a second run", () => {
  test("finds what turned up late inside the lookback, and what was changed in place", async () => {
    const records = [6 * DAY, 2 * DAY, 3 * HOUR, 5 * MINUTE].map((age, n) =>
      aRecord({ transactionId: `t${n}`, statusDate: ago(age) }),
    );
    const { account } = await accountOn({ records: () => records }, { historyMs: 9 * DAY });
    await syncToEnd(syncDeps(database.db), account);
    const late = [6 * DAY, 2 * DAY, HOUR, 10 * MINUTE].map((age, n) =>
      aRecord({ transactionId: `late${n}`, statusDate: ago(age + SECOND) }),
    );
    const changed = records.map((record) => ({ ...record, country: "fr" }));
    const before = [...records];
    records.splice(0, records.length, ...changed, ...late);
    expect(await syncToEnd(syncDeps(database.db), account)).toMatchObject({ unfinished: null });
    expect(await compareWithLedger(database.db, account.id, expectedOf([...before, ...records]))).toEqual(
      tiedOut,
    );
  });

  test.each([
    ["was left in the middle", 3, 10_000],
    ["another worker is in the middle of", 3, 600_000],
  ])("begins a window that %s at its first page again", async (_, pagesBefore, leaseMs) => {
    const records = Array.from({ length: 12 }, (__, n) =>
      aRecord({ transactionId: `t${n}`, statusDate: ago((40 - n) * MINUTE) }),
    );
    const { account } = await accountOn({ records: () => records, pageSize: 2 }, { historyMs: 2 * HOUR });
    let pages = 0;
    const dying = syncDeps(database.db, {
      settings: { leaseMs },
      failpoint: (name) => {
        if (name === "page.commit.after" && ++pages === pagesBefore) throw new Error("died");
      },
    });
    await expect(syncToEnd(dying, account)).rejects.toThrow("died");
    if (leaseMs < MINUTE) await passTime(database.db, account.id);
    // Changed in place, on a page that was read.
    const [first] = records;
    if (first) records[0] = { ...first, country: "fr" };
    expect(await syncToEnd(syncDeps(database.db), account)).toMatchObject({ unfinished: null });
    const both = first ? [first, ...records] : records;
    expect(await compareWithLedger(database.db, account.id, expectedOf(both))).toEqual(tiedOut);
  });

  test("reads the lookback once, and nothing of it that the same run has read for the first time", async () => {
    const { account, requests } = await accountOn({ records: some }, { historyMs: 3 * DAY });
    await syncToEnd(syncDeps(database.db), account);
    expect(new Set((await readWindows(database.db, account.id)).map(({ kind }) => kind))).not.toContain(
      "lookback",
    );
    const before = requests.length;
    await syncToEnd(syncDeps(database.db), account);
    // A quiet account: its three days fit into one window, and nothing has happened since.
    expect(requests.length - before).toBeLessThanOrEqual(3);
  });

  test("after a busy moment asks for the quiet days before it no more often than otherwise", async () => {
    const records = some();
    const { account, requests } = await accountOn({ records: () => records }, { historyMs: 7 * DAY });
    await syncToEnd(syncDeps(database.db, { settings: { lagMs: 2 * HOUR } }), account);
    // As when the aggregator ends all unpaid orders in one go.
    const busy = ago(HOUR);
    for (let n = 0; n < 200; n++) records.unshift(aRecord({ transactionId: `busy${n}`, statusDate: busy }));
    await syncToEnd(syncDeps(database.db), account);
    const before = requests.length;
    await syncToEnd(syncDeps(database.db), account);
    expect(requests.length - before).toBeLessThan(300);
  });

  test("asks for every open transaction, fifty at a time, where a listing by creation time hides that they ended", async () => {
    const createdAt = new Map<string, string>();
    const records: RawRecord[] = Array.from({ length: 130 }, (_, n) => {
      createdAt.set(`t${n}`, ago(20 * DAY + n * MINUTE));
      return aRecord({ transactionId: `t${n}`, status: "pending", statusDate: ago(20 * DAY + n * MINUTE) });
    });
    const listedAt = ({ transactionId }: RawRecord) => createdAt.get(transactionId) ?? "";
    const { account, requests } = await accountOn(
      { records: () => records, listedAt },
      { historyMs: 30 * DAY },
    );
    await syncToEnd(syncDeps(database.db), account);
    const pending = [...records];
    records.splice(
      0,
      records.length,
      ...records.map((record) => ({ ...record, status: "completed", statusDate: ago(HOUR) })),
    );
    const before = requests.length;
    expect(await syncToEnd(syncDeps(database.db), account)).toMatchObject({ unfinished: null });
    expect(await compareWithLedger(database.db, account.id, expectedOf([...pending, ...records]))).toEqual(
      tiedOut,
    );
    const byId = requests.slice(before).filter(({ ids }) => ids !== undefined);
    expect(byId.map(({ ids }) => ids?.length)).toEqual([50, 50, 30]);
  });
});

test("a real server that is not there: it says so, and is there in the end", async () => {
  const server = await startHttpServer([{ body: { transactions: [], limit: 50 } }]);
  const { port } = server;
  await server.close();
  const account = await addAccount(database.db, server, { syncStartMs: Date.now() - HOUR });
  const said: string[] = [];
  const servers: ReturnType<typeof startHttpServer>[] = [];
  const result = await syncOnce(syncDeps(database.db), account, {
    signal: never,
    onWait: (error) => {
      said.push(error);
      if (said.length === 3) servers.push(startHttpServer([{ body: { transactions: [], limit: 50 } }], port));
    },
  });
  onTestFinished(async () => {
    for (const again of servers) await (await again).close();
  });
  expect(said[0]).toContain("ECONNREFUSED");
  expect(result).toMatchObject({ unfinished: null, coverage: { gapCount: 0 } });
  expect(await idsOf(database.db, account.id)).toEqual([]);
});
