import { EventEmitter, once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HOUR, MINUTE, SECOND } from "../../src/core/duration.ts";
import { formatInstant } from "../../src/core/instant.ts";
import { insertWindows } from "../../src/store/windows/sync-windows.ts";
import type { Failpoint, SyncAccount } from "../../src/sync/deps.ts";
import { workAccount } from "../../src/sync/work-account.ts";
import { UpstreamError } from "../../src/upstream/errors.ts";
import { readWindow, readWindows } from "../support/a-window.ts";
import {
  compareWithLedger,
  type Expected,
  readLedger,
  tiedOut,
  type Verdict,
} from "../support/ledger-oracle.ts";
import { aRecord, expectedOf, modelAggregator } from "../support/model-aggregator.ts";
import { readRowVersions } from "../support/row-versions.ts";
import { never, syncDeps } from "../support/sync-deps.ts";
import { useTestDatabase } from "../support/test-database.ts";
import {
  addAccount,
  type FrozenSandbox,
  passTime,
  startFrozenSandbox,
  syncToEnd,
} from "../support/use-sync.ts";
import { waitFor } from "../support/wait-for.ts";

const database = useTestDatabase();
let frozen: FrozenSandbox;
let ledger: Expected;

beforeAll(async () => {
  const nowMs = Date.now();
  // Six full pages: three in each of two windows.
  frozen = await startFrozenSandbox({
    transactions: 90,
    fromMs: nowMs - 2 * HOUR,
    toMs: nowMs - 10 * MINUTE,
  });
  ledger = await readLedger(frozen.sandbox);
});
afterAll(() => frozen.sandbox.close());

/** Where a worker stops, and the first, a middle and the last time that it gets there. */
const places: readonly (readonly [Failpoint, readonly number[]])[] = [
  ["claim.before", [1, 2]],
  ["claim.after", [1, 2]],
  ["fetch.before", [1, 3, 6]],
  ["fetch.after", [1, 3, 6]],
  ["page.commit.before", [1, 3, 6]],
  ["page.commit.after", [1, 3, 6]],
  ["seal.before", [1, 2]],
  ["seal.after", [1, 2]],
  ["ack.before", [1, 2]],
];

test("there are six pages to die on", () => {
  expect(ledger.records.length).toBeGreaterThan(250);
});

describe("a worker that dies", () => {
  test.each(places)("at %s (times %j) loses nothing and doubles nothing", async (failpoint, times) => {
    const healed = await Promise.all(times.map((at) => dieAt(failpoint, at)));
    expect(healed).toEqual(times.map(() => ({ ...tiedOut, countedTwice: 0 })));
  });
});

describe("a worker that sleeps longer than its lease", () => {
  test.each(places)("at %s (times %j) writes nothing when it wakes", async (failpoint, times) => {
    const woken = await Promise.all(times.map((at) => sleepAt(failpoint, at)));
    expect(woken).toEqual(times.map(() => ({ ...tiedOut, countedTwice: 0 })));
  });
});

describe.each([
  ["a window that the server refuses for its length into halves", refusedForItsLength],
  ["a long window into parts", longList],
] as const)("a worker in the middle of splitting %s", (_, prepareSplit) => {
  const seenBy = async (accountId: number) =>
    (await readWindows(database.db, accountId)).map(({ state }) => state);
  /** Windows whose rows nobody has locked. */
  const free = (accountId: number) =>
    database.db.query("select id from tieout.sync_windows where account_id = $1 for update skip locked", [
      accountId,
    ]);

  test("dies: the window is whole again, and all of it is read", async () => {
    const { account, expected } = await prepareSplit();
    let atTheTime: unknown;
    const dying = syncDeps(database.db, {
      failpoint: async (name) => {
        if (name !== "split.inside") return;
        // Its row is locked by a change that nobody else sees: it is in the middle of the transaction.
        atTheTime = { free: await free(account.id), states: await seenBy(account.id) };
        throw new Died();
      },
    });
    await expect(workAccount(dying, account, never)).rejects.toBeInstanceOf(Died);
    expect(atTheTime).toEqual({ free: [], states: ["walking"] });
    expect(await seenBy(account.id)).toEqual(["walking"]);
    await passTime(database.db, account.id);
    await syncToEnd(syncDeps(database.db), account);
    expect(await judge(account.id, expected)).toEqual({ ...tiedOut, countedTwice: 0 });
  });

  test("sleeps: nobody sees a part of it, and nothing is lost when it wakes", async () => {
    const { account, expected } = await prepareSplit();
    const alarm = new EventEmitter();
    const woken = once(alarm, "ring");
    let asleep = false;
    const sleeping = syncDeps(database.db, {
      failpoint: async (name) => {
        if (name !== "split.inside" || asleep) return;
        asleep = true;
        await woken;
      },
      settings: { leaseMs: 100 },
    });
    const working = workAccount(sleeping, account, never);
    await waitFor("it sleeps", () => asleep);
    expect(await seenBy(account.id)).toEqual(["walking"]);
    // The row is locked, and so it is passed over, even when its lease is over.
    await wait(200);
    expect(await workAccount(syncDeps(database.db), account, never)).toBe(0);
    alarm.emit("ring");
    await working;
    await syncToEnd(syncDeps(database.db), account);
    expect(await judge(account.id, expected)).toEqual({ ...tiedOut, countedTwice: 0 });
  });
});

interface Prepared {
  readonly account: SyncAccount;
  readonly expected: Expected;
}

async function refusedForItsLength(): Promise<Prepared> {
  const fromMs = frozen.fromMs - MINUTE;
  const account = await addAccount(database.db, frozen.sandbox, { syncStartMs: fromMs });
  await insertWindows(database.db, account.id, [{ kind: "live", fromMs, toMs: frozen.toMs + SECOND }]);
  const longestMs = 40 * MINUTE;
  const { fetchPage } = account.upstream;
  const upstream: SyncAccount["upstream"] = {
    ...account.upstream,
    fetchPage: async (query, call) => {
      if (Date.parse(query?.to ?? "") - Date.parse(query?.from ?? "") > longestMs)
        throw new UpstreamError("bad_request", "answered 400", { endpoint: "GET /transactions" });
      return fetchPage(query, call);
    },
  };
  return { account: { ...account, upstream }, expected: ledger };
}

/** A list so long that it is split after some pages. */
async function longList(): Promise<Prepared> {
  const { fromMs, toMs } = frozen;
  const account = await addAccount(database.db, frozen.sandbox, { syncStartMs: fromMs });
  await insertWindows(database.db, account.id, [{ kind: "live", fromMs, toMs }]);
  const records = Array.from({ length: 400 }, (_, at) =>
    aRecord({ transactionId: `t${at}`, statusDate: formatInstant(fromMs + at * SECOND) }),
  );
  const upstream = modelAggregator({ records: () => records, pageSize: 5 });
  return { account: { ...account, upstream }, expected: expectedOf(records) };
}

class Died extends Error {}

type Healed = Verdict & { countedTwice: number };

async function dieAt(failpoint: Failpoint, at: number): Promise<Healed> {
  const { account, expected } = await prepare();
  let times = 0;
  const dying = syncDeps(database.db, {
    worker: "dying",
    failpoint: (name) => {
      if (name === failpoint && ++times === at) throw new Died();
    },
  });
  await expect(workAccount(dying, account, never)).rejects.toBeInstanceOf(Died);
  await passTime(database.db, account.id);
  await syncToEnd(syncDeps(database.db, { worker: "healer" }), account);
  return judge(account.id, expected);
}

async function sleepAt(failpoint: Failpoint, at: number): Promise<Healed> {
  const { account, expected } = await prepare();
  let times = 0;
  const alarm = new EventEmitter();
  const woken = once(alarm, "ring");
  const sleeping = syncDeps(database.db, {
    worker: "sleeper",
    failpoint: async (name) => {
      if (name === failpoint && ++times === at) await woken;
    },
  });
  const asleep = workAccount(sleeping, account, never);
  await waitFor("it sleeps", () => times >= at);
  await passTime(database.db, account.id);
  await syncToEnd(syncDeps(database.db, { worker: "healer" }), account);
  expect(await compareWithLedger(database.db, account.id, expected)).toEqual(tiedOut);
  const before = await everythingOf(account.id);
  alarm.emit("ring");
  await asleep;
  expect(await everythingOf(account.id)).toEqual(before);
  return judge(account.id, expected);
}

async function judge(accountId: number, expected: Expected): Promise<Healed> {
  const [row] = await database.db.query<{ added: number }>(
    "select sum(added)::int as added from tieout.sync_windows where account_id = $1",
    [accountId],
  );
  const verdict = await compareWithLedger(database.db, accountId, expected);
  return { ...verdict, countedTwice: (row?.added ?? 0) - expected.records.length };
}

async function prepare(): Promise<Prepared> {
  const account = await addAccount(database.db, frozen.sandbox, { syncStartMs: frozen.fromMs - MINUTE });
  const middleMs = Math.floor((frozen.fromMs + frozen.toMs) / 2);
  await insertWindows(database.db, account.id, [
    { kind: "live", fromMs: middleMs, toMs: frozen.toMs + SECOND },
    { kind: "backfill", fromMs: frozen.fromMs - MINUTE, toMs: middleMs },
  ]);
  return { account, expected: ledger };
}

async function everythingOf(accountId: number): Promise<unknown> {
  const windows = await readWindows(database.db, accountId);
  return {
    windows: await Promise.all(windows.map(({ id }) => readWindow(database.db, id))),
    rows: await readRowVersions(database.db, accountId),
  };
}
