import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { DAY, HOUR } from "../../src/core/duration.ts";
import { formatInstant } from "../../src/core/instant.ts";
import { insertWindows } from "../../src/store/windows/sync-windows.ts";
import { workAccount } from "../../src/sync/work-account.ts";
import { UpstreamError } from "../../src/upstream/errors.ts";
import { readWindow, readWindows } from "../support/a-window.ts";
import { compareWithLedger, readLedger, tiedOut } from "../support/ledger-oracle.ts";
import { aRecord, expectedOf, modelAggregator } from "../support/model-aggregator.ts";
import { type LogLine, never, syncDeps } from "../support/sync-deps.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { addAccount, openFrozenSandbox, passTime, syncToEnd } from "../support/use-sync.ts";
import { isRecordPages, wrapDatabase } from "../support/wrap-database.ts";

const database = useTestDatabase();
const start = Date.UTC(2026, 2, 1);

const records = Array.from({ length: 120 }, (_, n) =>
  aRecord({ transactionId: `t${n}`, statusDate: formatInstant(start + n * 20_000) }),
);

async function oneWindow() {
  const account = await addAccount(database.db, { url: "http://127.0.0.1:1" }, { syncStartMs: start });
  await insertWindows(database.db, account.id, [{ kind: "live", fromMs: start, toMs: start + HOUR }]);
  const [window] = await readWindows(database.db, account.id);
  const upstream = modelAggregator({ records: () => records, pageSize: 20 });
  return { account: { ...account, upstream }, read: () => readWindow(database.db, window?.id ?? 0) };
}

class DatabaseError extends Error {
  readonly code: string;
  constructor(code: string) {
    super(`injected ${code}`);
    this.code = code;
  }
}

describe("fault 20: the database goes away", () => {
  test("after it has committed, before it could say so: the page is done again, and counted once", async () => {
    const { sandbox } = await openFrozenSandbox({ transactions: 150 });
    const account = await addAccount(database.db, sandbox);
    let pages = 0;
    let lost = 0;
    const db = wrapDatabase(database.db, async (next, text, values, name) => {
      const rows = await next(text, values, name);
      if (isRecordPages(name) && ++pages % 4 === 0) {
        lost++;
        // Nobody waits for the lease here: that is another test's business.
        await passTime(database.db, account.id);
        throw new DatabaseError("ECONNRESET");
      }
      return rows;
    });
    const { windows } = await syncToEnd(syncDeps(db), account);
    expect(lost).toBeGreaterThan(1);
    const expected = await readLedger(sandbox);
    expect(await compareWithLedger(database.db, account.id, expected)).toEqual(tiedOut);
    expect(windows.added).toBe(expected.records.length);
  });

  test("for a moment, at every kind of statement: the sync goes on by itself", async () => {
    const { account } = await oneWindow();
    const codes = ["57P01", "57P03", "40P01", "40001", "08006", "53300"];
    const seen = new Map<string, number>();
    const lines: LogLine[] = [];
    let failures = 0;
    const db = wrapDatabase(database.db, async (next, text, values, name) => {
      const kind = name ?? text.trim().slice(0, 30);
      seen.set(kind, (seen.get(kind) ?? 0) + 1);
      if (seen.get(kind) === 2) throw new DatabaseError(codes[failures++ % codes.length] ?? "");
      return next(text, values, name);
    });
    const settings = { lagMs: 400 * DAY, requestsMax: 2, leaseMs: 400 };
    await syncToEnd(syncDeps(db, { lines, settings }), account);
    expect(await compareWithLedger(database.db, account.id, expectedOf(records))).toEqual(tiedOut);
    expect(failures).toBeGreaterThanOrEqual(codes.length);
    expect(lines.some(({ event }) => event === "database_away")).toBe(true);
  });

  test("for a reason that no second try can mend: the sync ends and says so", async () => {
    const { account } = await oneWindow();
    const db = wrapDatabase(database.db, (next, text, values, name) =>
      isRecordPages(name) ? Promise.reject(new DatabaseError("42703")) : next(text, values, name),
    );
    await expect(syncToEnd(syncDeps(db, { settings: { lagMs: 400 * DAY } }), account)).rejects.toMatchObject({
      code: "42703",
    });
  });
});

test("fault 22: a full disk fails closed: nothing is sealed, and the sync goes on when there is room", async () => {
  const { account, read } = await oneWindow();
  let full = true;
  const lines: LogLine[] = [];
  const db = wrapDatabase(database.db, async (next, text, values, name) => {
    if (full && /^\s*(insert|update|with)/.test(text)) throw new DatabaseError("53100");
    return next(text, values, name);
  });
  const deps = syncDeps(db, { lines, settings: { lagMs: 400 * DAY, leaseMs: 500 } });
  const syncing = syncToEnd(deps, account);
  while (lines.length < 8) await new Promise((resolve) => setImmediate(resolve));
  expect(await read()).toMatchObject({ state: "planned", pages: 0 });
  full = false;
  await syncing;
  expect(await compareWithLedger(database.db, account.id, expectedOf(records))).toEqual(tiedOut);
});

test.each(["cursor_rejected", "bad_request"] as const)(
  "fault 18: a worker that lost its window, and then meets %s, leaves it alone and goes on",
  async (code) => {
    const { account, read } = await oneWindow();
    const upstream: typeof account.upstream = {
      ...account.upstream,
      fetchPage: async () => {
        // Someone else has claimed it meanwhile.
        await database.db.query("update tieout.sync_windows set fence = fence + 1 where account_id = $1", [
          account.id,
        ]);
        throw new UpstreamError(code, "refused", { endpoint: "GET /transactions" });
      },
    };
    const lines: LogLine[] = [];
    expect(await workAccount(syncDeps(database.db, { lines }), { ...account, upstream }, never)).toBe(1);
    expect(lines.map(({ event }) => event)).toContain("lease_lost");
    expect(await read()).toMatchObject({ state: "walking", restarts: 0, fence: 2 });
  },
);

test("fault 29: a process that stands still for three leases inside a page writes nothing when it goes on", async () => {
  const { account, read } = await oneWindow();
  const leaseMs = 300;
  const lines: LogLine[] = [];
  let before: unknown;
  let after: unknown;
  const deps = syncDeps(database.db, {
    lines,
    settings: { leaseMs },
    failpoint: async (name) => {
      if (name === "page.commit.before" && !before) {
        before = await read();
        // The whole event loop: no timer fires, no lease is renewed.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3 * leaseMs);
      }
      // The first thing it does after its page was refused.
      if (name === "ack.before") after ??= await read();
    },
  });
  await workAccount(deps, account, never);
  expect(lines.map(({ event }) => event)).toContain("lease_lost");
  expect(after).toEqual(before);
  // A machine this busy may lose a lease more than once; what counts is that it comes to its end.
  await syncToEnd(syncDeps(database.db, { settings: { lagMs: 400 * DAY } }), account);
  expect(await compareWithLedger(database.db, account.id, expectedOf(records))).toEqual(tiedOut);
});

test("fault 12: an answer that takes longer than a lease does not cost it", async () => {
  const { account } = await oneWindow();
  const leaseMs = 2_000;
  const upstream = modelAggregator({
    records: () => records,
    before: (_query, request) => wait(request === 2 ? 1.5 * leaseMs : 0),
  });
  const lines: LogLine[] = [];
  await workAccount(syncDeps(database.db, { lines, settings: { leaseMs } }), { ...account, upstream }, never);
  expect(lines.filter(({ event }) => event === "lease_lost")).toEqual([]);
  expect(upstream.requests.length).toBe(3);
  expect(await compareWithLedger(database.db, account.id, expectedOf(records))).toEqual(tiedOut);
});

test("fault 11: a wait that is longer than a lease is not sat out with a window in hand", async () => {
  const { account, read } = await oneWindow();
  const deps = syncDeps(database.db, {
    failpoint: async (name) => {
      if (name !== "page.commit.before") return;
      await database.db.query(
        "update tieout.accounts set not_before = clock_timestamp() + interval '10 minutes' where id = $1",
        [account.id],
      );
    },
  });
  await workAccount(deps, account, never);
  expect(await read()).toMatchObject({ state: "planned", pages: 1, cursor: "20", leased: false });
});
