import assert from "node:assert/strict";
import { expect, test } from "vitest";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { changeDiscrepancies } from "../../src/store/books/discrepancy-changes.ts";
import { type Class, classes as classNames } from "../../src/store/books/summary.ts";
import { saveSetting } from "../../src/store/statements/provider-settings.ts";
import { listTransactions, transactionSorts } from "../../src/store/transactions/transaction-reads.ts";
import { addRecords, addStatement, type Books, openBooks } from "../reconcile/books.ts";
import { useTestDatabase } from "../support/test-database.ts";

const database = useTestDatabase();

const future = new Date(Date.now() + 86_400_000).toISOString();

test("the class of a transaction is the same in the view and in lists as in the books, in every case", async () => {
  const books = await openBooks(database.db, { readTo: "2030-01-01T00:00:00Z" });
  await addRecords(books, [
    { id: "settled" },
    { id: "wrong amount" },
    { id: "wrong amount, accepted" },
    { id: "settled tomorrow" },
    { id: "settled tomorrow, wrong" },
    { id: "wrong amount, accepted, settled tomorrow" },
    { id: "left out by name" },
    { id: "before the first statement", at: "2026-02-10T12:00:00Z" },
    { id: "not told, told about", at: "2026-03-11T12:00:00Z" },
    { id: "statement late", at: "2026-04-11T12:00:00Z" },
    { id: "statement late, accepted", at: "2026-05-11T12:00:00Z", sourceCurrency: "usd" },
    { id: "waiting for a statement", at: new Date(Date.now() - 3_600_000).toISOString() },
    { id: "failed", status: "failed" },
    { id: "completed tomorrow", at: future },
    { id: "failed tomorrow", at: "2026-03-10T11:00:00Z" },
    { id: "failed tomorrow", status: "failed", at: future },
    { id: "of nobody", onramp: "" },
  ]);
  await addStatement(books, {
    lines: [
      { of: "settled" },
      { of: "wrong amount", fiat_gross: "77" },
      { of: "wrong amount, accepted", fiat_gross: "77" },
      { of: "settled tomorrow", effective_at: future },
      { of: "settled tomorrow, wrong", effective_at: future, fiat_gross: "77" },
      { of: "wrong amount, accepted, settled tomorrow", fiat_gross: "77" },
      { of: "left out by name", fiat_gross: "77" },
      { of: "failed tomorrow" },
    ],
  });
  await database.db.transaction((tx) =>
    saveSetting(tx, {
      accountId: books.accountId,
      provider: "moonpay",
      kind: "exclusion",
      name: "",
      value: { transaction_ids: ["left out by name"] },
      actor: "test",
    }),
  );
  await reconcileAccount(database.db, books.accountId);
  await accept(books, "transaction_id like '%accepted%' or period_from = '2026-05-01' and currency = 'USD'");
  await reconcileAccount(database.db, books.accountId);
  await database.db.query(
    "update tieout.matches set effective_at = $2 where account_id = $1 and transaction_id like '%accepted, settled tomorrow'",
    [books.accountId, future],
  );

  const viewed = await classes(
    "select transaction_id, class from reporting.transactions where account = $1 order by 1",
    books.name,
  );
  expect(viewed).toEqual({
    settled: "matched",
    "wrong amount": "discrepant",
    "wrong amount, accepted": "matched",
    "settled tomorrow": "pending",
    "settled tomorrow, wrong": "pending",
    "wrong amount, accepted, settled tomorrow": "excluded",
    "left out by name": "excluded",
    "before the first statement": "excluded",
    "not told, told about": "discrepant",
    "statement late": "discrepant",
    "statement late, accepted": "excluded",
    "waiting for a statement": "pending",
    failed: null,
    "completed tomorrow": null,
    "failed tomorrow": "matched",
    "of nobody": "discrepant",
  });
  // A list goes by the status that it shows: what has failed, even if only tomorrow, is not among the matched.
  expect(await listed(books)).toEqual(withClass({ ...viewed, "failed tomorrow": null }));
  expect(
    await classes(
      "select transaction_id, class from tieout.transaction_classes(array[$1::int], now(), 'infinity') order by 1",
      books.accountId,
    ),
  ).toEqual(withClass(viewed));
});

test("what is in a class is listed whole, page by page, however many newer ones are not", async () => {
  const books = await openBooks(database.db, { readTo: "2030-01-01T00:00:00Z" });
  const lately = Date.now() - 3_600_000;
  await addRecords(books, [
    ...Array.from({ length: 1_100 }, (_, n) => ({ id: `new ${n}`, at: new Date(lately + n).toISOString() })),
    ...["old 1", "old 2", "old 3"].map((id, n) => ({ id, at: `2026-02-0${n + 1}T12:00:00Z` })),
    ...["told 1", "told 2", "told 3"].map((id, n) => ({ id, at: `2026-03-1${n}T12:00:00Z` })),
  ]);
  await addStatement(books, { lines: [{ of: "told 1" }, { of: "told 2" }, { of: "told 3" }] });
  await reconcileAccount(database.db, books.accountId);

  const first = await pageOf(books, "excluded", null);
  expect(first).toEqual({ ids: ["old 3", "old 2"], hasMore: true, last: expect.any(Array) });
  expect(await pageOf(books, "excluded", first.last)).toMatchObject({ ids: ["old 1"], hasMore: false });
  expect(await pageOf(books, "pending", null)).toMatchObject({
    ids: ["new 1099", "new 1098"],
    hasMore: true,
  });
  expect(await pageOf(books, "matched", null)).toMatchObject({ ids: ["told 3", "told 2"], hasMore: true });
});

async function pageOf({ accountId }: Books, name: Class, after: readonly string[] | null) {
  const { rows, hasMore } = await listTransactions(
    { database: database.db, accountIds: [accountId] },
    { filters: { ranges: [], class: name }, sort: "-status_date", page: { limit: 2, after } },
  );
  const last = rows.at(-1);
  assert(last !== undefined);
  const ids = rows.map((row) => row.transaction_id);
  return { ids, hasMore, last: transactionSorts["-status_date"].positionOf(last) };
}

function withClass(found: Record<string, string | null>): Record<string, string | null> {
  return Object.fromEntries(Object.entries(found).filter(([, name]) => name !== null));
}

/** As the page and the API list them, class by class. */
async function listed({ accountId }: Books): Promise<Record<string, string>> {
  const reader = { database: database.db, accountIds: [accountId] };
  const lists = await Promise.all(
    classNames.map(async (name) => {
      const filters = { ranges: [], class: name };
      const page = { limit: 100, after: null };
      const { rows } = await listTransactions(reader, { filters, sort: "-status_date", page });
      return rows.map((row) => [row.transaction_id, name] as const);
    }),
  );
  return Object.fromEntries(lists.flat());
}

async function accept({ accountId }: Books, which: string): Promise<void> {
  const found = await database.db.query<{ id: number; version: number }>(
    `select id::int, version from tieout.discrepancies where account_id = $1 and state = 'open' and (${which})`,
    [accountId],
  );
  expect(found.length).toBeGreaterThan(0);
  await changeDiscrepancies(
    database.db,
    { accountIds: null },
    found,
    { action: "resolve", reason: "as agreed by telephone" },
    { actor: "test", requestId: "req_1" },
  );
}

async function classes(query: string, account: string | number): Promise<Record<string, string | null>> {
  const rows = await database.db.query<{ transaction_id: string; class: string | null }>(query, [account]);
  return Object.fromEntries(rows.map((row) => [row.transaction_id, row.class]));
}
