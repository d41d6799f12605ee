import { Readable } from "node:stream";
import { beforeAll, expect, test } from "vitest";
import { preparePeriod } from "../../src/close/prepare.ts";
import { approvePeriod, reopenPeriod } from "../../src/close/sign.ts";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { reviewDiscrepancies } from "../../src/reconcile/review-discrepancies.ts";
import { changeDiscrepancies, type SeenDiscrepancy } from "../../src/store/books/discrepancy-changes.ts";
import type { Signer } from "../../src/store/periods/period-writes.ts";
import { editedWorkbook } from "../api/edited-workbook.ts";
import { alice, bob, monthOfBooks, openMonth } from "../close/a-month.ts";
import { addRecords, type Books } from "./books.ts";
import { countWaiting } from "../support/anyone-waiting.ts";
import { aPerson } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { waitFor } from "../support/wait-for.ts";

const database = useTestDatabase();

let books: Books;

/** March is closed, and then it turns out that some of its orders are missing. */
beforeAll(async () => {
  books = await openMonth(database.db);
  await preparePeriod(database.db, await monthOfBooks(books), [], alice);
  await approvePeriod(database.db, await monthOfBooks(books), bob);
  const at = "2026-03-15T12:00:00Z";
  await addRecords(books, [
    { id: "ONE", at },
    { id: "TWO", at },
    { id: "SMALL", at, inAmount: "1" },
    { id: "LARGE", at, inAmount: "5000" },
  ]);
  await reconcileAccount(database.db, books.accountId);
});

test("a month can be signed while a workbook of owners and decisions is imported", async () => {
  await aPerson(database.db, "accountant", { name: "Ada" });
  const [one, two] = [await seen("ONE"), await seen("TWO")];
  const bytes = await editedWorkbook([
    [`dis_${one.id}`, String(one.version), "", "Ada", ""],
    [`dis_${two.id}`, String(two.version), "resolve", "", "by mail"],
  ]);
  const request = { reader: { accountIds: null }, actor: "test", requestId: "r", preview: false };
  const outcome = await whileSigned("a late file", alice, () =>
    reviewDiscrepancies(database.db, Readable.from([bytes]), request),
  );
  expect([outcome.changed.length, outcome.refused]).toEqual([2, []]);
});

test("a month can be signed while some of several write-offs are proposed", async () => {
  const actor = `person:${await aPerson(database.db, "accountant")}`;
  const wanted = { action: "write_off", reason: "lost" } as const;
  const several = [await seen("SMALL"), await seen("LARGE")];
  const outcome = await whileSigned(null, bob, () =>
    changeDiscrepancies(database.db, { accountIds: null }, several, wanted, { actor, requestId: "r" }),
  );
  expect([outcome.changed.length, outcome.proposed.length, outcome.refused]).toEqual([1, 1, []]);
});

/** The work, and a signature that comes when it has got as far as it can without an entry in the audit log. */
async function whileSigned<T>(reason: string | null, signer: Signer, work: () => Promise<T>): Promise<T> {
  const month = await monthOfBooks(books);
  const begun = await database.db.transaction(async (tx) => {
    await tx.query("lock table tieout.audit_turn in exclusive mode");
    const working = work();
    await waitFor("the work waits", async () => (await countWaiting(database.db)) === 1);
    const signing = reopenPeriod(database.db, month, reason ?? "agreed", signer);
    await waitFor("both wait", async () => (await countWaiting(database.db)) === 2);
    return { both: Promise.all([working, signing]) };
  });
  const [done, signed] = await begun.both;
  expect(signed).toBe(reason === null ? "reopened" : "reopen_asked");
  return done;
}

async function seen(transactionId: string): Promise<SeenDiscrepancy> {
  const [found] = await database.db.query<{ id: number; version: number }>(
    "select id::int, version from tieout.discrepancies where transaction_id = $1",
    [transactionId],
  );
  return found ?? { id: 0, version: 0 };
}
