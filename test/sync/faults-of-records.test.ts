import { randomBytes } from "node:crypto";
import * as fc from "fast-check";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { DAY, HOUR, SECOND } from "../../src/core/duration.ts";
import { formatInstant } from "../../src/core/instant.ts";
import { noFaults } from "../../src/sandbox/transactions/faults.ts";
import { keepKeys } from "../../src/reconcile/keep-keys.ts";
import { recordPage } from "../../src/store/transactions/record-page.ts";
import { insertWindows } from "../../src/store/windows/sync-windows.ts";
import type { SyncAccount } from "../../src/sync/deps.ts";
import { preparePage } from "../../src/sync/page.ts";
import { planDeepRead } from "../../src/sync/plan-account.ts";
import { verify } from "../../src/sync/verify.ts";
import { workAccount } from "../../src/sync/work-account.ts";
import { bareAccount, leaseWindow, readWindow, readWindows } from "../support/a-window.ts";
import { startHttpServer } from "../support/http-server.ts";
import { compareWithLedger, readLedger, tiedOut } from "../support/ledger-oracle.ts";
import { aRecord, expectedOf, modelAggregator, type RawRecord } from "../support/model-aggregator.ts";
import { never, syncDeps } from "../support/sync-deps.ts";
import { findingsOf, idsOf, quarantineOf } from "../support/sync-reads.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { addAccount, openFrozenSandbox, passTime, syncToEnd } from "../support/use-sync.ts";
import { isRecordPages, wrapDatabase } from "../support/wrap-database.ts";

const database = useTestDatabase();
const start = Date.UTC(2026, 2, 1);

/** An account with one window and a list that the test holds in its hands. */
async function listed(records: () => readonly RawRecord[], pageSize = 50): Promise<SyncAccount> {
  const account = await addAccount(database.db, { url: "http://127.0.0.1:1" }, { syncStartMs: start });
  await insertWindows(database.db, account.id, [{ kind: "live", fromMs: start, toMs: start + HOUR }]);
  return { ...account, upstream: modelAggregator({ records, pageSize }) };
}

describe("fault 14: a status, or any other word, that nobody has heard of", () => {
  test("is kept as received, and is open", async () => {
    const { sandbox } = await openFrozenSandbox({ transactions: 100 });
    sandbox.switches.faults = { ...noFaults, "unknown-status": 0.4 };
    const account = await addAccount(database.db, sandbox);
    await syncToEnd(syncDeps(database.db), account);
    expect(await compareWithLedger(database.db, account.id, await readLedger(sandbox))).toEqual(tiedOut);
    const [row] = await database.db.query<{ unknown: number; open: number }>(
      `select count(*)::int as unknown, count(*) filter (where not is_final)::int as open
       from tieout.transactions
       where account_id = $1 and status_rank = 0`,
      [account.id],
    );
    expect(row?.unknown).toBeGreaterThan(10);
    expect(row?.open).toBe(row?.unknown);
  });

  test("in any field, in any script, is kept as received", async () => {
    const word = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 });
    const words = fc.record({
      status: word,
      transactionType: word,
      onramp: word,
      paymentMethod: word,
      country: word,
      sourceCurrency: word,
    });
    const some = fc.sample(words, { numRuns: 60, seed: 14 });
    const records = some.map((fields, n) =>
      aRecord({ transactionId: `t${n}`, statusDate: formatInstant(start + n), ...fields }),
    );
    const account = await listed(() => records);
    await workAccount(syncDeps(database.db), account, never);
    expect(await compareWithLedger(database.db, account.id, expectedOf(records))).toEqual(tiedOut);
  });
});

describe("fault 15: a field that is added, missing, null or of another type", () => {
  test("costs at most its own record: received is new, seen or quarantined, always", async () => {
    const names = Object.keys(aRecord({ transactionId: "t" }));
    const odd = fc.oneof(
      fc.constant(null),
      fc.constant(undefined),
      fc.jsonValue({ maxDepth: 2 }),
      fc.constant("12,5O"),
    );
    const mutation = fc.record({ field: fc.constantFrom(...names, "somethingNew"), value: odd });
    await fc.assert(
      fc.asyncProperty(fc.array(mutation, { minLength: 1, maxLength: 12 }), async (mutations) => {
        const accountId = await bareAccount(database.db);
        const lease = await leaseWindow(database.db, accountId);
        const raw = mutations.map(({ field, value }, n) => ({
          ...aRecord({ transactionId: `t${n}`, n }),
          [field]: value,
        }));
        const page = { ...preparePage(raw), nextCursor: null };
        const first = await recordPage(database.db, lease, page);
        expect(first.added + first.quarantined).toBe(raw.length);
        const again = await recordPage(database.db, lease, page);
        expect(again).toMatchObject({ read: raw.length, added: 0, moved: 0 });
        const verdict = await compareWithLedger(database.db, accountId, expectedOf(raw));
        expect({ ...verdict, unfinished: [] }).toEqual(tiedOut);
      }),
      { numRuns: 40 },
    );
  });

  test("in the sandbox's listing: what can be read is kept, the rest is set aside with its reason", async () => {
    const { sandbox } = await openFrozenSandbox({ transactions: 150 });
    sandbox.switches.faults = { ...noFaults, malformed: 0.1, "unknown-fields": 0.2, "null-fields": 0.2 };
    const account = await addAccount(database.db, sandbox);
    const { windows } = await syncToEnd(syncDeps(database.db), account);
    const expected = await readLedger(sandbox);
    expect(await compareWithLedger(database.db, account.id, expected)).toEqual(tiedOut);
    expect(windows.quarantined).toBeGreaterThanOrEqual(expected.malformed);
    const quarantine = await quarantineOf(database.db, account.id);
    // Read again, they are not more.
    const again = await syncToEnd(syncDeps(database.db), account);
    expect(again.windows.quarantined).toBe(quarantine.length);
    const reasons = new Set(quarantine.map(({ reason }) => reason));
    expect(reasons.size).toBeGreaterThanOrEqual(5);
  });
});

test("fault 16: one record in many spellings is one row, with every digit", async () => {
  const amounts: [string[], string][] = [
    [["1", "1.0", "1.00", "1e0", "10E-1", '"1.000"'], "1"],
    [["1e-7", "0.0000001", '"0.00000010"'], "0.0000001"],
    [["-0", "0", "0.000"], "0"],
    [["9007199254740993", "9007199254740993.0", "9.007199254740993e15"], "9007199254740993"],
    [["0.123456789012345678", '"0.1234567890123456780"'], "0.123456789012345678"],
  ];
  const texts = amounts.flatMap(([spellings], n) =>
    spellings.flatMap((amount) => [
      `{"transactionId":"t${n}","status":"completed","statusDate":"2026-03-01T00:00:00.000Z","outAmount":${amount},"x":{"a":1.0,"b":2}}`,
      `{ "x" : {"b":2.0, "a":1} ,\n "outAmount": ${amount}, "statusDate":"2026-03-01T01:00:00+01:00", "Status":"SUCCESS", "TxId":"t${n}" }`,
    ]),
  );
  const server = await startHttpServer([{ body: `{"transactions":[${texts.join(",")}],"limit":50}` }]);
  onTestFinished(() => server.close());
  const account = await addAccount(database.db, server, { syncStartMs: start });
  await insertWindows(database.db, account.id, [{ kind: "live", fromMs: start, toMs: start + HOUR }]);
  await workAccount(syncDeps(database.db), account, never);
  const rows = await database.db.query<{ amount: string }>(
    "select trim_scale(out_amount)::text as amount from tieout.transaction_statuses where account_id = $1 order by transaction_id",
    [account.id],
  );
  expect(rows.map(({ amount }) => amount)).toEqual(amounts.map(([, exact]) => exact));
});

describe("fault 23: a record that the database cannot hold", () => {
  // Refused by the database itself, and by nobody before it.
  beforeAll(async () => {
    await database.db.query(
      "alter table tieout.transactions add constraint no_poison check (payment_method <> 'poison')",
    );
  });
  const poison = (id: string, at: number) =>
    aRecord({ transactionId: id, statusDate: formatInstant(start + at), paymentMethod: "poison" });
  const good = (n: number) => aRecord({ transactionId: `t${n}`, statusDate: formatInstant(start + n) });

  test.each<[string, RawRecord[]]>([
    ["one in a hundred", Array.from({ length: 100 }, (_, n) => (n === 37 ? poison("bad", n) : good(n)))],
    ["all", Array.from({ length: 12 }, (_, n) => poison(`bad ${n}`, n))],
    ["on the last page", [...Array.from({ length: 60 }, (_, n) => good(n)), poison("bad", 60)]],
  ])("%s: it is quarantined, the others are kept, the window is sealed", async (_, records) => {
    const account = await listed(() => records);
    await workAccount(syncDeps(database.db), account, never);
    const bad = records.filter(({ transactionId }) => transactionId.startsWith("bad"));
    const kept = records.filter((record) => !bad.includes(record)).map(({ transactionId }) => transactionId);
    expect(await idsOf(database.db, account.id)).toEqual(kept.toSorted());
    const quarantined = await quarantineOf(database.db, account.id);
    expect(quarantined.map(({ reason }) => reason)).toEqual(bad.map(() => "not_storable"));
    const [window] = await readWindows(database.db, account.id);
    expect(await readWindow(database.db, window?.id ?? 0)).toMatchObject({
      state: "sealed",
      read: records.length,
      added: kept.length,
      quarantined: bad.length,
    });
  });

  test.each([1, 2, 3, 4, 5])(
    "loses nothing when the worker dies after %d of its parts",
    async (writesMax) => {
      const records = Array.from({ length: 30 }, (_, n) => (n === 4 ? poison("bad", n) : good(n)));
      const account = await listed(() => records, 15);
      let writes = 0;
      const mortal = wrapDatabase(database.db, async (next, text, values, name) => {
        if (!isRecordPages(name)) return next(text, values, name);
        if (writes === writesMax) throw new Error("died");
        const rows = await next(text, values, name);
        writes++;
        return rows;
      });
      await expect(workAccount(syncDeps(mortal), account, never)).rejects.toThrow("died");
      await passTime(database.db, account.id);
      await workAccount(syncDeps(database.db), account, never);
      expect((await idsOf(database.db, account.id)).length).toBe(29);
      expect(await quarantineOf(database.db, account.id)).toHaveLength(1);
    },
  );

  test("does not stop the refresh of open transactions either", async () => {
    const pending = (id: string) =>
      aRecord({ transactionId: id, status: "pending", statusDate: formatInstant(start) });
    const records = [pending("a"), pending("b")];
    const account = await listed(() => records);
    const deps = syncDeps(database.db);
    await workAccount(deps, account, never);
    records.push(poison("a", 2), { ...good(3), transactionId: "b" });
    const nowMs = Date.now();
    await insertWindows(database.db, account.id, [
      { kind: "refresh", fromMs: nowMs - 100 * DAY, toMs: nowMs },
    ]);
    await workAccount(deps, account, never);
    const windows = await readWindows(database.db, account.id);
    expect(windows.map(({ state }) => state)).toEqual(["sealed", "sealed"]);
    const rows = await database.db.query(
      "select transaction_id as id, status from tieout.transactions where account_id = $1 order by 1",
      [account.id],
    );
    expect(rows).toEqual([
      { id: "a", status: "pending" },
      { id: "b", status: "completed" },
    ]);
    expect(await quarantineOf(database.db, account.id)).toHaveLength(1);
  });
});

test("fault 23: an id too long for an index is quarantined, whatever the order and however well it compresses", async () => {
  const at = (n: number) => formatInstant(start + n * SECOND);
  const long = (characters: number) => randomBytes(characters / 2).toString("hex");
  const records = [
    aRecord({ transactionId: "hash", statusDate: at(1), transactionHash: long(6_000) }),
    aRecord({ transactionId: "hash", statusDate: at(2) }),
    aRecord({
      transactionId: "compressible",
      statusDate: at(1),
      onrampTransactionId: "a".repeat(9_000),
    }),
    aRecord({ transactionId: long(602), statusDate: at(1) }),
    aRecord({ transactionId: "three bytes each", statusDate: at(1), walletAddress: "€".repeat(201) }),
    aRecord({ transactionId: "reference", statusDate: at(1), partnerContext: { of: long(1_900) } }),
    aRecord({ transactionId: "source", statusDate: at(1), sourceCurrency: long(6_000) }),
    aRecord({ transactionId: "target", statusDate: at(1), targetCurrency: long(602) }),
    aRecord({
      transactionId: "just fits",
      statusDate: at(1),
      walletAddress: long(600),
      sourceCurrency: long(600),
    }),
    aRecord({ transactionId: "fits", statusDate: at(1), partnerContext: long(1_900), note: long(9_000) }),
  ];
  for (const order of [records, records.toReversed()]) {
    const account = await listed(() => order);
    await workAccount(syncDeps(database.db), account, never);
    expect(await idsOf(database.db, account.id)).toEqual(["fits", "hash", "just fits"]);
    const fields = (await quarantineOf(database.db, account.id)).map(({ reason, field }) => [reason, field]);
    expect(fields.map(([reason]) => reason)).toEqual(Array.from({ length: 7 }, () => "id_too_long"));
    expect(new Set(fields.map(([, field]) => field))).toEqual(
      new Set([
        "partnerContext",
        "providerTransactionId",
        "sourceCurrency",
        "targetCurrency",
        "transactionHash",
        "transactionId",
        "walletAddress",
      ]),
    );
    // What is kept can be reconciled.
    await database.db.transaction((tx) => keepKeys(tx, account.id));
  }
});

test("fault 23: a quarantined record that is met again says so once a day, and a second reading changes no row", async () => {
  const account = await listed(() => [
    aRecord({ transactionId: "a", statusDate: formatInstant(start), inAmount: "much" }),
  ]);
  const again = async () => {
    await insertWindows(database.db, account.id, [{ kind: "lookback", fromMs: start, toMs: start + HOUR }]);
    await workAccount(syncDeps(database.db), account, never);
    const [row] = await database.db.query(
      `select ctid::text as version, last_seen_at > clock_timestamp() - interval '1 hour' as lately
       from tieout.quarantined_records
       where account_id = $1`,
      [account.id],
    );
    return row;
  };
  const first = await again();
  expect(await again()).toEqual(first);
  await database.db.query(
    "update tieout.quarantined_records set last_seen_at = clock_timestamp() - interval '25 hours' where account_id = $1",
    [account.id],
  );
  expect(await again()).toMatchObject({ lately: true });
});

test("fault 25: a record that changes without a new date keeps both rows, and a deep re-read lists it", async () => {
  const { sandbox, clock } = await openFrozenSandbox({ transactions: 150 });
  sandbox.switches.faults = { ...noFaults, edited: 0.2, "churn-seconds": 30 };
  const account = await addAccount(database.db, sandbox);
  const deps = syncDeps(database.db);
  const before = await readLedger(sandbox);
  await syncToEnd(deps, account);
  clock.nowMs += 30 * SECOND;
  const after = await readLedger(sandbox);
  await planDeepRead(deps, account.id, 7);
  await workAccount(deps, account, never);
  const both = new Map(
    [...before.records, ...after.records].map((record) => [JSON.stringify(record), record]),
  );
  const verdict = await compareWithLedger(database.db, account.id, { ...after, records: [...both.values()] });
  expect(verdict).toEqual(tiedOut);
  const known = new Set(before.records.map((record) => JSON.stringify(record)));
  const changed = after.records.filter((record) => !known.has(JSON.stringify(record)));
  const ids = [...new Set(changed.map(({ transactionId }) => `${transactionId} changed`))];
  expect(ids.length).toBeGreaterThan(20);
  expect(await findingsOf(database.db, account.id)).toEqual(ids.toSorted());
});

test("fault 26: a chain hash that is empty, then set, then replaced, and one that two transactions share", async () => {
  const record = (id: string, n: number, transactionHash: string) =>
    aRecord({ transactionId: id, statusDate: formatInstant(start + n), transactionHash });
  const records = [
    record("a", 0, ""),
    record("a", 1, "0xabc"),
    record("a", 2, "0xdef"),
    record("b", 3, "0xdef"),
  ];
  const account = await listed(() => records, 1);
  await workAccount(syncDeps(database.db), account, never);
  expect(await compareWithLedger(database.db, account.id, expectedOf(records))).toEqual(tiedOut);
  const rows = await database.db.query(
    "select transaction_id as id, transaction_hash as hash from tieout.transactions where account_id = $1 order by 1",
    [account.id],
  );
  expect(rows).toEqual([
    { id: "a", hash: "0xdef" },
    { id: "b", hash: "0xdef" },
  ]);
});

test.each(["left-out", "refused"] as const)(
  "fault 27: what vanishes is listed by a deep re-read, each and none falsely; nothing is deleted; what returns is listed too (unknown ids: %s)",
  async (unknownIds) => {
    const { sandbox, clock } = await openFrozenSandbox({ transactions: 150 });
    const account = await addAccount(database.db, sandbox);
    const deps = syncDeps(database.db);
    const complete = await readLedger(sandbox);
    await syncToEnd(deps, account);
    // Selected by creation: a transaction is then not listed where its status lies, and yet it is there.
    sandbox.switches.dialect = {
      ...sandbox.switches.dialect,
      window: "creation",
      "unknown-ids": unknownIds,
    };
    sandbox.switches.faults = { ...noFaults, vanished: 0.2, "churn-seconds": 1 };
    await readLedger(sandbox); // they begin to vanish when the sandbox first notices
    clock.nowMs += 2 * SECOND;
    const there = new Set((await readLedger(sandbox)).records.map(({ transactionId }) => transactionId));
    const gone = (await idsOf(database.db, account.id)).filter((id) => !there.has(id));
    expect(gone.length).toBeGreaterThan(15);
    await planDeepRead(deps, account.id, 7);
    await workAccount(deps, account, never);
    expect(await findingsOf(database.db, account.id)).toEqual(gone.map((id) => `${id} vanished`));
    expect(await missing(account.id)).toEqual(gone);

    sandbox.switches.faults = noFaults;
    await planDeepRead(deps, account.id, 7);
    await workAccount(deps, account, never);
    const found = await findingsOf(database.db, account.id);
    expect(found.filter((line) => line.endsWith("returned"))).toEqual(gone.map((id) => `${id} returned`));
    expect(await missing(account.id)).toEqual([]);
    expect(await compareWithLedger(database.db, account.id, complete)).toEqual(tiedOut);
    expect(await verify(database.db)).toMatchObject({ mismatches: [] });
  },
);

test("what vanishes is listed although it is dated just before the account's start", async () => {
  // Windows ask for a millisecond more on both sides, so this one is read too.
  let records = [aRecord({ transactionId: "just-before", statusDate: formatInstant(start - 1) })];
  const account = await listed(() => records);
  await workAccount(syncDeps(database.db), account, never);
  expect(await idsOf(database.db, account.id)).toEqual(["just-before"]);
  records = [];
  await insertWindows(database.db, account.id, [{ kind: "deep", fromMs: start, toMs: start + HOUR }]);
  await workAccount(syncDeps(database.db), account, never);
  expect(await missing(account.id)).toEqual(["just-before"]);
});

async function missing(accountId: number): Promise<string[]> {
  const rows = await database.db.query<{ id: string }>(
    "select transaction_id as id from tieout.transactions where account_id = $1 and missing_since is not null order by 1",
    [accountId],
  );
  return rows.map(({ id }) => id);
}
