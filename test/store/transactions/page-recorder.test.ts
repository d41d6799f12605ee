import { describe, expect, test } from "vitest";
import { createPageRecorder } from "../../../src/store/transactions/page-recorder.ts";
import type { PageToRecord } from "../../../src/store/transactions/record-page.ts";
import { preparePage } from "../../../src/sync/page.ts";
import { bareAccount, leaseWindow, readWindow } from "../../support/a-window.ts";
import { compareWithLedger, tiedOut } from "../../support/ledger-oracle.ts";
import { aRecord, expectedOf, type RawRecord } from "../../support/model-aggregator.ts";
import { useTestDatabase } from "../../support/test-database.ts";
import { recordPageName, wrapDatabase } from "../../support/wrap-database.ts";

const database = useTestDatabase();

/** Statements seen, as how many pages each of them kept. */
function recorderWithEyes(): { groups: number[]; record: ReturnType<typeof createPageRecorder> } {
  const groups: number[] = [];
  const seen = wrapDatabase(database.db, (next, text, values = [], name) => {
    if (name === recordPageName) groups.push((values[0] as number[]).length);
    return next(text, values, name);
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
