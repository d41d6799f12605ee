import { describe, expect, test } from "vitest";
import { HOUR, MINUTE } from "../../src/core/duration.ts";
import { formatInstant } from "../../src/core/instant.ts";
import { noFaults } from "../../src/sandbox/transactions/faults.ts";
import { insertWindows } from "../../src/store/sync-windows.ts";
import type { SyncAccount } from "../../src/sync/deps.ts";
import { workAccount } from "../../src/sync/work-account.ts";
import { readWindows } from "../support/a-window.ts";
import { compareWithLedger, readLedger, tiedOut } from "../support/ledger-oracle.ts";
import { aRecord, expectedOf, modelAggregator, type RawRecord } from "../support/model-aggregator.ts";
import { never, syncDeps } from "../support/sync-deps.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { addAccount, openFrozenSandbox, syncToEnd } from "../support/use-sync.ts";

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
