import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/core/duration.ts";
import { formatInstant } from "../../src/core/instant.ts";
import { compareStatusRows } from "../../src/core/status.ts";
import { planWindows, splitRange, type TimeRange } from "../../src/core/window.ts";
import { readCoverage } from "../../src/store/windows/coverage.ts";
import { recordPage } from "../../src/store/transactions/record-page.ts";
import { extendPlan, insertWindows, sealWindow, splitWindow } from "../../src/store/windows/sync-windows.ts";
import { claimWindow } from "../../src/store/windows/window-leases.ts";
import { preparePage } from "../../src/sync/page.ts";
import { workAccount } from "../../src/sync/work-account.ts";
import { bareAccount, leaseWindow, readWindows } from "../support/a-window.ts";
import { compareWithLedger, tiedOut } from "../support/ledger-oracle.ts";
import { aRecord, expectedOf, modelAggregator, type RawRecord } from "../support/model-aggregator.ts";
import { never, syncDeps } from "../support/sync-deps.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { passTime } from "../support/use-sync.ts";

const database = useTestDatabase();
const start = Date.UTC(2026, 2, 1);

/** Few transactions, few dates, few words: so that every tie there can be comes up. */
const someRecord: fc.Arbitrary<RawRecord> = fc
  .record({
    transactionId: fc.constantFrom("a", "b", "c", "Ä", "😀"),
    status: fc.constantFrom("new", "pending", "paid", "completed", "failed", "on_hold", "in_progress"),
    atMs: fc.constantFrom(0, 1, 2, 3_600_000),
    outAmount: fc.constantFrom("0", "1", "0.1", "0.100000000000000001"),
    note: fc.constantFrom(undefined, "x", { nested: [1, "1.10"] }),
  })
  .map(({ atMs, ...fields }) => aRecord({ ...fields, statusDate: formatInstant(start + atMs) }));

describe("fault 24: the order of arrival makes no difference", () => {
  test("of records, pages, windows and workers: the tables end the same", async () => {
    const cases = fc.record({
      records: fc.array(someRecord, { minLength: 1, maxLength: 24 }),
      seed: fc.array(fc.nat(1_000), { minLength: 48, maxLength: 48 }),
      pageSize: fc.integer({ min: 1, max: 8 }),
      workers: fc.integer({ min: 1, max: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ records, seed, pageSize, workers }) => {
        const accountId = await bareAccount(database.db);
        // Every record is read twice, as it is on the edge of two windows, each time in another place.
        const arriving = [...records, ...records]
          .map((record, at) => ({ record, key: seed[at] ?? 0 }))
          .toSorted((one, other) => one.key - other.key)
          .map(({ record }) => record);
        const pages = Array.from({ length: Math.ceil(arriving.length / pageSize) }, (_, at) =>
          arriving.slice(at * pageSize, (at + 1) * pageSize),
        );
        const leases = await Promise.all(
          Array.from({ length: workers }, () => leaseWindow(database.db, accountId)),
        );
        await Promise.all(
          leases.map(async (lease, worker) => {
            for (const page of pages.filter((_, at) => at % workers === worker))
              await recordPage(database.db, lease, { ...preparePage(page), nextCursor: null });
          }),
        );
        const verdict = await compareWithLedger(database.db, accountId, expectedOf(records));
        expect({ ...verdict, unfinished: [] }).toEqual(tiedOut);
      }),
      { numRuns: 40 },
    );
  });

  test("of statuses: which one is the latest is a total order", () => {
    const key = someRecord.map((raw) => {
      const [hashed] = preparePage([raw]).records;
      if (!hashed) throw new Error("a record that cannot be read");
      return {
        statusDate: hashed.record.statusDate,
        status: hashed.record.status,
        recordHash: hashed.recordHash,
      };
    });
    fc.assert(
      fc.property(key, key, key, (a, b, c) => {
        expect(Math.sign(compareStatusRows(a, b)) + Math.sign(compareStatusRows(b, a))).toBe(0);
        expect(compareStatusRows(a, b) === 0).toBe(a.recordHash === b.recordHash);
        // Without a cycle there is one sorted order, whichever way one begins.
        expect([a, b, c].toSorted(compareStatusRows)).toEqual([c, b, a].toSorted(compareStatusRows));
      }),
      { numRuns: 1_000 },
    );
  });
});

test("a walk that is broken off anywhere, any number of times, is taken up where it was committed", async () => {
  const records = Array.from({ length: 30 }, (_, at) =>
    aRecord({
      transactionId: `t${at % 20}`,
      status: at < 20 ? "pending" : "completed",
      statusDate: formatInstant(start + at),
    }),
  );
  const crashes = fc.array(fc.integer({ min: 1, max: 14 }), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(crashes, fc.integer({ min: 1, max: 12 }), async (afterSteps, pageSize) => {
      const accountId = await bareAccount(database.db, { syncStartMs: start });
      await insertWindows(database.db, accountId, [{ kind: "live", fromMs: start, toMs: start + SECOND }]);
      const account = {
        id: accountId,
        name: "model",
        upstream: modelAggregator({ records: () => records, pageSize }),
      };
      for (const steps of [...afterSteps, Infinity]) {
        let left = steps;
        const deps = syncDeps(database.db, {
          failpoint: () => {
            if (left-- <= 0) throw new Error("broken off");
          },
        });
        await workAccount(deps, account, never).catch(() => passTime(database.db, accountId));
      }
      expect(await compareWithLedger(database.db, accountId, expectedOf(records))).toEqual(tiedOut);
    }),
    { numRuns: 25 },
  );
});

describe("the plan in the database", () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant("plan" as const), clockMs: fc.integer({ min: -HOUR, max: 12 * HOUR }) }),
    fc.record({ kind: fc.constant("split" as const), parts: fc.integer({ min: 2, max: 9 }) }),
    fc.record({ kind: fc.constant("seal" as const), read: fc.nat(3_000) }),
    fc.record({ kind: fc.constant("lose" as const) }),
  );

  test("has no gap and no overlap, for any sequence of plans, splits, seals, lost leases and clock values", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        const accountId = await bareAccount(database.db, { syncStartMs: start });
        let nowMs = start + DAY;
        for (const each of steps) {
          if (each.kind === "plan") {
            nowMs += each.clockMs;
            // Two planners at once, of whom one sees further: neither may extend the plan from the other's old edge.
            const [near, far] = [nowMs, nowMs + 30 * HOUR];
            await Promise.all([plan(accountId, near), plan(accountId, far)]);
            nowMs = far;
            continue;
          }
          if (each.kind === "lose") await passTime(database.db, accountId);
          const claim = { accountId, worker: "model", leaseMs: 60_000, requestsMax: 100 };
          const lease = await database.db.transaction((tx) => claimWindow(tx, claim));
          if (!lease || each.kind === "lose") continue;
          if (each.kind === "seal") {
            const read = "update tieout.sync_windows set read = $2 where id = $1";
            await database.db.query(read, [lease.windowId, each.read]);
            await sealWindow(database.db, lease, "absent");
          } else {
            const range = { fromMs: Date.parse(lease.from), toMs: Date.parse(lease.to) };
            await splitWindow(database.db, lease, splitRange(range, each.parts));
          }
        }
        const windows = (await readWindows(database.db, accountId)).filter(({ state }) => state !== "split");
        expectContiguous(windows);
        const sealedMs = windows
          .filter(({ state }) => state === "sealed")
          .reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
        expect(await coveredMs(accountId)).toBe(sealedMs);
      }),
      { numRuns: 40 },
    );
  });

  test("a part that is lost from a split undoes the split", async () => {
    const accountId = await bareAccount(database.db, { syncStartMs: start });
    const lease = await leaseWindow(database.db, accountId, { fromMs: start, toMs: start + HOUR });
    const overlapping = [
      { fromMs: start, toMs: start + 2 * MINUTE },
      { fromMs: start + MINUTE, toMs: start + HOUR },
    ];
    await expect(splitWindow(database.db, lease, overlapping)).rejects.toThrow("1 of 2 parts");
    const [window, ...others] = await readWindows(database.db, accountId);
    expect(window).toMatchObject({ id: lease.windowId, state: "walking" });
    expect(others).toEqual([]);
    expect(await readCoverage(database.db, accountId)).toMatchObject({ share: 0, gapCount: 1 });
  });
});

function plan(accountId: number, nowMs: number): Promise<number> {
  const options = { lagMs: 30 * SECOND, liveMinMs: 1, backfillAhead: 4 };
  return extendPlan(database.db, accountId, (state) => planWindows(state, options, nowMs));
}

function expectContiguous(windows: readonly TimeRange[]): void {
  for (const [at, window] of windows.entries())
    expect(windows[at + 1]?.fromMs ?? window.toMs).toBe(window.toMs);
}

async function coveredMs(accountId: number): Promise<number | undefined> {
  const [row] = await database.db.query<{ ms: number }>(
    `select coalesce(sum(extract(epoch from upper(part) - lower(part)) * 1000), 0)::double precision as ms
     from tieout.accounts, unnest(covered) as part
     where id = $1`,
    [accountId],
  );
  return row?.ms;
}
