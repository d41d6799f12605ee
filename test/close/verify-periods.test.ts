import { expect, test } from "vitest";
import { preparePeriod } from "../../src/close/prepare.ts";
import { approvePeriod } from "../../src/close/sign.ts";
import { verifyPeriods } from "../../src/close/verify-periods.ts";
import type { Instant } from "../../src/core/instant.ts";
import { rebuildTransactions } from "../../src/store/transactions/rebuild.ts";
import { addRecords } from "../reconcile/books.ts";
import { readReport, requestFor } from "../report/books.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { alice, bob, monthOfBooks, openMonth } from "./a-month.ts";

const database = useTestDatabase();
const now = "2026-11-01T00:00:00.000Z" as Instant;

/** As someone could who owns the tables and switches the triggers off. */
async function tamper(table: string, statement: string): Promise<void> {
  await database.db.transaction(async (tx) => {
    await tx.query(`alter table tieout.${table} disable trigger user`);
    await tx.query(statement);
    await tx.query(`alter table tieout.${table} enable trigger user`);
  });
}

test("an order that fails after the close leaves the signed figures alone, also before a run has looked at it", async () => {
  const books = await openMonth(database.db);
  await preparePeriod(database.db, await monthOfBooks(books), [], alice);
  await approvePeriod(database.db, await monthOfBooks(books), bob);
  await addRecords(books, [{ id: `${books.name} A`, status: "failed", at: "2026-04-10T12:00:00Z" }]);
  expect(await verifyPeriods(database.db, now)).toEqual([]);
});

test("rebuilding a transaction leaves the signed figures alone", async () => {
  const books = await openMonth(database.db);
  const { knownAt } = await preparePeriod(database.db, await monthOfBooks(books), [], alice);
  await approvePeriod(database.db, await monthOfBooks(books), bob);
  const asked = {
    account: [books.name],
    from: ["2026-03-01"],
    to: ["2026-04-01"],
    known_at: [knownAt],
  };
  const readPosition = () => readReport(database.db, requestFor("position", asked));
  const signed = await readPosition();
  await database.db.query("update tieout.transactions set in_amount = 1 where account_id = $1", [
    books.accountId,
  ]);
  expect(await rebuildTransactions(database.db)).toMatchObject({ mended: 2 });
  expect(await readPosition()).toBe(signed);
});

test("what was changed behind the rules is named by its row", async () => {
  const books = await openMonth(database.db);
  await preparePeriod(database.db, await monthOfBooks(books), [], alice);
  await approvePeriod(database.db, await monthOfBooks(books), bob);
  expect(await verifyPeriods(database.db, now)).toEqual([]);

  await tamper(
    "periods",
    `update tieout.periods set state = 'reopened', closed_by = null where account_id = ${books.accountId}`,
  );
  expect(await verifyPeriods(database.db, now)).toEqual([
    { subject: `period ${books.name} 2026-03`, problem: "it is reopened, and its events make it closed" },
  ]);
  await tamper(
    "periods",
    `update tieout.periods set state = 'closed', closed_by = '${bob.actor}' where account_id = ${books.accountId}`,
  );

  await tamper("statement_lines", "update tieout.statement_lines set net_amount = 4 where net_amount = 3");
  const [pack] = await verifyPeriods(database.db, now);
  expect(pack?.problem).toMatch(/^its pack was signed as \w{64}, and made again it is/);
  await tamper("statement_lines", "update tieout.statement_lines set net_amount = 3 where net_amount = 4");

  await tamper(
    "period_events",
    "update tieout.period_events set actor_name = 'Eve' where event = 'approved'",
  );
  const events = await verifyPeriods(database.db, now);
  expect(events[0]).toMatchObject({ problem: "its hash does not fit what it says" });
  expect(events[0]?.subject).toMatch(/^period event \d+$/);
});
