import { expect, test } from "vitest";
import { DAY } from "../../src/core/duration.ts";
import { insertWindows } from "../../src/store/windows/sync-windows.ts";
import { planNightlyRead } from "../../src/sync/plan-account.ts";
import { bareAccount } from "../support/a-window.ts";
import { syncDeps } from "../support/sync-deps.ts";
import { useTestDatabase } from "../support/test-database.ts";

const database = useTestDatabase();

/** What a night plans to read again, in days; and then all of it is read. */
async function planNight(accountId: number): Promise<number> {
  await planNightlyRead(syncDeps(database.db), accountId);
  const rows = await database.db.query(
    `update tieout.sync_windows
     set state = 'sealed', sealed_at = clock_timestamp()
     where account_id = $1 and kind = 'deep' and state = 'planned'
     returning id`,
    [accountId],
  );
  return rows.length;
}

async function readFor(days: number): Promise<number> {
  const nowMs = Date.now();
  const accountId = await bareAccount(database.db, { syncStartMs: nowMs - days * DAY });
  await insertWindows(database.db, accountId, [
    { kind: "live", fromMs: nowMs - days * DAY, toMs: nowMs - DAY / 2 },
  ]);
  return accountId;
}

test("once a month the reading goes farther back, on whichever night it runs first", async () => {
  const accountId = await readFor(200);
  expect([await planNight(accountId), await planNight(accountId)]).toEqual([90, 35]);
  // The next month begins; nothing runs on its first night, and that is not asked.
  await database.db.query(
    "update tieout.sync_windows set planned_at = planned_at - interval '1 month' where account_id = $1",
    [accountId],
  );
  expect([await planNight(accountId), await planNight(accountId)]).toEqual([90, 35]);
});

test("of an account that has been read for a few weeks, every night reads what there is", async () => {
  const accountId = await readFor(20);
  expect([await planNight(accountId), await planNight(accountId)]).toEqual([20, 20]);
});
