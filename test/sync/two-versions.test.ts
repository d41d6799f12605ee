import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { recordHash } from "../../src/core/record-hash.ts";
import type { PageToRecord } from "../../src/store/transactions/record-page.ts";
import { rebuildTransactions } from "../../src/store/transactions/rebuild.ts";
import type { SyncAccount, SyncDeps } from "../../src/sync/deps.ts";
import { planDeepRead } from "../../src/sync/plan-account.ts";
import { syncOnce } from "../../src/sync/sync-once.ts";
import { verify } from "../../src/sync/verify.ts";
import { workAccount } from "../../src/sync/work-account.ts";
import { readLedger } from "../support/ledger-oracle.ts";
import { never, syncDeps } from "../support/sync-deps.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { addAccount, openFrozenSandbox } from "../support/use-sync.ts";

const database = useTestDatabase();

/** What a release with another form of canonical JSON would write into the same tables. */
function hashedOtherwise(page: PageToRecord): PageToRecord {
  const otherHash = (hash: string) => createHash("sha256").update(`other ${hash}`).digest("hex");
  return {
    ...page,
    records: page.records.map((one) => ({ ...one, hashVersion: 99, recordHash: otherHash(one.recordHash) })),
  };
}

/** Stops the worker as soon as it has written a page that was not empty. */
async function syncFirstRecords(deps: SyncDeps, account: SyncAccount): Promise<void> {
  const enough = new AbortController();
  const recordPage: SyncDeps["recordPage"] = async (lease, page) => {
    const recorded = await deps.recordPage(lease, page);
    if (page.records.length > 0) enough.abort();
    return recorded;
  };
  await syncOnce({ ...deps, recordPage }, account, { signal: enough.signal, reread: false });
}

test("fault 30: two releases that hash differently read one account together: nothing is lost, and each knows its own", async () => {
  const { sandbox } = await openFrozenSandbox({ transactions: 120 });
  const account = await addAccount(database.db, sandbox);
  const ours = syncDeps(database.db, { worker: "this release", settings: { requestsMax: 2 } });
  const theirs = {
    ...ours,
    worker: "another release",
    recordPage: (...[lease, page]: Parameters<typeof ours.recordPage>) =>
      ours.recordPage(lease, hashedOtherwise(page)),
  };
  // Each is given a window first: left alone, a quick one may take them all.
  await syncFirstRecords(ours, account);
  await syncFirstRecords(theirs, account);
  // Nothing is read twice: the form of a record tells who read it.
  const once = { signal: never, reread: false };
  await Promise.all([syncOnce(ours, account, once), syncOnce(theirs, account, once)]);
  const expected = await readLedger(sandbox);
  const wanted = new Set(expected.records.map(({ transactionId }) => transactionId));

  const versionsOf = () =>
    database.db.query<{ version: number; rows: number }>(
      `select hash_version as version, count(*)::int as rows
       from tieout.transaction_statuses
       where account_id = $1
       group by 1
       order by 1`,
      [account.id],
    );
  const versions = await versionsOf();
  expect(versions.map(({ version }) => version)).toEqual([1, 99]);
  // Each window was read by one of them: no record is missing, and none is there in both forms.
  expect(versions.reduce((sum, { rows }) => sum + rows, 0)).toBe(expected.records.length);
  const latest = () =>
    database.db.query<{ id: string }>(
      "select transaction_id as id from tieout.transactions where account_id = $1 order by 1",
      [account.id],
    );
  expect((await latest()).map(({ id }) => id)).toEqual([...wanted].toSorted());

  // What it does not know it says, and calls nothing else wrong.
  const { mismatches } = await verify(database.db);
  expect(new Set(mismatches.map(({ problem }) => problem))).toEqual(new Set(["hash version 99 is unknown"]));

  // Once the other release is gone, a re-read brings every record in our own form.
  await planDeepRead(ours, account.id, 7);
  await workAccount(ours, account, never);
  const [, others] = versions;
  expect(await versionsOf()).toEqual([{ version: 1, rows: expected.records.length }, others]);
  const kept = await database.db.query<{ hash: string }>(
    "select encode(record_hash, 'hex') as hash from tieout.transaction_statuses where account_id = $1 and hash_version = 1",
    [account.id],
  );
  expect(new Set(kept.map(({ hash }) => hash))).toEqual(new Set(expected.records.map(recordHash)));
  const before = await latest();
  await rebuildTransactions(database.db);
  expect(await latest()).toEqual(before);
});
