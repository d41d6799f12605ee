import { beforeAll, describe, expect, test } from "vitest";
import { approve, reject } from "../../../src/access/approvals.ts";
import { actorOfPerson } from "../../../src/access/caller.ts";
import { preparePeriod } from "../../../src/close/prepare.ts";
import { approvePeriod } from "../../../src/close/sign.ts";
import { scopesOfRoles } from "../../../src/core/roles.ts";
import { changeDiscrepancies } from "../../../src/store/books/discrepancy-changes.ts";
import { readDiscrepancy } from "../../../src/store/books/discrepancy-reads.ts";
import { insertApproval, readApproval } from "../../../src/store/people/approvals.ts";
import { findAboveLimit } from "../../../src/store/people/write-off-limits.ts";
import { addMissingOrder, alice, bob, monthOfBooks, openMonth } from "../../close/a-month.ts";
import type { Books } from "../../reconcile/books.ts";
import { aPerson } from "../../support/people.ts";
import type { Day } from "../../../src/core/period.ts";
import { matchReceipt } from "../../../src/reconcile/receipts/match-receipt.ts";
import { bankLines, payoutNamed, takeBankFile, takeStatement } from "../../reconcile/receipts/a-month.ts";
import { useTestDatabase } from "../../support/test-database.ts";

const database = useTestDatabase();
let books: Books;
let discrepancyId = 0;

/** March is closed with an accepted error, and April is open. */
beforeAll(async () => {
  books = await openMonth(database.db);
  await addMissingOrder(books, "lost");
  const accepted = [{ line: "discrepancies", reason: "asked the provider" }];
  await preparePeriod(database.db, await monthOfBooks(books), accepted, alice);
  await approvePeriod(database.db, await monthOfBooks(books), bob);
  const [found] = await database.db.query<{ id: number }>(
    "select id::int from tieout.discrepancies where account_id = $1",
    [books.accountId],
  );
  discrepancyId = found?.id ?? 0;
});

/** Straight into the table: what the program would do is not asked. */
async function addEvent(month: string, event: string, more: Record<string, unknown> = {}): Promise<void> {
  const [year, number] = month.split("-").map(Number);
  const bound = (offset: number) =>
    new Date(Date.UTC(year ?? 0, (number ?? 0) - 1 + offset, 1)).toISOString();
  const row = {
    account_id: books.accountId,
    month,
    zone: "UTC",
    from_at: bound(0),
    to_at: bound(1),
    event,
    actor: "person:9",
    actor_name: "Mallory",
    previous_hash: Buffer.alloc(0),
    hash: Buffer.alloc(0),
    ...more,
  };
  const names = Object.keys(row);
  await database.db.query(
    `insert into tieout.period_events (${names.join(", ")}) values (${names.map((_, at) => `$${at + 1}`).join(", ")})`,
    Object.values(row),
  );
}

const hash = Buffer.alloc(32, 7);
const signature = () => ({ known_at: new Date().toISOString(), pack_sha256: hash });
const prepared = () => ({ ...signature(), checklist: '{"lines": []}', accepted: "[]" });

describe("the database refuses", () => {
  test.each([
    ["a close of what was not prepared", "2026-04", "approved", signature, "has to be prepared first"],
    ["a close of what is closed", "2026-03", "approved", signature, "has to be prepared first"],
    ["a preparation of what is closed", "2026-03", "prepared", prepared, "is closed: reopen it first"],
    ["a month out of order", "2026-06", "prepared", prepared, "the last closed month is 2026-03"],
    ["a month that is not over", "2126-04", "prepared", prepared, "is not over yet"],
    [
      "a red line without a reason",
      "2026-04",
      "prepared",
      () => ({ ...prepared(), checklist: '{"lines": [{"line": "read", "state": "red"}]}' }),
      "not accepted with a reason: read",
    ],
    [
      "a lapse of what did not change",
      "2026-04",
      "lapsed",
      () => ({ changes: "[]" }),
      "2026-04 is not prepared",
    ],
    [
      "a reopening that nobody asked for",
      "2026-03",
      "reopened",
      () => ({ reason: "why" }),
      "no request to reopen",
    ],
    [
      "a reopening of what is open",
      "2026-04",
      "reopen_asked",
      () => ({ reason: "why" }),
      "is open, not closed",
    ],
    [
      "other bounds than the month had",
      "2026-03",
      "reopen_asked",
      () => ({ reason: "why", zone: "Asia/Tokyo" }),
      "stays one",
    ],
    ["a reopening without a reason", "2026-03", "reopen_asked", () => ({}), "reopening_has_a_reason"],
    [
      "a signature without a name",
      "2026-04",
      "prepared",
      () => ({ ...prepared(), actor_name: "" }),
      "has_a_name",
    ],
  ])("%s", async (_, month, event, more, message) => {
    await expect(addEvent(month, event, more())).rejects.toThrow(message);
  });

  test("a second signature by the same person, whatever the program thinks", async () => {
    const again = await openMonth(database.db);
    await preparePeriod(database.db, await monthOfBooks(again), [], alice);
    const { row } = await monthOfBooks(again);
    const same = {
      actor: alice.actor,
      actor_name: "Another name",
      known_at: row?.knownAt,
      pack_sha256: row?.packSha256,
    };
    const held = books;
    books = again;
    await expect(addEvent("2026-03", "approved", same)).rejects.toThrow("another person has to approve it");
    const other = { ...same, actor: bob.actor, pack_sha256: hash };
    await expect(addEvent("2026-03", "approved", other)).rejects.toThrow("prepared with another pack");
    await addMissingOrder(again, "changed since");
    await expect(addEvent("2026-03", "approved", { ...same, actor: bob.actor })).rejects.toThrow(
      /has changed since it was read \(.*\b1 record[,)]/,
    );
    books = held;
  });

  test("changing or deleting an event, and a carried discrepancy", async () => {
    const { db } = database;
    await expect(db.query("update tieout.period_events set actor_name = 'x'")).rejects.toThrow("append-only");
    await expect(db.query("delete from tieout.period_events")).rejects.toThrow("append-only");
    await expect(db.query("truncate tieout.period_events")).rejects.toThrow("append-only");
    await expect(db.query("truncate tieout.carried_discrepancies")).rejects.toThrow("append-only");
  });

  test("the service to write a period by itself", async () => {
    const { db } = database;
    const [may] = await db.query<Record<string, boolean>>(
      `select has_table_privilege('tieout_service', 'tieout.periods', 'update') as change,
              has_table_privilege('tieout_service', 'tieout.periods', 'insert') as add,
              has_table_privilege('tieout_service', 'tieout.period_events', 'insert') as sign,
              has_table_privilege('tieout_service', 'tieout.period_events', 'update') as forge`,
    );
    expect(may).toEqual({ change: false, add: false, sign: true, forge: false });
  });
});

describe("into a closed month nothing is booked:", () => {
  const book = (at: string, decision = "resolved", by = "test") =>
    database.db.query(
      `insert into tieout.decisions (discrepancy_id, fingerprint, facts_hash, decision, booked_at, reason, decided_by, known_from)
       select id, fingerprint, facts_hash, $3, $2, 'x', $4, clock_timestamp()
       from tieout.discrepancies where id = $1`,
      [discrepancyId, at, decision, by],
    );

  test("no decision, but one in the next open month", async () => {
    await expect(book("2026-03-31T23:59:59Z")).rejects.toThrow(
      "the books are closed up to 2026-04-01T00:00:00Z",
    );
    await expect(book("2025-01-01T00:00:00Z")).rejects.toThrow("the books are closed");
    await book("2026-04-01T00:00:00Z");
  });

  test("no write-off: not by hand, not by the program, and not with the approval of a second person", async () => {
    const { db } = database;
    const grace = await aPerson(db, "accountant", { name: "Grace" });
    const alan = await aPerson(db, "controller", { name: "Alan" });
    const closed = "the books are closed up to 2026-04-01T00:00:00Z";
    const bookedAt = "2026-03-20T00:00:00Z";
    const stateOf = async () => (await readDiscrepancy(reader, seen.id))?.state;
    const reader = { database: db, accountIds: null };
    const [seen = { id: 0, version: 0 }] = await db.query<{ id: number; version: number }>(
      "select id::int, version from tieout.discrepancies where id = $1",
      [discrepancyId],
    );
    const before = await stateOf();
    const writeOff = () =>
      changeDiscrepancies(
        db,
        reader,
        [seen],
        { action: "write_off", reason: "too small", booked_at: bookedAt },
        { actor: actorOfPerson(grace), requestId: "test" },
      );

    // Above the limit it is not even proposed; one that was before the month closed fails, and nothing is approved then.
    await db.query("update tieout.write_off_limits set amount = 0");
    await expect(writeOff()).rejects.toThrow(closed);
    const [above] = await db.transaction((tx) => findAboveLimit(tx, actorOfPerson(grace), [seen.id]));
    const { amount, currency, factsHash } = above ?? { amount: "", currency: "", factsHash: "" };
    const approvalId = await db.transaction((tx) =>
      insertApproval(tx, {
        kind: "write_off",
        subject: `dis_${seen.id}`,
        accountId: books.accountId,
        details: { amount, currency, facts_hash: factsHash, booked_at: bookedAt },
        proposedBy: grace,
        reason: "too small",
      }),
    );
    const decider = {
      actor: actorOfPerson(alan),
      name: "Alan",
      keyId: null,
      personId: alan,
      vouchedBy: null,
      scopes: new Set(scopesOfRoles(["controller"])),
      accountIds: null,
    };
    const deps = { database: db, handlers: {}, requestId: "test" };
    await expect(approve(deps, approvalId, decider, null)).rejects.toThrow(closed);
    expect((await readApproval(reader, approvalId))?.state).toBe("proposed");

    // Within the limit.
    await reject(deps, approvalId, decider, "booked into a closed month");
    await db.query("update tieout.write_off_limits set amount = 1000000");
    await expect(writeOff()).rejects.toThrow(closed);
    await expect(book(bookedAt, "written_off", actorOfPerson(grace))).rejects.toThrow(closed);
    expect(await stateOf()).toBe(before);
  });

  test("no match by hand, but the matcher may write an earlier one again", async () => {
    const match = (at: string, more = "") =>
      database.db.query(
        `insert into tieout.matches (account_id, provider, transaction_id, record_hash, line_id, role, rule, state, made_by, reason,
           effective_at, matched_at, ended_at, ended_by, ended_reason)
         values ($1, 'moonpay', 'lost', sha256(''), 1, 'settles', 'person', 'ended', 'test', 'x', $2, clock_timestamp(),
           clock_timestamp(), 'test', 'x') ${more}`,
        [books.accountId, at],
      );
    await expect(match("2026-03-20T00:00:00Z")).rejects.toThrow("the books are closed");
    await match("2026-04-20T00:00:00Z");
  });

  test("no bank line's match by hand", async () => {
    const bank = ["Account,Booking date,Amount,Currency,Description", "DE1,2026-03-20,5,EUR,something"];
    await takeStatement(books, [{ ref: "KP-2026-03", net: "5" }]);
    await takeBankFile(books, bank);
    const [line] = await bankLines(books);
    const payoutId = await payoutNamed(books, "KP-2026-03");
    const booked = async (day: string) =>
      matchReceipt(
        database.db,
        { accountIds: null },
        { lineId: line?.id ?? 0, payoutId, reason: "x", bookedAt: { day: day as Day } },
        { actor: "alice" },
      );
    await expect(booked("2026-03-31")).rejects.toThrow("the books are closed up to 2026-04-01T00:00:00Z");
    expect(await booked("2026-04-01")).toMatchObject({ effectiveAt: "2026-04-01 00:00:00+00" });
  });

  test("no exclusion", async () => {
    const exclude = (at: string) =>
      database.db.query(
        `insert into tieout.provider_settings (account_id, provider, kind, version, value, saved_at, saved_by)
         values ($1, 'moonpay', 'exclusion', 1, '{"everything": true}', $2, 'test')`,
        [books.accountId, at],
      );
    await expect(exclude("2026-03-20T00:00:00Z")).rejects.toThrow("the books are closed");
  });

  test("no discrepancy is carried out of it", async () => {
    await expect(
      database.db.query(
        `insert into tieout.carried_discrepancies (account_id, month, discrepancy_id, owner, reason, actor, actor_name)
         values ($1, '2026-03', $2, 'carol', 'x', 'person:1', 'Alice')`,
        [books.accountId, discrepancyId],
      ),
    ).rejects.toThrow("2026-03 is closed");
  });

  test("a month cannot close while a decision is being booked", async () => {
    const again = await openMonth(database.db);
    await preparePeriod(database.db, await monthOfBooks(again), [], alice);
    const period = await monthOfBooks(again);
    let closing: Promise<string> = Promise.resolve("");
    await database.db.transaction(async (tx) => {
      await tx.query("select tieout.refuse_closed($1, '2026-03-15')", [again.accountId]);
      closing = approvePeriod(database.db, period, bob).then(() => "closed");
      const waiting = async () => {
        const [row] = await tx.query<{ count: number }>(
          "select count(*)::int from pg_locks where relation = 'tieout.periods'::regclass and not granted",
        );
        return (row?.count ?? 0) > 0;
      };
      while (!(await waiting()));
    });
    expect(await closing).toBe("closed");
  });
});
