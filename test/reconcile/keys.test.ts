import { expect, test } from "vitest";
import { keepKeys } from "../../src/reconcile/keep-keys.ts";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { rowsOf } from "../report/claims.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { addRecords, type ARecord, type Books, openBooks } from "./books.ts";

const database = useTestDatabase();

/** Keys that were replaced, that came late, in capitals, with and without 0x; and histories that contradict themselves. */
const days: readonly (readonly ARecord[])[] = [
  [
    { id: "one-row" },
    { id: "7C9E6679-7425-40DE-944B-E07FC1F90AE7", partnerContext: "order-1" },
    { id: "capitals", onrampTransactionId: "7C9E6679-7425-40DE-944B-E07FC1F90AE8" },
    {
      id: "replaced",
      status: "pending",
      onrampTransactionId: "first",
      transactionHash: `0x${"a".repeat(64)}`,
    },
    { id: "context", status: "pending", partnerContext: "7C9E6679-7425-40DE-944B-E07FC1F90AE9" },
    { id: "reversed", transactionHash: "e".repeat(64) },
    { id: "late", status: "pending", onrampTransactionId: "", transactionHash: "" },
  ],
  [
    {
      id: "replaced",
      at: "2026-03-11T12:00:00.000Z",
      onrampTransactionId: "second",
      transactionHash: "B".repeat(64),
    },
    { id: "context", at: "2026-03-11T12:00:00.000Z", partnerContext: "order-2" },
    { id: "reversed", status: "failed", at: "2026-03-11T12:00:00.000Z", transactionHash: "e".repeat(64) },
    { id: "late", at: "2026-03-11T12:00:00.000Z", transactionHash: `0x${"c".repeat(60)}` },
    { id: "twin-a", transactionHash: "d".repeat(64) },
  ],
  [
    { id: "replaced", status: "pending", at: "2026-03-09T12:00:00.000Z", onrampTransactionId: "older" },
    { id: "twin-b", transactionHash: "d".repeat(64) },
  ],
];

test("the keys of an account are the same whether they are gathered at once or day by day", async () => {
  const { db } = database;
  const atOnce = await openBooks(db);
  for (const records of days) await addRecords(atOnce, records);
  await db.transaction((tx) => keepKeys(tx, atOnce.accountId));

  const dayByDay = await openBooks(db);
  for (const records of days) {
    await addRecords(dayByDay, records);
    await db.transaction((tx) => keepKeys(tx, dayByDay.accountId));
  }

  const kept = await keptKeys(atOnce);
  expect(await keptKeys(dayByDay)).toEqual(kept);
  expect(kept).toMatchObject({
    keys: [
      { kind: "hash", key: "a".repeat(64) },
      { kind: "hash", key: "b".repeat(64) },
      { kind: "provider_id", key: "first" },
      { kind: "provider_id", key: "older" },
      { kind: "provider_id", key: "second" },
    ],
    odd: [{ transaction_id: "replaced" }, { transaction_id: "reversed" }],
    shared: [{ transaction_hash: "d".repeat(64) }],
  });
});

test("a currency that only an earlier status names has its meaning from the first run on", async () => {
  const books = await openBooks(database.db);
  // Stale while it was pending in kroner; since then it is another currency, which the latest record states.
  await addRecords(books, [
    { id: "changed", status: "pending", at: "2026-03-01T12:00:00.000Z", sourceCurrency: "sek" },
    { id: "changed", at: "2026-03-30T12:00:00.000Z" },
  ]);
  await reconcileAccount(database.db, books.accountId);
  const [stale] = await rowsOf(books, "discrepancies", { as_at: "2026-03-20T00:00:00Z" });
  expect(stale).toMatchObject({ code: "stale_open", value_currency: "SEK" });
  expect(stale?.["value"]).not.toBe("");
});

async function keptKeys({ db, accountId }: Books): Promise<Record<string, unknown>> {
  const values = [accountId];
  return {
    keys: await db.query(
      `select kind, key
       from tieout.transaction_keys
       where account_id = $1 and transaction_id = 'replaced' and kind <> 'wallet'
       order by kind, key`,
      values,
    ),
    odd: await db.query(
      "select transaction_id from tieout.odd_histories where account_id = $1 order by transaction_id",
      values,
    ),
    shared: await db.query(
      "select transaction_hash from tieout.shared_hashes where account_id = $1 order by transaction_hash",
      values,
    ),
  };
}
