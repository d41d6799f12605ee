import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { HOUR, MINUTE } from "../../src/core/duration.ts";
import { formatInstant } from "../../src/core/instant.ts";
import { allLevels } from "../../src/core/window.ts";
import { slowDown } from "../../src/store/accounts/account-pace.ts";
import { insertWindows } from "../../src/store/windows/sync-windows.ts";
import type { SyncAccount } from "../../src/sync/deps.ts";
import { planDeepRead } from "../../src/sync/plan-account.ts";
import { workAccount } from "../../src/sync/work-account.ts";
import { UpstreamError, type UpstreamErrorCode } from "../../src/upstream/errors.ts";
import { normaliseRecord } from "../../src/upstream/normalise.ts";
import { readWindows } from "../support/a-window.ts";
import { aRecord, modelAggregator, type RawRecord } from "../support/model-aggregator.ts";
import { never, syncDeps } from "../support/sync-deps.ts";
import { findingsOf, idsOf, quarantineOf } from "../support/sync-reads.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { addAccount, passTime } from "../support/use-sync.ts";

const database = useTestDatabase();
const start = Math.floor(Date.now() / HOUR) * HOUR - 3 * HOUR;
const listEndpoint = "GET /transactions";

/** An account that has read these records, and whose server the test can change afterwards. */
async function readAccount(
  records: () => readonly RawRecord[],
  refuse: (ids: readonly string[]) => UpstreamErrorCode | null = () => null,
) {
  const upstream = modelAggregator({
    records,
    before: ({ ids }) => {
      const code = ids ? refuse(ids) : null;
      if (code !== null) throw new UpstreamError(code, "refused", { endpoint: listEndpoint });
    },
  });
  const bare = await addAccount(database.db, { url: "http://127.0.0.1:1" }, { syncStartMs: start });
  const account: SyncAccount = { ...bare, upstream };
  await insertWindows(database.db, account.id, [{ kind: "live", fromMs: start, toMs: start + HOUR }]);
  const deps = syncDeps(database.db);
  await workAccount(deps, account, never);
  const readAgain = async () => {
    await planDeepRead(deps, account.id, 1);
    await workAccount(deps, account, never);
  };
  return { account, upstream, readAgain };
}

const made = (id: string, n: number, more: object = {}) =>
  aRecord({ transactionId: id, statusDate: formatInstant(start + n), ...more });

describe("a list of ids that is refused because one of them is unknown", () => {
  // Which answer an unknown id gets is not shown; 404 and 400 are the likely refusals.
  test.each<UpstreamErrorCode>(["not_found", "bad_request"])("with %s is read id by id", async (code) => {
    let records = [made("a", 0), made("b", 1), made("c", 2)];
    const there = (id: string) => records.some(({ transactionId }) => transactionId === id);
    const { account, readAgain } = await readAccount(
      () => records,
      (ids) => (ids.every(there) ? null : code),
    );
    expect(await idsOf(database.db, account.id)).toEqual(["a", "b", "c"]);
    // One is gone, and one is listed under another time: only the first has vanished.
    records = [made("a", 0), made("c", 2 * HOUR + 2)];
    await readAgain();
    const found = await findingsOf(database.db, account.id);
    expect(found.filter((line) => line.endsWith("vanished"))).toEqual(["b vanished"]);
    const states = (await readWindows(database.db, account.id)).map(({ state }) => state);
    expect(new Set(states)).toEqual(new Set(["sealed"]));
  });
});

test("a transaction that is served, but no longer readable, has not vanished", async () => {
  let records = [made("a", 0), made("b", 1)];
  const { account, readAgain } = await readAccount(() => records);
  records = [made("a", 0), made("b", 1, { inAmount: "on request" })];
  await readAgain();
  expect(await quarantineOf(database.db, account.id)).toHaveLength(1);
  expect(await findingsOf(database.db, account.id)).toEqual([]);
  records = [made("a", 0)];
  await readAgain();
  expect(await findingsOf(database.db, account.id)).toEqual(["b vanished"]);
});

test("a transaction that is answered alone, but in no form that shows its id, has not vanished", async () => {
  let records = [made("a", 0), made("b", 1), made("c", 2)];
  const { account, upstream, readAgain } = await readAccount(
    () => records,
    () => "not_found",
  );
  records = [made("a", 0)];
  const asUsual = upstream.fetchTransaction.bind(upstream);
  // An error that comes with status 200.
  upstream.fetchTransaction = async (id) =>
    id === "b" ? normaliseRecord({ message: "temporarily unavailable" }) : asUsual(id);
  await readAgain();
  expect(await findingsOf(database.db, account.id)).toEqual(["c vanished"]);
});

// Which ids a server takes is not shown, and `..` is none that an address can hold.
test.each(["x,y", ".."])(
  "an id that cannot be asked for, such as %s, keeps no other from being read",
  async (odd) => {
    const ids = [odd, ...Array.from({ length: 120 }, (_, n) => `t${n}`)];
    let status = "pending";
    const records = () => ids.map((id, n) => made(id, n, { status, statusDate: formatInstant(start + n) }));
    const { account, upstream } = await readAccount(records, (asked) =>
      asked.includes(odd) ? "bad_request" : null,
    );
    const asUsual = upstream.fetchTransaction.bind(upstream);
    upstream.fetchTransaction = async (id) => {
      if (id === "..") throw new RangeError("transactionId is missing");
      if (id === odd) throw new UpstreamError("bad_request", "answered 400", { endpoint: listEndpoint });
      return asUsual(id);
    };
    status = "completed";
    await insertWindows(database.db, account.id, [
      { kind: "refresh", level: allLevels, fromMs: start, toMs: start + HOUR },
    ]);
    await workAccount(syncDeps(database.db), account, never);
    const open = await database.db.query<{ transaction_id: string }>(
      "select transaction_id from tieout.transactions where account_id = $1 and not is_final",
      [account.id],
    );
    expect(open).toEqual([{ transaction_id: odd }]);
    const windows = (await readWindows(database.db, account.id)).map(({ kind, state }) => `${kind} ${state}`);
    expect(windows).toContain("refresh sealed");
  },
);

test("open transactions are not asked for while the aggregator wants to be left alone", async () => {
  const open = Array.from({ length: 120 }, (_, n) => made(`t${n}`, n, { status: "pending" }));
  const { account, upstream } = await readAccount(() => open);
  await insertWindows(database.db, account.id, [
    { kind: "refresh", level: allLevels, fromMs: start, toMs: start + HOUR },
  ]);
  const asUsual = upstream.fetchPage.bind(upstream);
  upstream.fetchPage = async (query, call) => {
    const page = await asUsual(query, call);
    // Another worker has been told so meanwhile.
    await slowDown(database.db, account.id, HOUR);
    return page;
  };
  const before = upstream.requests.length;
  await workAccount(syncDeps(database.db), account, never);
  expect(upstream.requests.length - before).toBe(1);

  upstream.fetchPage = asUsual;
  await passTime(database.db, account.id);
  await workAccount(syncDeps(database.db), account, never);
  const asked = upstream.requests.slice(before).map(({ ids }) => ids?.length);
  expect(asked).toEqual([50, 50, 20]);
});

test("transactions that may have vanished are not asked for while the aggregator wants to be left alone", async () => {
  let records = Array.from({ length: 60 }, (_, n) => made(`t${n}`, n));
  const { account, upstream } = await readAccount(() => records);
  records = [];
  const asUsual = upstream.fetchPage.bind(upstream);
  upstream.fetchPage = async (query, call) => {
    const page = await asUsual(query, call);
    if (query?.ids) await slowDown(database.db, account.id, MINUTE);
    return page;
  };
  const askedAfterWaits: number[] = [];
  const deps = syncDeps(database.db, {
    sleep: async (ms, signal) => {
      if (ms <= MINUTE / 2) await wait(ms, undefined, signal ? { signal } : {});
      else askedAfterWaits.push(upstream.requests.filter(({ ids }) => ids).length);
    },
  });
  await planDeepRead(deps, account.id, 1);
  await workAccount(deps, account, never);
  expect(askedAfterWaits).toEqual([1]);
  expect(await findingsOf(database.db, account.id)).toHaveLength(60);
});
