import { expect, test } from "vitest";
import { createReconcileRunner } from "../../src/reconcile/reconcile-runner.ts";
import { readReconcileFigures } from "../../src/store/books/figures.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { addRecords, addStatement, codesOf, openBooks } from "./books.ts";

const database = useTestDatabase();

test("a run that the queue wakes sees what is new, and leaves figures for the metrics behind", async () => {
  const books = await openBooks(database.db);
  const lines: object[] = [];
  const log = { info: (line: object) => void lines.push(line) };
  const runner = createReconcileRunner({ database: database.db, log, now: Date.now }, [
    { id: books.accountId, name: books.name },
  ]);
  const wake = () => runner.run(books.accountId, new AbortController().signal);

  await addRecords(books, [{ id: "A" }, { id: "B" }]);
  await addStatement(books, { lines: [{ of: "A" }] });
  await wake();
  expect(await codesOf(books)).toEqual(["missing_from_statement B"]);

  // A transaction that has changed since is looked at again, without anyone asking for it by name.
  await addRecords(books, [{ id: "A", status: "failed", at: "2026-03-15T00:00:00.000Z" }]);
  await wake();
  expect(await codesOf(books)).toEqual([
    "missing_from_statement B",
    "status_mismatch A",
    "status_reversed A",
  ]);

  const said = lines.length;
  await wake();
  expect(lines.slice(said)).toEqual([]);
  const { open } = await readReconcileFigures(database.db);
  expect(open).toContainEqual({ provider: "moonpay", code: "status_mismatch", discrepancies: 1 });
});

test("the matched share counts the last 90 days", async () => {
  const books = await openBooks(database.db);
  const yesterday = new Date(Date.now() - 86_400_000).toISOString();
  const records = ["A", "B", "C", "D"].map((id) => ({
    id: `share-${id}`,
    onramp: "ramp",
    onrampTransactionId: `share-${id}`,
  }));
  await addRecords(books, [
    ...records.map((record) => ({ ...record, at: yesterday })),
    { id: "old", onramp: "ramp", at: "2026-03-10T12:00:00.000Z" },
  ]);
  const lines = records.slice(0, 3).map(({ id }) => ({ of: id, effective_at: yesterday }));
  await addStatement(books, { provider: "ramp", from: yesterday, to: new Date().toISOString(), lines });
  const runner = createReconcileRunner(
    { database: database.db, log: { info: () => undefined }, now: Date.now },
    [{ id: books.accountId, name: books.name }],
  );
  await runner.run(books.accountId, new AbortController().signal);
  const { providers } = await readReconcileFigures(database.db);
  expect(providers).toContainEqual({ provider: "ramp", completed: 4, matched: 3 });
});

test("a run that is told to stop ends before the next provider", async () => {
  const books = await openBooks(database.db);
  await addRecords(books, [{ id: "A" }]);
  await addStatement(books, { lines: [] });
  const runner = createReconcileRunner(
    { database: database.db, log: { info: () => undefined }, now: Date.now },
    [{ id: books.accountId, name: books.name }],
  );
  await runner.run(books.accountId, AbortSignal.abort());
  expect(await codesOf(books)).toEqual([]);
});
