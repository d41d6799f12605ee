import { describe, expect, onTestFinished, test } from "vitest";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/core/duration.ts";
import { formatInstant } from "../../src/core/instant.ts";
import { noFaults } from "../../src/sandbox/transactions/faults.ts";
import { listWindows } from "../../src/store/windows/sync-reads.ts";
import { insertWindows } from "../../src/store/windows/sync-windows.ts";
import type { SyncAccount } from "../../src/sync/deps.ts";
import { planAccount, planDeepRead } from "../../src/sync/plan-account.ts";
import { verify } from "../../src/sync/verify.ts";
import { workAccount } from "../../src/sync/work-account.ts";
import { readWindow, readWindows } from "../support/a-window.ts";
import { type ScriptedAnswer, startHttpServer } from "../support/http-server.ts";
import { compareWithLedger, readLedger, tiedOut } from "../support/ledger-oracle.ts";
import { aRecord, expectedOf, modelAggregator, type RawRecord } from "../support/model-aggregator.ts";
import { readRowVersions } from "../support/row-versions.ts";
import { type LogLine, never, syncDeps } from "../support/sync-deps.ts";
import { findingsOf, idsOf } from "../support/sync-reads.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { addAccount, openFrozenSandbox, passTime, syncToEnd } from "../support/use-sync.ts";

const database = useTestDatabase();
const start = Date.UTC(2026, 2, 1);

/** An account with one window, read from a list that the test holds in its hands. */
async function oneWindow(
  upstream: SyncAccount["upstream"],
  range = { fromMs: start, toMs: start + HOUR },
): Promise<SyncAccount> {
  const account = await addAccount(database.db, { url: "http://127.0.0.1:1" }, { syncStartMs: range.fromMs });
  await insertWindows(database.db, account.id, [{ kind: "live", ...range }]);
  return { ...account, upstream };
}

describe("fault 01: late records", () => {
  test("inside the lookback are found by the next rounds; older ones by the deep re-read, which lists them", async () => {
    const nowMs = Date.now();
    const at = (ageMs: number) => formatInstant(nowMs - ageMs);
    const records: RawRecord[] = [aRecord({ transactionId: "known", statusDate: at(3 * DAY) })];
    const account = await addAccount(
      database.db,
      { url: "http://127.0.0.1:1" },
      { syncStartMs: nowMs - 12 * DAY },
    );
    const reader = { ...account, upstream: modelAggregator({ records: () => records }) };
    const deps = syncDeps(database.db);
    await syncToEnd(deps, reader);

    const inside = [5 * MINUTE, 2 * HOUR, 6 * DAY].map((age, n) =>
      aRecord({ transactionId: `late ${n}`, statusDate: at(age) }),
    );
    records.push(...inside, aRecord({ transactionId: "very late", statusDate: at(10 * DAY) }));
    await planAccount(deps, account.id);
    await workAccount(deps, reader, never);
    expect(await idsOf(database.db, account.id)).toEqual(["known", "late 0", "late 1", "late 2"]);

    await planDeepRead(deps, account.id, 35);
    await workAccount(deps, reader, never);
    expect(await compareWithLedger(database.db, account.id, expectedOf(records))).toEqual(tiedOut);
    expect(await findingsOf(database.db, account.id)).toEqual(["very late appeared"]);
  });
});

test("a deep re-read of a period reads that, however long ago, and no more of it than was read before", async () => {
  const nowMs = Date.now();
  const account = await addAccount(
    database.db,
    { url: "http://127.0.0.1:1" },
    { syncStartMs: nowMs - 300 * DAY },
  );
  const records: RawRecord[] = [];
  const reader = { ...account, upstream: modelAggregator({ records: () => records }) };
  const deps = syncDeps(database.db);
  await syncToEnd(deps, reader);
  for (const age of [250, 200, 2])
    records.push(aRecord({ transactionId: `${age} days`, statusDate: formatInstant(nowMs - age * DAY) }));
  const asked = { fromMs: nowMs - 210 * DAY, toMs: nowMs - 190 * DAY };
  expect(await planDeepRead(deps, account.id, 90, asked)).toMatchObject({ range: asked });
  await workAccount(deps, reader, never);
  expect(await findingsOf(database.db, account.id)).toEqual(["200 days appeared"]);
  const earlier = { fromMs: nowMs - 400 * DAY, toMs: nowMs - 290 * DAY };
  expect(await planDeepRead(deps, account.id, 90, earlier)).toMatchObject({
    range: { fromMs: nowMs - 300 * DAY, toMs: earlier.toMs },
  });
});

describe("fault 03: equal times on a window edge", () => {
  test.each([
    [true, true],
    [true, false],
    [false, true],
    [false, false],
  ])("start inclusive %s, end inclusive %s: each is kept once", async (startInclusive, endInclusive) => {
    const edges = [0, 1, 2, 3].map((n) => start + n * MINUTE);
    const records = edges.flatMap((edgeMs) =>
      [-1, 0, 1].flatMap((offMs) =>
        Array.from({ length: 7 }, (_, n) =>
          aRecord({ transactionId: `${edgeMs} ${offMs} ${n}`, statusDate: formatInstant(edgeMs + offMs) }),
        ),
      ),
    );
    const upstream = modelAggregator({ records: () => records, startInclusive, endInclusive, pageSize: 5 });
    const account = await oneWindow(upstream, { fromMs: start - MINUTE, toMs: start });
    await insertWindows(
      database.db,
      account.id,
      edges.map((fromMs) => ({ kind: "live", fromMs, toMs: fromMs + MINUTE })),
    );
    await workAccount(syncDeps(database.db), account, never);
    expect(await compareWithLedger(database.db, account.id, expectedOf(records))).toEqual(tiedOut);
  });
});

test("a window that begins with the first time that can be written is read", async () => {
  const fromMs = Date.parse("0001-01-01T00:00:00Z");
  const upstream = modelAggregator({
    records: () => [aRecord({ transactionId: "first", statusDate: "0001-01-01T00:00:00.000Z" })],
  });
  const account = await oneWindow(upstream, { fromMs, toMs: fromMs + HOUR });
  await workAccount(syncDeps(database.db), account, never);
  expect(await idsOf(database.db, account.id)).toEqual(["first"]);
  expect((await readWindows(database.db, account.id)).map(({ state }) => state)).toEqual(["sealed"]);
});

test("fault 05: records that appear while we page are found by a re-read, and listed", async () => {
  const frozen = await openFrozenSandbox();
  frozen.sandbox.switches.faults = { ...noFaults, drift: 0.3, "churn-seconds": 30 };
  const account = await addAccount(database.db, frozen.sandbox);
  const failpoint = (name: string) => {
    if (name === "fetch.before" && frozen.clock.nowMs < frozen.toMs + 30 * SECOND)
      frozen.clock.nowMs += SECOND;
  };
  const deps = syncDeps(database.db, { failpoint });
  await syncToEnd(deps, account);
  const before = new Set(await idsOf(database.db, account.id));
  frozen.clock.nowMs = frozen.toMs + 30 * SECOND;
  await planDeepRead(deps, account.id, 7);
  await workAccount(deps, account, never);
  const expected = await readLedger(frozen.sandbox);
  expect(await compareWithLedger(database.db, account.id, expected)).toEqual(tiedOut);
  const found = await findingsOf(database.db, account.id);
  const missed = new Set(
    expected.records.map(({ transactionId }) => transactionId).filter((id) => !before.has(id)),
  );
  expect(found.filter((line) => line.endsWith("appeared")).length).toBe(missed.size);
  expect(found.length).toBeGreaterThan(10);
});

describe("fault 05: a listing that is read again", () => {
  async function readOnce(records: () => RawRecord[]) {
    const account = await addAccount(database.db, { url: "http://127.0.0.1:1" }, { syncStartMs: start });
    await insertWindows(database.db, account.id, [{ kind: "live", fromMs: start, toMs: start + HOUR }]);
    const reader = { ...account, upstream: modelAggregator({ records }) };
    const lines: LogLine[] = [];
    const deps = syncDeps(database.db, { lines });
    await workAccount(deps, reader, never);
    const readAgain = async () => {
      await planDeepRead(deps, account.id, 400);
      await workAccount(deps, reader, never);
      const windows = await readWindows(database.db, account.id);
      const deep = windows.filter(({ kind }) => kind === "deep").toSorted((a, b) => a.id - b.id);
      return Promise.all(
        deep.map(async ({ id, state }) => ({ ...(await readWindow(database.db, id)), id, state })),
      );
    };
    return { account, readAgain, lines };
  }
  const known = aRecord({ transactionId: "known", statusDate: formatInstant(start) });

  test("and agrees is read no more; one that differs is read until two agree", async () => {
    const records = [known];
    const { readAgain } = await readOnce(() => records);
    expect(await readAgain()).toMatchObject([{ added: 0, error_code: null }]);
    records.push(aRecord({ transactionId: "late", statusDate: formatInstant(start + 1) }));
    expect(await readAgain()).toMatchObject([{ added: 0 }, { added: 1 }, { added: 0, error_code: null }]);
    expect((await verify(database.db)).mismatches).toEqual([]);
  });

  test("and differs five times in a row is reported as unstable, until it comes to rest", async () => {
    let readings = 0;
    let moving = true;
    const { account, readAgain, lines } = await readOnce(() => [
      known,
      aRecord({
        transactionId: "moving",
        statusDate: formatInstant(start),
        inAmount: moving ? ++readings : readings,
      }),
    ]);
    const unstable = await readAgain();
    expect(unstable.map((each) => [each.state, (each as Record<string, unknown>)["error_code"]])).toEqual([
      ...Array.from({ length: 4 }, () => ["sealed", null]),
      ["sealed", "unstable"],
    ]);
    expect(lines.filter(({ event }) => event === "listing_unstable")).toMatchObject([
      { level: "warn", account: account.name, window_id: unstable.at(-1)?.id },
    ]);
    const reader = { database: database.db, accountIds: [account.id] };
    const { rows } = await listWindows(reader, { kind: ["deep"] }, { limit: 1, after: null });
    expect(rows).toMatchObject([{ state: "sealed", errorCode: "unstable" }]);
    const said = "read 5 times in a row, and each time the aggregator listed something else";
    expect((await verify(database.db)).mismatches).toEqual([
      { subject: `window ${unstable.at(-1)?.id}`, problem: said },
    ]);

    moving = false;
    expect(await readAgain()).toHaveLength(6);
    expect((await verify(database.db)).mismatches).toEqual([]);
  });
});

describe("fault 06: the end of a listing", () => {
  const page = (count: number, from: number, cursor?: string | null): ScriptedAnswer => ({
    body: { transactions: recordsFrom(from, count), limit: 50, ...(cursor === undefined ? {} : { cursor }) },
  });

  test.each<[string, Record<string, ScriptedAnswer>, string, number]>([
    ["an absent cursor", { "": page(50, 0, "a"), a: page(20, 50) }, "absent", 70],
    ["a cursor of null", { "": page(50, 0, "a"), a: page(20, 50, null) }, "absent", 70],
    ["an empty cursor", { "": page(50, 0, "a"), a: page(20, 50, "") }, "absent", 70],
    ["an empty page that echoes its cursor", { "": page(50, 0, "a"), a: page(0, 50, "a") }, "empty_echo", 50],
    [
      "not an empty page with another cursor",
      { "": page(50, 0, "a"), a: page(0, 50, "b"), b: page(9, 50) },
      "absent",
      59,
    ],
    ["not a short page with a cursor", { "": page(3, 0, "a"), a: page(50, 3) }, "absent", 53],
    ["a full page without a cursor", { "": page(50, 0, "a"), a: page(50, 50) }, "absent", 100],
  ])("is %s", async (_, answers, endedBy, count) => {
    const { account, windowId } = await scriptedWindow(answers);
    await workAccount(syncDeps(database.db), account, never);
    expect(await readWindow(database.db, windowId)).toMatchObject({
      state: "sealed",
      ended_by: endedBy,
      read: count,
    });
    expect(await idsOf(database.db, account.id)).toHaveLength(count);
  });
});

test("fault 08: records that come again, in a page and across pages, are kept once and touch nothing", async () => {
  const frozen = await openFrozenSandbox();
  frozen.sandbox.switches.faults = { ...noFaults, duplicates: 0.6 };
  const account = await addAccount(database.db, frozen.sandbox);
  const { windows } = await syncToEnd(syncDeps(database.db), account);
  const expected = await readLedger(frozen.sandbox);
  expect(await compareWithLedger(database.db, account.id, expected)).toEqual(tiedOut);
  expect(windows.added).toBe(expected.records.length);
  expect(windows.read).toBeGreaterThan(windows.added);
  const versions = await readRowVersions(database.db, account.id);
  await planDeepRead(syncDeps(database.db), account.id, 7);
  await workAccount(syncDeps(database.db), account, never);
  expect(await readRowVersions(database.db, account.id)).toEqual(versions);
  expect(await findingsOf(database.db, account.id)).toEqual([]);
});

test("fault 09: a page with more records than asked for is accepted, one with fifty times as many fails the window", async () => {
  const frozen = await openFrozenSandbox({ transactions: 1_000, fromMs: Date.now() - 3 * DAY });
  frozen.sandbox.switches.faults = { ...noFaults, "huge-page": 1 };
  const account = await addAccount(database.db, frozen.sandbox);
  const range = { fromMs: frozen.fromMs - HOUR, toMs: frozen.toMs };
  await insertWindows(database.db, account.id, [{ kind: "live", ...range }]);
  await workAccount(syncDeps(database.db), account, never);
  const [window] = await readWindows(database.db, account.id);
  expect(await readWindow(database.db, window?.id ?? 0)).toMatchObject({
    state: "failed",
    error_code: "page_too_large",
    read: 0,
  });

  frozen.sandbox.switches.faults = { ...noFaults, "over-limit": 0.5 };
  await passTime(database.db, account.id);
  await syncToEnd(syncDeps(database.db), account);
  expect(await compareWithLedger(database.db, account.id, await readLedger(frozen.sandbox))).toEqual(tiedOut);
});

/** A real server that answers by cursor, and a window to be read from it. */
async function scriptedWindow(answers: Record<string, ScriptedAnswer>) {
  const server = await startHttpServer(
    (request) => answers[request.query.get("cursor") ?? ""] ?? { status: 500 },
  );
  onTestFinished(() => server.close());
  const account = await addAccount(database.db, server, { syncStartMs: start });
  await insertWindows(database.db, account.id, [{ kind: "live", fromMs: start, toMs: start + HOUR }]);
  const [window] = await readWindows(database.db, account.id);
  return { account, server, windowId: window?.id ?? 0 };
}

function recordsFrom(from: number, count: number): RawRecord[] {
  return Array.from({ length: count }, (_, n) =>
    aRecord({ transactionId: `t${from + n}`, statusDate: formatInstant(start + n) }),
  );
}
