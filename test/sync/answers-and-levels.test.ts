import { describe, expect, onTestFinished, test } from "vitest";
import { DAY, HOUR, MINUTE } from "../../src/core/duration.ts";
import { formatInstant } from "../../src/core/instant.ts";
import { listFreshness } from "../../src/store/accounts/account-reads.ts";
import { insertWindows } from "../../src/store/windows/sync-windows.ts";
import { compareClocks } from "../../src/sync/compare-clocks.ts";
import type { SyncAccount } from "../../src/sync/deps.ts";
import { planAccount } from "../../src/sync/plan-account.ts";
import { workAccount } from "../../src/sync/work-account.ts";
import { UpstreamError } from "../../src/upstream/errors.ts";
import { readWindows } from "../support/a-window.ts";
import { startHttpServer } from "../support/http-server.ts";
import { aRecord, modelAggregator } from "../support/model-aggregator.ts";
import { never, syncDeps } from "../support/sync-deps.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { addAccount, passTime, syncToEnd } from "../support/use-sync.ts";

const database = useTestDatabase();
const start = Date.UTC(2026, 2, 1);

async function freshnessOf({ name }: SyncAccount) {
  const reader = { database: database.db, accountIds: null };
  const { rows } = await listFreshness(reader, { account: [name] }, { limit: 1, after: null });
  return rows[0];
}

/** As if so much time had passed since the first request that was not answered. */
async function failFor(account: SyncAccount, ms: number): Promise<void> {
  await database.db.query(
    `update tieout.accounts set failing_since = failing_since - $2::double precision * interval '1 millisecond'
     where id = $1`,
    [account.id, ms],
  );
}

describe("the last success of an account", () => {
  test("is its last answered request for records: not a look at the clock, and before any window is sealed", async () => {
    const server = await startHttpServer([{ body: { transactions: [], limit: 50 } }]);
    const account = await addAccount(database.db, server, { syncStartMs: start });
    const deps = syncDeps(database.db);
    await compareClocks(deps, account, never);
    expect(server.requests.length).toBe(1);
    expect(await freshnessOf(account)).toMatchObject({ last_success_at: null });

    // The page after the first one never comes.
    const records = [1, 2].map((n) =>
      aRecord({ transactionId: `t${n}`, statusDate: formatInstant(start + n) }),
    );
    const upstream = modelAggregator({
      records: () => records,
      pageSize: 1,
      before: (_, request) => {
        if (request > 1)
          throw new UpstreamError("server_error", "answered 500", { endpoint: "GET /transactions" });
      },
    });
    await insertWindows(database.db, account.id, [{ kind: "live", fromMs: start, toMs: start + HOUR }]);
    await workAccount(deps, { ...account, upstream }, never);
    expect((await readWindows(database.db, account.id)).map(({ state }) => state)).toEqual(["planned"]);
    expect((await freshnessOf(account))?.last_success_at).not.toBeNull();
    await server.close();
  });

  test("that is minutes ago makes the account failing, with its error, until there is an answer", async () => {
    let down = true;
    const upstream = modelAggregator({
      records: () => [],
      before: () => {
        if (down)
          throw new UpstreamError("unreachable", "the server cannot be reached", {
            endpoint: "GET /transactions",
          });
      },
    });
    const account = { ...(await addAccount(database.db, { url: "http://127.0.0.1:1" })), upstream };
    await insertWindows(database.db, account.id, [{ kind: "live", fromMs: start, toMs: start + HOUR }]);
    const deps = syncDeps(database.db);
    await workAccount(deps, account, never);
    expect(await freshnessOf(account)).toMatchObject({ state: "active" });
    await failFor(account, 3 * MINUTE);
    expect(await freshnessOf(account)).toMatchObject({
      state: "failing",
      state_reason: "GET /transactions: the server cannot be reached",
    });
    // Another failure does not move the time since when.
    await passTime(database.db, account.id);
    await workAccount(deps, account, never);
    expect(await freshnessOf(account)).toMatchObject({ state: "failing" });

    down = false;
    await passTime(database.db, account.id);
    await workAccount(deps, account, never);
    expect(await freshnessOf(account)).toMatchObject({
      state: "active",
      state_reason: null,
      state_since: null,
    });
  });

  test("that ends an outage makes windows due that had given up, but not those that gave up for another reason", async () => {
    let down = true;
    const upstream = modelAggregator({
      records: () => [],
      before: () => {
        if (down)
          throw new UpstreamError("unreachable", "the server cannot be reached", {
            endpoint: "GET /transactions",
          });
      },
    });
    const account = { ...(await addAccount(database.db, { url: "http://127.0.0.1:1" })), upstream };
    const windowAt = (hour: number) => ({
      kind: "live" as const,
      fromMs: start + hour * HOUR,
      toMs: start + (hour + 1) * HOUR,
    });
    const statesOf = async () => (await readWindows(database.db, account.id)).map(({ state }) => state);
    await insertWindows(database.db, account.id, [windowAt(0), windowAt(1), windowAt(2)]);
    // As after ten tries each.
    await database.db.query("update tieout.sync_windows set failures = 9 where account_id = $1", [
      account.id,
    ]);
    const deps = syncDeps(database.db);
    await workAccount(deps, account, never);
    await failFor(account, 3 * MINUTE);
    expect(await statesOf()).toEqual(["failed", "failed", "failed"]);
    await database.db.query(
      "update tieout.sync_windows set error_code = 'bad_request' where account_id = $1 and range_from = $2",
      [account.id, formatInstant(start)],
    );

    down = false;
    await workAccount(deps, account, never);
    expect(await statesOf()).toEqual(["failed", "failed", "failed"]);
    await insertWindows(database.db, account.id, [windowAt(3)]);
    await workAccount(deps, account, never);
    expect(await statesOf()).toEqual(["failed", "sealed", "sealed", "sealed"]);
  });

  test("that is minutes ago makes it failing too where every request is refused", async () => {
    const server = await startHttpServer([{ status: 400, body: { message: "account not activated" } }]);
    onTestFinished(() => server.close());
    const account = await addAccount(database.db, server, { syncStartMs: start });
    await insertWindows(database.db, account.id, [{ kind: "live", fromMs: start, toMs: start + MINUTE }]);
    await workAccount(syncDeps(database.db), account, never);
    await failFor(account, 3 * MINUTE);
    expect(await freshnessOf(account)).toMatchObject({
      state: "failing",
      state_reason: "GET /transactions: answered 400; account not activated",
    });
  });
});

describe("a level of the lookback", () => {
  /** An account that was read to its end, whose level 9 (17 hours old) was read three hours ago. */
  async function readThreeHoursAgo(
    found: number,
  ): Promise<{ account: SyncAccount; levelRead: () => Promise<number> }> {
    const nowMs = Date.now();
    const bare = await addAccount(
      database.db,
      { url: "http://127.0.0.1:1" },
      { syncStartMs: nowMs - 5 * DAY },
    );
    const account = { ...bare, upstream: modelAggregator({ records: () => [] }) };
    await syncToEnd(syncDeps(database.db), account);
    for (let level = 0; level < 13; level++) {
      const ageMs = 2 * MINUTE * 2 ** level;
      await database.db.query(
        `insert into tieout.sync_windows
           (account_id, kind, level, range_from, range_to, state, planned_at, sealed_at, added)
         select $1, 'lookback', $2::int, at - 2 * age, at - age, 'sealed', at, at + interval '1 second',
                case when $2::int = 9 then $4::int else 0 end
         from (select now() - case when $2::int = 9 then interval '3 hours' else interval '0' end as at,
                      $3::double precision * interval '1 millisecond' as age) as reading`,
        [account.id, level, ageMs, found],
      );
    }
    return {
      account,
      levelRead: async () => {
        const rows = await database.db.query<{ windows: number }>(
          `select count(*)::int as windows from tieout.sync_windows
           where account_id = $1 and kind = 'lookback' and level = 9 and state = 'planned'`,
          [account.id],
        );
        return rows[0]?.windows ?? 0;
      },
    };
  }

  test("that found nothing late is not read again before its own length is over", async () => {
    const { account, levelRead } = await readThreeHoursAgo(0);
    await planAccount(syncDeps(database.db), account.id);
    expect(await levelRead()).toBe(0);
  });

  test("that found something late is read again after an eighth of its length", async () => {
    const { account, levelRead } = await readThreeHoursAgo(1);
    await planAccount(syncDeps(database.db), account.id);
    expect(await levelRead()).toBe(1);
  });

  test("is not taken for read because sync --once has read all of them", async () => {
    const nowMs = Date.now();
    const bare = await addAccount(
      database.db,
      { url: "http://127.0.0.1:1" },
      { syncStartMs: nowMs - 2 * DAY },
    );
    const account = { ...bare, upstream: modelAggregator({ records: () => [] }) };
    const deps = syncDeps(database.db);
    await syncToEnd(deps, account);
    await syncToEnd(deps, account);
    await planAccount(deps, account.id);
    const planned = (await readWindows(database.db, account.id)).filter(({ state }) => state === "planned");
    expect(planned.filter(({ kind }) => kind === "lookback").length).toBeGreaterThan(5);
  });
});
