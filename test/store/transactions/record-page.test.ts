import { describe, expect, test } from "vitest";
import { recordPage, type PageToRecord } from "../../../src/store/transactions/record-page.ts";
import type { Database } from "../../../src/store/database.ts";
import { preparePage } from "../../../src/sync/page.ts";
import { bareAccount, leaseWindow, readWindow } from "../../support/a-window.ts";
import { compareWithLedger, tiedOut } from "../../support/ledger-oracle.ts";
import { aRecord, expectedOf, type RawRecord } from "../../support/model-aggregator.ts";
import { readRowVersions } from "../../support/row-versions.ts";
import { useTestDatabase } from "../../support/test-database.ts";

const database = useTestDatabase();

function pageOf(rawRecords: readonly unknown[], nextCursor: string | null = null): PageToRecord {
  return { ...preparePage(rawRecords), nextCursor };
}

/** Fifty records of forty transactions: some have two statuses, and one record stands there twice. */
function aPage(): RawRecord[] {
  const records = Array.from({ length: 40 }, (_, at) =>
    aRecord({ transactionId: `t${at}`, inAmount: 100 + at }),
  );
  const pending = Array.from({ length: 9 }, (_, at) =>
    aRecord({ transactionId: `t${at}`, status: "pending", statusDate: "2026-03-01T09:59:00.000Z" }),
  );
  return [...records, ...pending, aRecord({ transactionId: "t7", inAmount: 107 })];
}

const unreadable = { transactionId: "t1", status: "completed", statusDate: "yesterday" };

describe("a page", () => {
  test("is kept with its cursor, its counts and the latest rows", async () => {
    const accountId = await bareAccount(database.db);
    const lease = await leaseWindow(database.db, accountId);
    const counts = await recordPage(database.db, lease, pageOf([...aPage(), unreadable], "next"));
    expect(counts).toMatchObject({
      read: 51,
      added: 49,
      moved: 40,
      quarantined: 1,
      waitMs: 0,
      crowded: false,
    });
    expect(await readWindow(database.db, lease.windowId)).toMatchObject({
      cursor: "next",
      pages: 1,
      read: 51,
      added: 49,
      quarantined: 1,
    });
    const verdict = await compareWithLedger(database.db, accountId, expectedOf([...aPage(), unreadable]));
    expect({ ...verdict, unfinished: [] }).toEqual(tiedOut);
  });

  test("keeps every text as it came, whatever marks the way to the database uses itself", async () => {
    const accountId = await bareAccount(database.db);
    const lease = await leaseWindow(database.db, accountId);
    const texts = [
      "NULL",
      "null",
      "",
      '"',
      "\\",
      '\\"',
      "{a,b}",
      "a,b",
      "(a)",
      "\n",
      "\t\r",
      "\\x41",
      "\\N",
      "🧾 ‮",
      "'",
    ];
    const records = texts.map((text, at) =>
      aRecord({ transactionId: `t${at} ${text}`, walletAddress: text, partnerContext: text, note: [text] }),
    );
    await recordPage(database.db, lease, pageOf(records));
    const verdict = await compareWithLedger(database.db, accountId, expectedOf(records));
    expect({ ...verdict, unfinished: [] }).toEqual(tiedOut);
    const kept = await database.db.query<{ text: string; note: string[] }>(
      `select wallet_address as text, extra -> 'note' as note
       from tieout.transactions
       where account_id = $1
       order by substring(transaction_id from '[0-9]+')::int`,
      [accountId],
    );
    expect(kept).toEqual(texts.map((text) => ({ text, note: [text] })));
  });

  test("that is read again changes no row, locks none, leaves no dead one and writes no log for them", async () => {
    const accountId = await bareAccount(database.db);
    const first = await leaseWindow(database.db, accountId);
    await recordPage(database.db, first, pageOf([...aPage(), unreadable]));
    const before = await readRowVersions(database.db, accountId);
    const dead = await deadTuples();

    const second = await leaseWindow(database.db, accountId);
    const seen: Explained[] = [];
    const counts = await recordPage(explaining(seen), second, pageOf([...aPage(), unreadable]));
    expect(counts).toMatchObject({ read: 51, added: 0, moved: 0 });
    expect(await readRowVersions(database.db, accountId)).toEqual(before);
    expect(before.filter((line) => !line.startsWith("name ")).length).toBe(49 + 40 + 1);
    expect(await deadTuples()).toEqual(dead);
    // The window's own progress is the only thing that is written.
    expect(seen.filter(({ walBytes }) => walBytes > 0).map(({ table }) => table)).toEqual(["sync_windows"]);
    expect(seen.map(({ table }) => table).toSorted()).toEqual([
      "account_providers",
      "accounts",
      "odd_histories",
      "quarantined_records",
      "sync_windows",
      // Of windows that an outage has left behind, where there are any.
      "sync_windows",
      "transaction_keys",
      "transaction_statuses",
      "transactions",
      "transactions",
    ]);
  });

  test("handed to eight workers at once is kept once, and exactly one of them counts each row as new", async () => {
    const accountId = await bareAccount(database.db);
    const leases = await Promise.all(Array.from({ length: 8 }, () => leaseWindow(database.db, accountId)));
    const page = aPage();
    const pages = leases.map((_, at) => (at % 2 === 0 ? page : page.toReversed()));
    const counts = await Promise.all(
      leases.map((lease, at) => recordPage(database.db, lease, pageOf([...(pages[at] ?? []), unreadable]))),
    );
    expect(counts.reduce((sum, { added }) => sum + added, 0)).toBe(49);
    const verdict = await compareWithLedger(database.db, accountId, expectedOf([...page, unreadable]));
    expect({ ...verdict, unfinished: [] }).toEqual(tiedOut);
  });

  test("of older statuses is added to the history and leaves the latest rows alone, even without a lock", async () => {
    const accountId = await bareAccount(database.db);
    const lease = await leaseWindow(database.db, accountId);
    await recordPage(database.db, lease, pageOf(aPage()));
    const transactionsOf = async () =>
      (await readRowVersions(database.db, accountId)).filter((line) => line.startsWith("transaction "));
    const before = await transactionsOf();
    const older = Array.from({ length: 40 }, (_, at) =>
      aRecord({ transactionId: `t${at}`, status: "new", statusDate: "2026-03-01T09:00:00.000Z" }),
    );
    expect(await recordPage(database.db, lease, pageOf(older))).toMatchObject({ added: 40, moved: 0 });
    expect(await transactionsOf()).toEqual(before);
  });

  test("asks for its rows in one order, whatever its own: two workers never wait for each other", async () => {
    const accountId = await bareAccount(database.db);
    const lease = await leaseWindow(database.db, accountId);
    // Two statuses of one transaction side by side: an order by id alone would leave those to chance.
    const records = Array.from({ length: 60 }, (_, at) =>
      aRecord({ transactionId: `t${at % 20}`, outAmount: at }),
    );
    const bad = Array.from({ length: 30 }, (_, at) => ({ ...unreadable, at }));
    const all = [...records, ...bad];
    const asked: unknown[][] = [];
    const listening: Database = {
      ...database.db,
      query: (text, values = [], name) => {
        asked.push(values);
        return database.db.query(text, values, name);
      },
    };
    for (const order of [all, all.toReversed(), shuffle(all, 1), shuffle(all, 2)])
      await recordPage(listening, lease, pageOf(order));
    expect(new Set(asked.map((values) => JSON.stringify(values))).size).toBe(1);
  });

  test("from a worker whose lease is over, or taken, leaves nothing behind", async () => {
    const accountId = await bareAccount(database.db);
    const lease = await leaseWindow(database.db, accountId);
    const before = await readWindow(database.db, lease.windowId);
    for (const stale of [
      { ...lease, fence: lease.fence - 1 },
      { ...lease, windowId: lease.windowId + 1_000 },
    ]) {
      await expect(
        recordPage(database.db, stale, pageOf([...aPage(), unreadable], "x")),
      ).rejects.toMatchObject({
        name: "LeaseLost",
      });
    }
    await database.db.query("update tieout.sync_windows set lease_until = clock_timestamp() where id = $1", [
      lease.windowId,
    ]);
    await expect(recordPage(database.db, lease, pageOf(aPage(), "x"))).rejects.toMatchObject({
      name: "LeaseLost",
    });
    expect(await readRowVersions(database.db, accountId)).toEqual([]);
    expect(await readWindow(database.db, lease.windowId)).toEqual(before);
  });
});

interface Explained {
  readonly table: string;
  readonly walBytes: number;
}

/** Runs the statement under the eyes of Postgres, which says how much log each of its parts wrote. */
function explaining(seen: Explained[]): Database {
  return {
    ...database.db,
    async query(text, values, name) {
      const explained = await database.db
        .transaction(async (tx) => {
          const [row] = await tx.query<{ "QUERY PLAN": PlanNode[] }>(
            `explain (analyze, wal, format json) ${text}`,
            values,
          );
          throw new RolledBack(row?.["QUERY PLAN"] ?? []);
        })
        .catch((error: unknown) => (error instanceof RolledBack ? error.plan : Promise.reject(error)));
      collect(explained, seen);
      return database.db.query(text, values, name);
    },
  };
}

class RolledBack extends Error {
  readonly plan: PlanNode[];
  constructor(plan: PlanNode[]) {
    super("only looked at");
    this.plan = plan;
  }
}

interface PlanNode {
  readonly Plan?: PlanNode;
  readonly Plans?: readonly PlanNode[];
  readonly "Node Type"?: string;
  readonly "Relation Name"?: string;
  readonly "WAL Bytes"?: number;
}

function collect(nodes: readonly PlanNode[], seen: Explained[]): void {
  for (const node of nodes) {
    if (node["Node Type"] === "ModifyTable")
      seen.push({ table: node["Relation Name"] ?? "", walBytes: node["WAL Bytes"] ?? Number.NaN });
    collect([...(node.Plan ? [node.Plan] : []), ...(node.Plans ?? [])], seen);
  }
}

async function deadTuples(): Promise<unknown> {
  // What this session counted only becomes visible to others when it is flushed.
  await database.db.query("select pg_stat_force_next_flush()");
  return database.db.query(
    `select relname, n_dead_tup::int as dead, n_tup_upd::int as updated, n_tup_del::int as deleted
     from pg_stat_user_tables
     where relname in ('transaction_statuses', 'transactions', 'quarantined_records')
     order by relname`,
  );
}

function shuffle<T>(things: readonly T[], seed: number): T[] {
  let state = seed + 1;
  const draw = () => (state = (state * 48_271) % 2_147_483_647);
  return things
    .map((thing) => ({ thing, key: draw() }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ thing }) => thing);
}
