import { describe, expect, test } from "vitest";
import { HOUR } from "../../../src/core/duration.ts";
import { forgetRefusals, refuseCredentials, slowDown } from "../../../src/store/accounts/account-pace.ts";
import { holdAccount, resumeAccount } from "../../../src/store/accounts/account-switches.ts";
import { recordPage } from "../../../src/store/transactions/record-page.ts";
import { insertWindows, sealWindow, splitWindow } from "../../../src/store/windows/sync-windows.ts";
import { failWindow } from "../../../src/store/windows/window-failures.ts";
import { claimWindow, releaseWindow, renewLease } from "../../../src/store/windows/window-leases.ts";
import { bareAccount, leaseWindow, readWindow } from "../../support/a-window.ts";
import { useTestDatabase } from "../../support/test-database.ts";
import { passTime } from "../../support/use-sync.ts";

const database = useTestDatabase();
const start = Date.UTC(2026, 0, 1);

async function plan(accountId: number, count: number): Promise<void> {
  const windows = Array.from({ length: count }, (_, at) => ({
    kind: "backfill" as const,
    fromMs: start + at * HOUR,
    toMs: start + (at + 1) * HOUR,
  }));
  await insertWindows(database.db, accountId, windows);
}

function claim(accountId: number, requestsMax = 100, credentials = "old") {
  return database.db.transaction((tx) =>
    claimWindow(tx, { accountId, worker: "test", leaseMs: 60_000, requestsMax, credentials }),
  );
}

describe("claiming", () => {
  test("gives every window to one worker only, however many ask at once", async () => {
    const accountId = await bareAccount(database.db);
    await plan(accountId, 12);
    const leases = await Promise.all(Array.from({ length: 24 }, () => claim(accountId)));
    const ids = leases.flatMap((lease) => (lease ? [lease.windowId] : []));
    expect(ids.length).toBe(12);
    expect(new Set(ids).size).toBe(12);
  });

  test.each([
    ["what the aggregator bears", { requestLimit: 3, requestsMax: 100 }],
    ["what the configuration allows", { requestLimit: 100, requestsMax: 3 }],
  ])("never gives out more leases than %s, however many ask at once", async (_, limits) => {
    const accountId = await bareAccount(database.db, limits);
    await plan(accountId, 40);
    for (let round = 0; round < 5; round++) {
      await Promise.all(Array.from({ length: 8 }, () => claim(accountId, limits.requestsMax)));
      const [row] = await database.db.query<{ leases: number }>(
        "select count(*)::int as leases from tieout.sync_windows where account_id = $1 and state = 'walking'",
        [accountId],
      );
      expect(row?.leases).toBe(3);
      await passTime(database.db, accountId);
    }
  });

  test("takes the newest live window first, then lookback, refresh, backfill from the newest, and deep last", async () => {
    const accountId = await bareAccount(database.db);
    const kinds = ["deep", "backfill", "refresh", "lookback", "live"] as const;
    await insertWindows(
      database.db,
      accountId,
      kinds.flatMap((kind) =>
        [0, 1].map((at) => ({ kind, fromMs: start + at * HOUR, toMs: start + (at + 1) * HOUR })),
      ),
    );
    const order: string[] = [];
    for (let lease = await claim(accountId); lease; lease = await claim(accountId))
      order.push(`${lease.kind} ${lease.from.slice(11, 13)}`);
    expect(order).toEqual(
      ["live", "lookback", "refresh", "backfill", "deep"].flatMap((kind) => [`${kind} 01`, `${kind} 00`]),
    );
  });

  test("waits while the account or the window has been told to wait, and takes failed windows up again", async () => {
    const accountId = await bareAccount(database.db);
    const lease = await leaseWindow(database.db, accountId);
    await failWindow(database.db, lease, { code: "cursor_loop", message: "x", waitMs: 60_000, final: true });
    expect(await claim(accountId)).toBeNull();
    await passTime(database.db, accountId);
    await slowDown(database.db, accountId, 60_000);
    expect(await claim(accountId)).toBeNull();
    await passTime(database.db, accountId);
    expect(await claim(accountId)).toMatchObject({
      windowId: lease.windowId,
      fence: lease.fence + 1,
      failures: 1,
    });
  });

  test("leaves other accounts alone", async () => {
    const [one, other] = [await bareAccount(database.db), await bareAccount(database.db)];
    await plan(one, 1);
    await plan(other, 1);
    await refuseCredentials(database.db, one, { credentials: "old", reason: "401", probeMs: 60_000 });
    expect(await claim(one)).toBeNull();
    expect(await claim(other)).not.toBeNull();
  });

  test("of an account whose key was refused: not with the same credentials, at once with others or after a start", async () => {
    const accountId = await bareAccount(database.db);
    await plan(accountId, 3);
    const refusal = { credentials: "old", reason: "401", probeMs: 60_000 };
    await refuseCredentials(database.db, accountId, refusal);
    expect(await claim(accountId, 100, "old")).toBeNull();
    const corrected = await claim(accountId, 100, "new");
    expect(corrected).not.toBeNull();
    // One at a time, until there was an answer.
    expect(await claim(accountId, 100, "new")).toBeNull();
    if (corrected) await releaseWindow(database.db, corrected);
    await forgetRefusals(database.db, [accountId]);
    expect(await claim(accountId, 100, "old")).not.toBeNull();
  });

  test("of an account that a person paused: with no credentials, whatever is answered meanwhile", async () => {
    const accountId = await bareAccount(database.db);
    await plan(accountId, 2);
    const underWay = await claim(accountId);
    const author = { actor: "Ada", requestId: "r" };
    await holdAccount(database.db, { id: accountId, name: "one", reason: "month end" }, author);
    if (underWay) await recordPage(database.db, underWay, { records: [], rejections: [], nextCursor: null });
    await refuseCredentials(database.db, accountId, { credentials: "old", reason: "401", probeMs: 1 });
    await forgetRefusals(database.db, [accountId]);
    expect(await claim(accountId)).toBeNull();
    if (underWay) await releaseWindow(database.db, underWay);
    await resumeAccount(database.db, { id: accountId, name: "one" }, author);
    expect(await claim(accountId)).not.toBeNull();
  });
});

describe("a lease that is over", () => {
  test("can be neither renewed nor used to record, seal or split, once another worker has the window", async () => {
    const accountId = await bareAccount(database.db);
    const late = await leaseWindow(database.db, accountId);
    await passTime(database.db, accountId);
    const taken = await claim(accountId);
    expect(taken?.windowId).toBe(late.windowId);
    const before = await readWindow(database.db, late.windowId);
    const lost = { name: "LeaseLost" };
    expect(await renewLease(database.db, late)).toBe(false);
    const page = { records: [], rejections: [], nextCursor: "late" };
    await expect(recordPage(database.db, late, page)).rejects.toMatchObject(lost);
    await expect(sealWindow(database.db, late, "absent")).rejects.toMatchObject(lost);
    const half = { fromMs: start, toMs: start + 1 };
    await expect(splitWindow(database.db, late, [half])).rejects.toMatchObject(lost);
    await releaseWindow(database.db, late);
    await failWindow(database.db, late, { code: "late", message: "late", waitMs: 0, final: true });
    expect(await readWindow(database.db, late.windowId)).toEqual(before);
  });
});

describe("the pace", () => {
  test("halves once when many workers meet trouble at once, and never falls below one", async () => {
    const accountId = await bareAccount(database.db, { requestLimit: 16 });
    await Promise.all(Array.from({ length: 8 }, () => slowDown(database.db, accountId, 500)));
    expect(await requestLimit(accountId)).toBe(8);
    for (let times = 0; times < 6; times++) {
      await passTime(database.db, accountId);
      await slowDown(database.db, accountId, 0);
    }
    expect(await requestLimit(accountId)).toBe(1);
  });

  test("grows by one with every sealed window, up to what the configuration allows: so that halving is felt at once", async () => {
    const accountId = await bareAccount(database.db, { requestLimit: 4 });
    await plan(accountId, 10);
    for (let windows = 0; windows < 10; windows++) {
      const lease = await claim(accountId, 6);
      if (lease) await sealWindow(database.db, lease, "absent");
    }
    expect(await requestLimit(accountId)).toBe(6);
  });
});

async function requestLimit(accountId: number): Promise<number | undefined> {
  const [row] = await database.db.query<{ request_limit: number }>(
    "select request_limit from tieout.accounts where id = $1",
    [accountId],
  );
  return row?.request_limit;
}
