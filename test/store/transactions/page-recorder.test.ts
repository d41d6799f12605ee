import { describe, expect, test } from "vitest";
import { createPageRecorder } from "../../../src/store/transactions/page-recorder.ts";
import { type PageToRecord, recordPage } from "../../../src/store/transactions/record-page.ts";
import { preparePage } from "../../../src/sync/page.ts";
import { bareAccount, leaseWindow, readWindow } from "../../support/a-window.ts";
import { compareWithLedger, tiedOut } from "../../support/ledger-oracle.ts";
import { aRecord, expectedOf, type RawRecord } from "../../support/model-aggregator.ts";
import { readRowVersions } from "../../support/row-versions.ts";
import { useTestDatabase } from "../../support/test-database.ts";
import { waitFor } from "../../support/wait-for.ts";
import { isRecordPages, wrapDatabase } from "../../support/wrap-database.ts";

const database = useTestDatabase();

/** Statements that were not refused, as how many pages each of them kept. */
function recorderWithEyes(): { groups: number[]; record: ReturnType<typeof createPageRecorder> } {
  const groups: number[] = [];
  const seen = wrapDatabase(database.db, async (next, text, values = [], name) => {
    const rows = await next(text, values, name);
    if (isRecordPages(name)) groups.push((values[0] as number[]).length);
    return rows;
  });
  return { groups, record: createPageRecorder(seen) };
}

function rawPage(number: number): RawRecord[] {
  return Array.from({ length: 5 }, (_, at) => aRecord({ transactionId: `p${number}t${at}` }));
}

function pageOf(records: readonly unknown[], nextCursor: string | null = null): PageToRecord {
  return { ...preparePage(records), nextCursor };
}

describe("pages that come in together", () => {
  test("go in few statements, and each window counts only its own", async () => {
    const accountId = await bareAccount(database.db);
    const leases = await Promise.all(Array.from({ length: 20 }, () => leaseWindow(database.db, accountId)));
    const { groups, record } = recorderWithEyes();
    const shared = aRecord({ transactionId: "in every page" });
    const raw = leases.map((_, number) => [...rawPage(number), shared]);
    const counts = await Promise.all(
      leases.map((lease, number) => record(lease, pageOf(raw[number] ?? [], `cursor ${number}`))),
    );
    expect(groups.reduce((sum, pages) => sum + pages, 0)).toBe(20);
    expect(groups.length).toBeLessThan(8);
    expect(counts.map(({ read }) => read)).toEqual(leases.map(() => 6));
    expect(counts.reduce((sum, { added }) => sum + added, 0)).toBe(20 * 5 + 1);
    const windows = await Promise.all(leases.map(({ windowId }) => readWindow(database.db, windowId)));
    expect(windows.map(({ cursor }) => cursor)).toEqual(leases.map((_, number) => `cursor ${number}`));
    expect(windows.map(({ pages, read }) => ({ pages, read }))).toEqual(
      leases.map(() => ({ pages: 1, read: 6 })),
    );
    expect(windows.map(({ added }) => added)).toEqual(counts.map(({ added }) => added));
    const verdict = await compareWithLedger(database.db, accountId, expectedOf(raw.flat()));
    expect({ ...verdict, unfinished: [] }).toEqual(tiedOut);
  });

  test("are kept when one of them has lost its lease, and only that one hears of it", async () => {
    const accountId = await bareAccount(database.db);
    const leases = await Promise.all(Array.from({ length: 6 }, () => leaseWindow(database.db, accountId)));
    const { record } = recorderWithEyes();
    const ends = await Promise.allSettled(
      leases.map((lease, number) =>
        record(number === 3 ? { ...lease, fence: lease.fence - 1 } : lease, pageOf(rawPage(number))),
      ),
    );
    expect(ends.map(({ status }) => status)).toEqual(
      leases.map((_, number) => (number === 3 ? "rejected" : "fulfilled")),
    );
    expect(ends[3]).toMatchObject({ reason: { name: "LeaseLost" } });
    const kept = [0, 1, 2, 4, 5].flatMap(rawPage);
    const verdict = await compareWithLedger(database.db, accountId, expectedOf(kept));
    expect({ ...verdict, unfinished: [] }).toEqual(tiedOut);
  });

  test("are kept when one of them holds what the database refuses, and only that one fails", async () => {
    const accountId = await bareAccount(database.db);
    const leases = await Promise.all(Array.from({ length: 6 }, () => leaseWindow(database.db, accountId)));
    const { record } = recorderWithEyes();
    const poisoned = pageOf(rawPage(3));
    const [first] = poisoned.records;
    if (first) poisoned.records = [{ ...first, recordHash: "not hexadecimal" }];
    const ends = await Promise.allSettled(
      leases.map((lease, number) => record(lease, number === 3 ? poisoned : pageOf(rawPage(number)))),
    );
    expect(ends.map(({ status }) => status)).toEqual(
      leases.map((_, number) => (number === 3 ? "rejected" : "fulfilled")),
    );
    const kept = [0, 1, 2, 4, 5].flatMap(rawPage);
    const verdict = await compareWithLedger(database.db, accountId, expectedOf(kept));
    expect({ ...verdict, unfinished: [] }).toEqual(tiedOut);
  });

  test("are kept once when another process is adding the same records, and has not committed yet", async () => {
    const accountId = await bareAccount(database.db);
    const [ours, theirs] = [
      await leaseWindow(database.db, accountId),
      await leaseWindow(database.db, accountId),
    ];
    const raw = [...rawPage(1), ...rawPage(2)];
    const forms: (string | undefined)[] = [];
    const seen = wrapDatabase(database.db, (next, text, values, name) => {
      forms.push(name);
      return next(text, values, name);
    });
    const [waiting, first] = await database.db.transaction(async (tx) => {
      const added = await recordPage(tx, theirs, pageOf(rawPage(2)));
      const recording = createPageRecorder(seen)(ours, pageOf(raw));
      await waitFor("the second statement waits for the first", async () => {
        const [row] = await tx.query<{ waits: boolean }>(
          `select exists (select from pg_stat_activity
                          where wait_event_type = 'Lock' and datname = current_database()) as waits`,
        );
        return row?.waits;
      });
      return [recording.then(({ added: count }) => count), added.added] as const;
    });
    expect([first, await waiting]).toEqual([5, 5]);
    expect(forms).toEqual(["record_pages_optimistic", "record_pages_tolerant"]);
    const verdict = await compareWithLedger(database.db, accountId, expectedOf(raw));
    expect({ ...verdict, unfinished: [] }).toEqual(tiedOut);
  });

  test("in any order and read again, change no row the second time", async () => {
    const accountId = await bareAccount(database.db);
    const { record } = recorderWithEyes();
    const statuses = ["completed", "new", "paid", "pending"];
    const raw = statuses.map((status, at) =>
      Array.from({ length: 5 }, (_, number) =>
        aRecord({
          transactionId: `t${number}`,
          status,
          statusDate: `2026-03-01T10:0${(at * 3) % 4}:00.000Z`,
        }),
      ),
    );
    const addedBy = async () => {
      const added: number[] = [];
      for (const records of raw) {
        const counts = await record(await leaseWindow(database.db, accountId), pageOf(records));
        added.push(counts.added);
      }
      return added;
    };
    expect(await addedBy()).toEqual([5, 5, 5, 5]);
    const before = await readRowVersions(database.db, accountId);
    expect(await addedBy()).toEqual([0, 0, 0, 0]);
    expect(await readRowVersions(database.db, accountId)).toEqual(before);
    const verdict = await compareWithLedger(database.db, accountId, expectedOf(raw.flat()));
    expect({ ...verdict, unfinished: [] }).toEqual(tiedOut);
  });

  test("bring back a status row that was lost, although the latest row is still there", async () => {
    const accountId = await bareAccount(database.db);
    const { record } = recorderWithEyes();
    const records = rawPage(1);
    await record(await leaseWindow(database.db, accountId), pageOf(records));
    await database.db.transaction(async (tx) => {
      await tx.query("set local session_replication_role = replica");
      await tx.query(
        "delete from tieout.transaction_statuses where account_id = $1 and transaction_id = $2",
        [accountId, "p1t2"],
      );
    });
    const counts = await record(await leaseWindow(database.db, accountId), pageOf(records));
    expect(counts.added).toBe(1);
    const verdict = await compareWithLedger(database.db, accountId, expectedOf(records));
    expect({ ...verdict, unfinished: [] }).toEqual(tiedOut);
  });

  test("of one window never go in one statement: each of them is counted", async () => {
    const accountId = await bareAccount(database.db);
    const lease = await leaseWindow(database.db, accountId);
    const { record } = recorderWithEyes();
    await Promise.all([0, 1, 2].map((number) => record(lease, pageOf(rawPage(number), `cursor ${number}`))));
    expect(await readWindow(database.db, lease.windowId)).toMatchObject({
      pages: 3,
      read: 15,
      added: 15,
    });
  });
});
