import { EventEmitter, once } from "node:events";
import { describe, expect, test } from "vitest";
import { preparePeriod } from "../../src/close/prepare.ts";
import { endMatch, makeMatch } from "../../src/reconcile/match-by-hand.ts";
import { matchReceipt, unmatchReceipt } from "../../src/reconcile/receipts/match-receipt.ts";
import { reconcileAccount, reconcileInside } from "../../src/reconcile/reconcile.ts";
import { previewSettings, saveSettings } from "../../src/reconcile/provider-settings.ts";
import { withdrawStatement } from "../../src/reconcile/statement/withdraw-statement.ts";
import { recordAudit } from "../../src/store/people/audit-log.ts";
import type { Database } from "../../src/store/database.ts";
import { changeDiscrepancies, type DiscrepancyChange } from "../../src/store/books/discrepancy-changes.ts";
import { isAnyoneWaiting } from "../support/anyone-waiting.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { waitFor } from "../support/wait-for.ts";
import { aPerson } from "../support/people.ts";
import { wrapDatabase } from "../support/wrap-database.ts";
import { alice, monthOfBooks, openMonth } from "../close/a-month.ts";
import { addRecords, addStatement, type Books, openBooks } from "./books.ts";
import { declarePayouts, receive } from "./receipts/bank.ts";

const database = useTestDatabase();
const author = { actor: "Ada", requestId: "r" };
const resolve = { action: "resolve", reason: "seen by mail" } as const;
const assign = { action: "assign", owner: "Ada" } as const;

describe("a match by hand, and what someone does at that moment about a discrepancy that it changes", () => {
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
    const access = { accountIds: [books.accountId] };
    const pair = await bankLineAndPayout(books);
    const made = await meanwhile(books, assign, () => matchReceipt(database.db, access, pair, author));
    const ending = { matchId: made.id, reason: "mistaken" };
    const ended = await meanwhile(books, assign, () => unmatchReceipt(database.db, access, ending, author));
    expect([made.state, ended.state]).toEqual(["active", "ended"]);
  });
});

test("a run, and what someone does at that moment about several discrepancies that it changes, both happen", async () => {
  const books = await openBooks(database.db);
  await addRecords(books, [{ id: "T1" }, { id: "T2" }]);
  await addStatement(books, { lines: [] });
  await reconcileAccount(database.db, books.accountId);
  const seen = await database.db.query<{ id: number; version: number; of: string }>(
    "select id::int, version, transaction_id as of from tieout.discrepancies where account_id = $1 order by id",
    [books.accountId],
  );
  // The facts of the first change, and the second agrees.
  const [first, second] = seen.map(({ of }) => of);
  await addRecords(books, [{ id: first ?? "", at: "2026-03-10T12:00:01.000Z", inAmount: "120" }]);
  await addStatement(books, { lines: [{ of: second ?? "" }] });
  let commented: ReturnType<typeof changeDiscrepancies> | undefined;
  const interrupted = wrapDatabase(database.db, async (next, text, values, name) => {
    const rows = await next(text, values, name);
    if (text.includes("reason = 'agreed', resolved_by") && commented === undefined) {
      const comment = { action: "comment", comment: "asked" } as const;
      commented = changeDiscrepancies(database.db, { accountIds: null }, seen, comment, author);
      await waitFor("someone waits for the run", () => isAnyoneWaiting(database.db));
    }
    return rows;
  });
  await reconcileAccount(interrupted, books.accountId);
  expect((await commented)?.changed).toEqual(seen.map(({ id }) => id));
  expect(
    await database.db.query("select state from tieout.discrepancies where account_id = $1 order by id", [
      books.accountId,
    ]),
  ).toEqual([{ state: "open" }, { state: "resolved" }]);
});

test("a match by hand, and a file withdrawn at that moment that ends a proposal, both happen", async () => {
  const books = await openBooks(database.db);
  const pair = await bankLineAndPayout(books);
  const statementId = await addStatement(books, {
    lines: [
      { of: "S1", payout_ref: "PO-2", net_amount: "2" },
      {
        key: "PO-2",
        type: "payout",
        payout_ref: "PO-2",
        net_amount: "2",
        effective_at: "2026-03-30T00:00:00Z",
      },
    ],
  });
  await reconcileAccount(database.db, books.accountId);
  await database.db.query("update tieout.write_off_limits set amount = 0");
  const grace = await aPerson(database.db, "accountant");
  const [lost] = await database.db.query<{ id: number; version: number }>(
    "select id::int, version from tieout.discrepancies where account_id = $1 and code = 'missing_from_records'",
    [books.accountId],
  );
  const writeOff = { action: "write_off", reason: "too small to chase" } as const;
  const by = { actor: `person:${grace}`, requestId: "r" };
  const { proposed } = await changeDiscrepancies(
    database.db,
    { accountIds: null },
    lost ? [lost] : [],
    writeOff,
    by,
  );
  const access = { accountIds: [books.accountId] };
  const { made } = await begin((db) => matchReceipt(db, access, pair, author));
  const withdrawal = { statementId, reason: "wrong file", ...author };
  const [{ state }, { statement }] = await Promise.all([
    made,
    withdrawStatement({ database: database.db, afterLines: reconcileInside }, withdrawal),
  ]);
  expect([state, statement.state]).toEqual(["active", "withdrawn"]);
  await reconcileAccount(database.db, books.accountId);
  const [approval] = await database.db.query("select state from tieout.approvals where id = $1", [
    proposed[0]?.approvalId,
  ]);
  expect(approval).toEqual({ state: "lapsed" });
});

test("a preview of settings keeps nobody from an audited action", async () => {
  const books = await openBooks(database.db);
  await addRecords(books, [{ id: "T1" }]);
  await addStatement(books, { lines: [{ of: "T1", fiat_gross: "99" }] });
  await reconcileAccount(database.db, books.accountId);
  let runs = 0;
  const previewing: Database = {
    ...database.db,
    rehearse: (work) =>
      database.db.rehearse((tx, client) =>
        work(
          {
            ...tx,
            query: async (text, ...rest) => {
              // Only the run by the settings that are tried comes as far as this.
              if (text.includes("create temp table run_holding") && ++runs === 1)
                await database.db.transaction(async (other) => {
                  await other.query("set local lock_timeout = '5s'");
                  await recordAudit(other, { actor: "Ada", action: "test.meanwhile", subject: books.name });
                });
              return tx.query(text, ...rest);
            },
          },
          client,
        ),
      ),
  };
  const settings = { tolerances: [{ absolute_under: "2" }] };
  const request = { accountId: books.accountId, provider: "moonpay", settings, reason: "small", ...author };
  const { discrepancies } = await previewSettings(previewing, request, new AbortController().signal);
  expect([runs, discrepancies.length]).toEqual([1, 1]);
});

test("settings with an exclusion, and a month that someone signs at that moment, both happen", async () => {
  const signed = await openMonth(database.db);
  const books = await openBooks(database.db);
  const steps = new EventEmitter();
  const held = once(steps, "held");
  const slow = wrapDatabase(database.db, async (next, text, values, name) => {
    const rows = await next(text, values, name);
    if (text.includes(`insert into "tieout"."audit_log"`) && steps.emit("held"))
      await waitFor("whoever signs waits", () => isAnyoneWaiting(database.db));
    return rows;
  });
  const settings = { calendar: { our_share: "0.01" }, exclusion: { transaction_ids: ["T1"] } };
  const request = { accountId: books.accountId, provider: "moonpay", settings, reason: "agreed", ...author };
  const saving = saveSettings(slow, { ...request, seenVersion: null });
  await Promise.race([held, saving]);
  const [saved, { packSha256 }] = await Promise.all([
    saving,
    preparePeriod(database.db, await monthOfBooks(signed), [], alice),
  ]);
  expect([saved, packSha256]).toEqual(["saved", expect.any(String)]);
});

describe("a decision while a run finds other facts", () => {
  test.each(["was made", "is being made"])("that %s when the run comes to it is taken back", async (when) => {
    const books = await openBooks(database.db);
    await addRecords(books, [{ id: "T1", at: "2026-03-10T12:00:00.000Z" }]);
    await addStatement(books, { lines: [] });
    await reconcileAccount(database.db, books.accountId);
    await addRecords(books, [{ id: "T1", at: "2026-03-10T12:00:01.000Z", inAmount: "120" }]);
    let decision: { made: Promise<void> } | undefined;
    const interrupted = wrapDatabase(database.db, async (next, text, values, name) => {
      // The facts are worked out by now, and the discrepancies are not looked at yet.
      if (text.includes("create temp table run_holding") && decision === undefined) {
        decision =
          when === "was made"
            ? { made: change(books, resolve) }
            : await begin((db) => change(books, resolve, db));
        if (when === "was made") await decision.made;
      }
      return next(text, values, name);
    });
    await reconcileAccount(interrupted, books.accountId);
    await decision?.made;
    const [found] = await database.db.query(
      `select d.state, d.expected::text,
              array(select x.id from tieout.decisions as x where x.discrepancy_id = d.id and x.known_to is null) as standing,
              array(select e.event from tieout.discrepancy_events as e where e.discrepancy_id = d.id order by e.at, e.id) as events
       from tieout.discrepancies as d
       where d.account_id = $1`,
      [books.accountId],
    );
    const events = ["raised", "resolved", "reopened"];
    expect(found).toEqual({ state: "open", expected: "120", standing: [], events });
  });
});

async function bankLineAndPayout(books: Books) {
  await declarePayouts(books, [{ ref: "PO-1", net: "100" }]);
  await receive(books, [["2026-03-25", "100", "no name at all"]]);
  const [found] = await database.db.query<{ line: number; payout: number }>(
    `select l.id::int as line, p.id::int as payout
     from tieout.receipt_lines as l
     join tieout.payouts as p on p.account_id = l.account_id
     where l.account_id = $1`,
    [books.accountId],
  );
  return { lineId: found?.line ?? 0, payoutId: found?.payout ?? 0, reason: "seen by mail" };
}

/** What someone does about the oldest discrepancy is not done before `other` waits for it. */
async function meanwhile<T>(books: Books, wanted: DiscrepancyChange, other: () => Promise<T>): Promise<T> {
  const { made } = await begin((db) => change(books, wanted, db));
  const [done] = await Promise.all([other(), made]);
  return done;
}

/** Goes as far as the audit log, and is not done before someone waits for what it holds. */
async function begin<T>(work: (db: Database) => Promise<T>): Promise<{ made: Promise<T> }> {
  const steps = new EventEmitter();
  const held = once(steps, "held");
  const made = work(
    wrapDatabase(database.db, async (next, text, values, name) => {
      if (text.includes(`insert into "tieout"."audit_log"`)) {
        steps.emit("held");
        await waitFor("someone waits for what is held", () => isAnyoneWaiting(database.db));
      }
      return next(text, values, name);
    }),
  );
  await Promise.race([held, made]);
  return { made };
}

async function change(books: Books, wanted: DiscrepancyChange, db = database.db): Promise<void> {
  const [seen] = await database.db.query<{ id: number; version: number }>(
    "select id::int, version from tieout.discrepancies where account_id = $1 order by id limit 1",
    [books.accountId],
  );
  if (!seen) throw new Error("there is a discrepancy");
  const { changed } = await changeDiscrepancies(db, { accountIds: null }, [seen], wanted, author);
  expect(changed).toEqual([seen.id]);
}
