import { EventEmitter, once } from "node:events";
import { describe, expect, test } from "vitest";
import { endMatch, makeMatch } from "../../src/reconcile/match-by-hand.ts";
import { matchReceipt, unmatchReceipt } from "../../src/reconcile/receipts/match-receipt.ts";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { changeDiscrepancies, type DiscrepancyChange } from "../../src/store/books/discrepancy-changes.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { waitFor } from "../support/wait-for.ts";
import { wrapDatabase } from "../support/wrap-database.ts";
import { addRecords, addStatement, type Books, openBooks } from "./books.ts";
import { declarePayouts, receive } from "./receipts/bank.ts";

const database = useTestDatabase();
const author = { actor: "Ada", requestId: "r" };
const assign = { action: "assign", owner: "Ada" } as const;

describe("a match by hand, and what somebody does at that moment about a discrepancy that it changes", () => {
  test("both happen: of a line and an order", async () => {
    const books = await openBooks(database.db);
    await addRecords(books, [{ id: "T1" }]);
    await addStatement(books, { lines: [{ of: "S1" }] });
    await reconcileAccount(database.db, books.accountId);
    const [line] = await database.db.query<{ id: number }>(
      "select id::int from tieout.statement_lines where account_id = $1",
      [books.accountId],
    );
    const access = { accountIds: [books.accountId] };
    const pair = { lineId: line?.id ?? 0, transactionId: "T1", reason: "seen by mail" };
    const made = await meanwhile(books, assign, () => makeMatch(database.db, access, pair, author));
    const ending = { matchId: made.id, reason: "mistaken" };
    const ended = await meanwhile(books, assign, () => endMatch(database.db, access, ending, author));
    expect([made.state, ended.state]).toEqual(["active", "ended"]);
  });

  test("both happen: of a bank line and a payout", async () => {
    const books = await openBooks(database.db);
    await declarePayouts(books, [{ ref: "PO-1", net: "100" }]);
    await receive(books, [["2026-03-25", "100", "no name at all"]]);
    const [found] = await database.db.query<{ line: number; payout: number }>(
      `select l.id::int as line, p.id::int as payout
       from tieout.receipt_lines as l
       join tieout.payouts as p on p.account_id = l.account_id
       where l.account_id = $1`,
      [books.accountId],
    );
    const { line: lineId = 0, payout: payoutId = 0 } = found ?? {};
    const access = { accountIds: [books.accountId] };
    const pair = { lineId, payoutId, reason: "seen by mail" };
    const made = await meanwhile(books, assign, () => matchReceipt(database.db, access, pair, author));
    const ending = { matchId: made.id, reason: "mistaken" };
    const ended = await meanwhile(books, assign, () => unmatchReceipt(database.db, access, ending, author));
    expect([made.state, ended.state]).toEqual(["active", "ended"]);
  });
});

/** What somebody does about the oldest discrepancy is not done before `other` waits for it. */
async function meanwhile<T>(books: Books, wanted: DiscrepancyChange, other: () => Promise<T>): Promise<T> {
  const { made } = await begin(books, wanted);
  const [done] = await Promise.all([other(), made]);
  return done;
}

/** Holds the discrepancy, and lets go of it once somebody waits for it. */
async function begin(books: Books, wanted: DiscrepancyChange): Promise<{ made: Promise<void> }> {
  const steps = new EventEmitter();
  const held = once(steps, "held");
  const made = change(books, wanted, async () => {
    steps.emit("held");
    await waitFor("somebody waits for the discrepancy", isAnyoneWaiting);
  });
  await Promise.race([held, made]);
  return { made };
}

async function change(
  books: Books,
  wanted: DiscrepancyChange,
  beforeNoting: () => Promise<void> = async () => undefined,
): Promise<void> {
  const slow = wrapDatabase(database.db, async (next, text, values, name) => {
    if (text.includes(`insert into "tieout"."audit_log"`)) await beforeNoting();
    return next(text, values, name);
  });
  const [seen] = await database.db.query<{ id: number; version: number }>(
    "select id::int, version from tieout.discrepancies where account_id = $1 order by id limit 1",
    [books.accountId],
  );
  if (!seen) throw new Error("there is a discrepancy");
  const { changed } = await changeDiscrepancies(slow, { accountIds: null }, [seen], wanted, author);
  expect(changed).toEqual([seen.id]);
}

async function isAnyoneWaiting(): Promise<boolean> {
  const waiting = await database.db.query(
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return waiting.length > 0;
}
