import { describe, expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "../../src/core/duration.ts";
import { formatInstant } from "../../src/core/instant.ts";
import { noFaults } from "../../src/sandbox/transactions/faults.ts";
import { readCoverage } from "../../src/store/windows/coverage.ts";
import { insertWindows } from "../../src/store/windows/sync-windows.ts";
import type { SyncAccount } from "../../src/sync/deps.ts";
import { planAccount } from "../../src/sync/plan-account.ts";
import { workAccount } from "../../src/sync/work-account.ts";
import { UpstreamError } from "../../src/upstream/errors.ts";
import { readWindow, readWindows } from "../support/a-window.ts";
import { compareWithLedger, readLedger, tiedOut } from "../support/ledger-oracle.ts";
import { aRecord, expectedOf, modelAggregator, type RawRecord } from "../support/model-aggregator.ts";
import { never, syncDeps } from "../support/sync-deps.ts";
import { idsOf } from "../support/sync-reads.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { addAccount, openFrozenSandbox, passTime, syncToEnd } from "../support/use-sync.ts";

const database = useTestDatabase();
const start = Date.UTC(2026, 2, 1);

async function listed(records: readonly RawRecord[]): Promise<SyncAccount> {
  const account = await addAccount(database.db, { url: "http://127.0.0.1:1" }, { syncStartMs: start });
  await insertWindows(database.db, account.id, [{ kind: "live", fromMs: start, toMs: start + HOUR }]);
  return { ...account, upstream: modelAggregator({ records: () => records }) };
}

describe("fault 17: a window that is too long", () => {
  test("is split into parts that are read side by side: no gap, no overlap, nothing lost", async () => {
    const records = Array.from({ length: 3_500 }, (_, n) =>
      aRecord({ transactionId: `t${n}`, statusDate: formatInstant(start + Math.floor(n * 1_027)) }),
    );
    const account = await listed(records);
    const deps = syncDeps(database.db);
    await Promise.all([1, 2, 3].map(() => workAccount(deps, account, never)));
    expect(await compareWithLedger(database.db, account.id, expectedOf(records))).toEqual(tiedOut);
    const windows = await readWindows(database.db, account.id);
    expect(windows.filter(({ state }) => state === "split").length).toBe(1);
    const parts = windows.filter(({ state }) => state === "sealed");
    expect(parts.length).toBeGreaterThan(3);
    expect(parts.map(({ fromMs }) => fromMs)).toEqual([start, ...parts.slice(0, -1).map(({ toMs }) => toMs)]);
  });

  test("for the server is halved until it is short enough", async () => {
    const { sandbox } = await openFrozenSandbox({ transactions: 100 });
    sandbox.switches.faults = { ...noFaults, "window-days": 0.5 };
    const account = await addAccount(database.db, sandbox);
    await syncToEnd(syncDeps(database.db), account);
    expect(await compareWithLedger(database.db, account.id, await readLedger(sandbox))).toEqual(tiedOut);
    const sealed = (await readWindows(database.db, account.id)).filter(({ state }) => state === "sealed");
    expect(Math.max(...sealed.map(({ fromMs, toMs }) => toMs - fromMs))).toBeLessThanOrEqual(12 * HOUR);
  });

  test("because many records share one moment is still read, and does not fall into countless parts", async () => {
    const records = Array.from({ length: 200 }, (_, n) =>
      aRecord({ transactionId: `t${n}`, statusDate: formatInstant(start + MINUTE) }),
    );
    const account = await listed(records);
    await workAccount(syncDeps(database.db), account, never);
    expect(await compareWithLedger(database.db, account.id, expectedOf(records))).toEqual(tiedOut);
    expect((await readWindows(database.db, account.id)).length).toBeLessThan(80);
  });
});

describe("a server that refuses every range", () => {
  const refusing = async (range: { fromMs: number; toMs: number }) => {
    const switches = { refuses: true };
    const records = [aRecord({ transactionId: "only", statusDate: formatInstant(range.fromMs) })];
    const model = modelAggregator({
      records: () => records,
      before: () => {
        if (!switches.refuses) return;
        throw new UpstreamError("bad_request", "answered 400", {
          endpoint: "GET /transactions",
          status: 400,
        });
      },
    });
    const account = await addAccount(
      database.db,
      { url: "http://127.0.0.1:1" },
      { syncStartMs: range.fromMs },
    );
    return { account: { ...account, upstream: model }, model, switches, records };
  };

  test("is asked down to a minute; then the windows fail in one piece, for all to see, until it answers", async () => {
    const range = { fromMs: start, toMs: start + 7 * DAY };
    const { account, model, switches, records } = await refusing(range);
    await insertWindows(database.db, account.id, [{ kind: "backfill", ...range }]);
    await workAccount(syncDeps(database.db), account, never);
    const open = (await readWindows(database.db, account.id)).filter(({ state }) => state !== "split");
    expect(new Set(open.map(({ state }) => state))).toEqual(new Set(["failed"]));
    const widths = open.map(({ fromMs, toMs }) => toMs - fromMs);
    expect(Math.min(...widths)).toBeGreaterThanOrEqual(MINUTE);
    expect(widths.reduce((sum, width) => sum + width, 0)).toBe(7 * DAY);
    expect(model.requests.length).toBeLessThan(40);
    expect(await readWindow(database.db, open[0]?.id ?? 0)).toMatchObject({ error_code: "bad_request" });

    switches.refuses = false;
    await passTime(database.db, account.id);
    await workAccount(syncDeps(database.db), account, never);
    expect(await compareWithLedger(database.db, account.id, expectedOf(records))).toEqual(tiedOut);
  });

  test("in the first window only does not hold up what lies behind it", async () => {
    const nowMs = Date.now();
    const { account, switches } = await refusing({ fromMs: nowMs - 3 * DAY, toMs: nowMs });
    const upstream = modelAggregator({
      records: () => [aRecord({ transactionId: "older", statusDate: formatInstant(nowMs - 2 * DAY) })],
      before: ({ to }) => {
        if (!switches.refuses || Date.parse(to ?? "") < nowMs - HOUR) return;
        throw new UpstreamError("page_too_large", "too much", { endpoint: "GET /transactions" });
      },
    });
    const reader = { ...account, upstream };
    const deps = syncDeps(database.db);
    for (let rounds = 0; rounds < 4; rounds++) {
      await planAccount(deps, account.id, { reread: false });
      await workAccount(deps, reader, never);
    }
    expect(await idsOf(database.db, account.id)).toEqual(["older"]);
    const windows = await readWindows(database.db, account.id);
    expect(windows.filter(({ state }) => state === "failed").length).toBeGreaterThan(0);
    expect((await readCoverage(database.db, account.id)).share).toBeGreaterThan(0.9);
  });

  test("since its beginning is asked for some windows, and not for every hour of its past", async () => {
    const nowMs = Date.now();
    const { account, model } = await refusing({ fromMs: nowMs - 90 * DAY, toMs: nowMs });
    const deps = syncDeps(database.db);
    for (let rounds = 0; rounds < 6; rounds++) {
      await planAccount(deps, account.id, { reread: false });
      await workAccount(deps, account, never);
    }
    expect(model.requests.length).toBeLessThan(40);
  });
});
