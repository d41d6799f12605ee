import { describe, expect, test } from "vitest";
import { HOUR, MINUTE, SECOND } from "../../src/core/duration.ts";
import { formatInstant } from "../../src/core/instant.ts";
import { noFaults } from "../../src/sandbox/transactions/faults.ts";
import { readCoverage } from "../../src/store/windows/coverage.ts";
import { insertWindows } from "../../src/store/windows/sync-windows.ts";
import type { SyncAccount } from "../../src/sync/deps.ts";
import { workAccount } from "../../src/sync/work-account.ts";
import { UpstreamError } from "../../src/upstream/errors.ts";
import type { PageQuery, TransactionPage } from "../../src/upstream/transactions.ts";
import { readWindow, readWindows } from "../support/a-window.ts";
import { compareWithLedger, readLedger, tiedOut } from "../support/ledger-oracle.ts";
import { aRecord, expectedOf, modelAggregator, type RawRecord } from "../support/model-aggregator.ts";
import { type LogLine, never, syncDeps } from "../support/sync-deps.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { addAccount, openFrozenSandbox, passTime, syncToEnd } from "../support/use-sync.ts";

const database = useTestDatabase();
const start = Date.UTC(2026, 2, 1);
const end = start + HOUR;

const poison = start + 40 * MINUTE;

/** Ten records a minute for an hour, and 120 in one moment of it. */
const records: RawRecord[] = [
  ...Array.from({ length: 600 }, (_, n) => ({ id: `t${n}`, atMs: start + n * 6 * SECOND })),
  ...Array.from({ length: 120 }, (_, n) => ({ id: `p${n}`, atMs: poison })),
].map(({ id, atMs }) => aRecord({ transactionId: id, statusDate: formatInstant(atMs) }));

type Answer = (query: PageQuery, honest: TransactionPage) => TransactionPage;

/** An account with one window of an hour, on a list whose cursors mislead where and as long as `misleads` says. */
async function oneWindow(bend: Answer, misleads: (query: PageQuery, walk: number) => boolean) {
  const account = await addAccount(database.db, { url: "http://127.0.0.1:1" }, { syncStartMs: start });
  await insertWindows(database.db, account.id, [{ kind: "live", fromMs: start, toMs: end }]);
  const model = modelAggregator({ records: () => records });
  const requests: PageQuery[] = [];
  let walks = 0;
  const fetchPage: SyncAccount["upstream"]["fetchPage"] = async (asked) => {
    const query: PageQuery = asked ?? {};
    requests.push(query);
    if (!query.cursor) walks++;
    // A cursor of a misled walk means nothing to the honest list.
    const honest = await model.fetchPage(
      /^\d/.test(query.cursor ?? "0") ? query : { ...query, cursor: null },
    );
    return misleads(query, walks) ? bend(query, honest) : honest;
  };
  return { account: { ...account, upstream: { ...model, fetchPage } }, requests };
}

/** Works until nothing is left to be tried soon; waits are skipped. */
async function work(account: SyncAccount, lines: LogLine[] = []): Promise<void> {
  const skipWaits = () =>
    database.db.query(
      "update tieout.sync_windows set not_before = null where account_id = $1 and state = 'planned'",
      [account.id],
    );
  const deps = syncDeps(database.db, { lines });
  for (let walked = -1; walked !== 0; await skipWaits()) walked = await workAccount(deps, account, never);
}

const unread = async ({ id }: SyncAccount) =>
  (await readWindows(database.db, id)).filter(({ state }) => state !== "sealed" && state !== "split");

const asksFor = ({ from, to }: PageQuery, atMs: number) =>
  Date.parse(from ?? "") < atMs && atMs < Date.parse(to ?? "");

describe.each<[string, string, Answer]>([
  [
    "fault 04: a cursor that is refused",
    "cursor_rejected",
    (query, page) => {
      if (!query.cursor) return { ...page, nextCursor: "refused" };
      throw new UpstreamError("cursor_rejected", "answered 410", { endpoint: "GET /transactions" });
    },
  ],
  [
    "fault 06: empty pages without an end",
    "empty_pages",
    (query, page) => ({ ...page, rawRecords: [], nextCursor: `empty${query.cursor ?? ""}` }),
  ],
  [
    "fault 07: a cursor that leads back to itself",
    "cursor_loop",
    (_, page) => ({ ...page, nextCursor: "itself" }),
  ],
  [
    "fault 07: cursors that lead in a circle",
    "cursor_loop",
    ({ cursor }, page) => ({ ...page, nextCursor: cursor === "B" ? "C" : cursor === "A" ? "B" : "A" }),
  ],
])("%s", (_, code, bend) => {
  test("once: the window is read from its first page again, counters included", async () => {
    const { account } = await oneWindow(bend, (__, walk) => walk === 1);
    const lines: LogLine[] = [];
    await work(account, lines);
    expect(await compareWithLedger(database.db, account.id, expectedOf(records))).toEqual(tiedOut);
    expect(lines.filter(({ event }) => event === "window_restarted")).toMatchObject([{ code }]);
    expect(lines.filter(({ event }) => event === "window_failed")).toEqual([]);
    const [window] = await readWindows(database.db, account.id);
    expect(await readWindow(database.db, window?.id ?? 0)).toMatchObject({ restarts: 1, error_code: null });
  });

  test("at one moment for ever: all around it is read, and the smallest part fails and says so", async () => {
    let mended = false;
    const { account } = await oneWindow(bend, (query) => !mended && asksFor(query, poison));
    await work(account);
    const [left, ...others] = await unread(account);
    expect(others).toEqual([]);
    expect(await readWindow(database.db, left?.id ?? 0)).toMatchObject({ state: "failed", error_code: code });
    expect((left?.toMs ?? 0) - (left?.fromMs ?? 0)).toBeLessThan(2 * SECOND);
    expect(await readCoverage(database.db, account.id)).toMatchObject({ gapCount: 1 });

    mended = true;
    await passTime(database.db, account.id);
    await work(account);
    expect(await compareWithLedger(database.db, account.id, expectedOf(records))).toEqual(tiedOut);
    expect(await readCoverage(database.db, account.id)).toMatchObject({ gapCount: 0, share: 1 });
  });

  test("everywhere for ever: it fails after a bounded number of requests, and is not sealed", async () => {
    let mended = false;
    const { account, requests } = await oneWindow(bend, () => !mended);
    await work(account);
    const states = (await unread(account)).map(({ state }) => state);
    expect(new Set(states)).toEqual(new Set(["failed"]));
    expect(requests.length).toBeLessThan(1_000);
    // An empty page that echoes its cursor is an end: some seconds without a record may be sealed.
    expect((await readCoverage(database.db, account.id)).share).toBeLessThan(0.05);

    mended = true;
    await passTime(database.db, account.id);
    await work(account);
    expect(await compareWithLedger(database.db, account.id, expectedOf(records))).toEqual(tiedOut);
  });
});

describe("fault 04: cursors that expire", () => {
  test("within a walk: the window is read from its first page again", async () => {
    const frozen = await openFrozenSandbox();
    frozen.sandbox.switches.faults = { ...noFaults, "cursor-seconds": 10 };
    const account = await addAccount(database.db, frozen.sandbox);
    let fetches = 0;
    const lines: LogLine[] = [];
    const failpoint = (name: string) => {
      // Long enough for every cursor that is out.
      if (name === "fetch.before" && ++fetches === 5) frozen.clock.nowMs += 11 * SECOND;
    };
    await syncToEnd(syncDeps(database.db, { failpoint, lines, settings: { requestsMax: 1 } }), account);
    const expected = await readLedger(frozen.sandbox);
    expect(await compareWithLedger(database.db, account.id, expected)).toEqual(tiedOut);
    expect(lines.filter(({ event }) => event === "window_restarted").length).toBe(1);
    const windows = (await readWindows(database.db, account.id)).filter(({ kind }) => kind !== "refresh");
    const rows = await Promise.all(windows.map(({ id }) => readWindow(database.db, id)));
    expect(rows.filter(({ restarts }) => restarts === 1).length).toBe(1);
    expect(rows.reduce((sum, { read }) => sum + Number(read), 0)).toBe(expected.records.length);
  });

  test("again and again: the window is made smaller, until its cursors live long enough", async () => {
    const frozen = await openFrozenSandbox({ transactions: 120 });
    frozen.sandbox.switches.faults = { ...noFaults, "cursor-pages": 3 };
    const account = await addAccount(database.db, frozen.sandbox);
    await syncToEnd(syncDeps(database.db), account);
    const expected = await readLedger(frozen.sandbox);
    expect(await compareWithLedger(database.db, account.id, expected)).toEqual(tiedOut);
  });
});
