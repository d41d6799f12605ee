import { describe, expect, test } from "vitest";
import { rebuildTransactions } from "../../../src/store/transactions/rebuild.ts";
import { recordPage } from "../../../src/store/transactions/record-page.ts";
import { listTransactions } from "../../../src/store/transactions/transaction-reads.ts";
import { preparePage } from "../../../src/sync/page.ts";
import { verify } from "../../../src/sync/verify.ts";
import { bareAccount, leaseWindow } from "../../support/a-window.ts";
import { aRecord, type RawRecord } from "../../support/model-aggregator.ts";
import { useTestDatabase } from "../../support/test-database.ts";

const database = useTestDatabase();

const hash = "ab".repeat(32);
const wallet = "0x52908400098527886E0F7030069857D2E4169EE7";
const uuid = "3F2A7D10-0000-4000-8000-00000000000A";

/** A purchase as its statuses show it: the hash comes last, and so does the second of the provider's ids. */
const statuses: RawRecord[] = [
  aRecord({
    transactionId: "T1",
    status: "new",
    statusDate: "2026-03-31T23:50:00.000Z",
    transactionHash: "",
  }),
  aRecord({
    transactionId: "T1",
    status: "pending",
    statusDate: "2026-03-31T23:55:00.000Z",
    transactionHash: "",
  }),
  aRecord({
    transactionId: "T1",
    status: "completed",
    statusDate: "2026-04-01T00:01:00.000Z",
    transactionHash: `0x${hash}`,
  }),
].map((one, at) => ({
  ...one,
  walletAddress: wallet,
  partnerContext: "order 77",
  onrampTransactionId: at < 2 ? uuid : "PROVIDER-2",
}));

const names = [
  { kind: "hash", key: hash },
  { kind: "provider_id", key: uuid.toLowerCase() },
  { kind: "provider_id", key: "PROVIDER-2" },
  { kind: "reference", key: "order 77" },
  { kind: "wallet", key: wallet.toLowerCase() },
];

async function record(accountId: number, pages: readonly (readonly RawRecord[])[]): Promise<void> {
  for (const page of pages) {
    const lease = await leaseWindow(database.db, accountId);
    await recordPage(database.db, lease, { ...preparePage(page), nextCursor: null });
  }
}

function namesIn(accountId: number): Promise<unknown[]> {
  return database.db.query(
    "select kind, key from tieout.transaction_keys where account_id = $1 order by kind, key",
    [accountId],
  );
}

describe("the names of a transaction", () => {
  test.each([
    ["one page", [statuses]],
    ["three, in order", statuses.map((one) => [one])],
    ["three, the newest first", statuses.toReversed().map((one) => [one])],
    ["three, read twice", [...statuses, ...statuses].map((one) => [one])],
  ])("are written once each, whichever way they arrive: %s", async (_, pages) => {
    await database.db.query("select tieout.make_months('2026-03-01Z', '2026-04-30Z')");
    const accountId = await bareAccount(database.db);
    await record(accountId, pages);
    expect(await namesIn(accountId)).toEqual(names);
  });

  test("are missed by verify, and written again by rebuild", async () => {
    const accountId = await bareAccount(database.db);
    await record(accountId, [statuses]);
    await database.db.query("delete from tieout.transaction_keys where account_id = $1 and kind = 'hash'", [
      accountId,
    ]);
    expect((await verify(database.db)).mismatches).toEqual([
      {
        subject: "transaction T1",
        problem: "one of its names (hash) cannot be looked up: run tieout rebuild",
      },
    ]);
    expect(await rebuildTransactions(database.db)).toMatchObject({ mended: 0, named: 1 });
    expect(await namesIn(accountId)).toEqual(names);
    await database.db.query(
      "insert into tieout.transaction_keys (account_id, month, kind, key, transaction_id) values ($1, '2026-03-01', 'hash', 'x', 'T1')",
      [accountId],
    );
    expect((await verify(database.db)).mismatches).toEqual([
      { subject: "transaction T1", problem: "a name (hash) leads to it that no status row brings" },
    ]);
    await database.db.query("delete from tieout.transaction_keys where account_id = $1 and key = 'x'", [
      accountId,
    ]);
  });

  test.each([
    ["the whole hash", `0x${hash}`],
    ["the hash without 0x, in capitals", hash.toUpperCase()],
    ["its first eight digits", `0x${hash.slice(0, 8)}`],
    ["a provider's id that was replaced, in either case", uuid.toLowerCase()],
    ["the beginning of that id", uuid.slice(0, 9)],
    ["our reference", "order 77"],
    ["the wallet's address in lower case", wallet.toLowerCase()],
    ["the beginning of the address", wallet.slice(0, 12)],
    ["its own id", "T1"],
  ])("find it by %s", async (_, text) => {
    const accountId = await bareAccount(database.db);
    const other = aRecord({
      transactionId: "T2",
      walletAddress: "",
      transactionHash: "",
      onrampTransactionId: "P",
    });
    await record(accountId, [[...statuses, other]]);
    const found = await listTransactions(
      { database: database.db, accountIds: [accountId] },
      {
        filters: { ranges: [], q: { text, wallets: true } },
        sort: "-status_date",
        page: { limit: 10, after: null },
      },
    );
    expect(found.rows.map(({ transaction_id }) => transaction_id)).toEqual(["T1"]);
  });
});
