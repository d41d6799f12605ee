import { randomBytes } from "node:crypto";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type ApprovalHandlers, approve, type Decider, reject } from "../../src/access/approvals.ts";
import { actorOfPerson } from "../../src/access/caller.ts";
import { invitePerson, setRoles } from "../../src/access/people.ts";
import { type Role, scopesOfRoles } from "../../src/core/roles.ts";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { changeDiscrepancies } from "../../src/store/books/discrepancy-changes.ts";
import { createKey, findKey } from "../../src/store/people/api-keys.ts";
import { insertApproval, listApprovals, settleApproval } from "../../src/store/people/approvals.ts";
import { suspendPerson } from "../../src/store/people/people.ts";
import { setLimit } from "../../src/store/people/write-off-limits.ts";
import { anAccount } from "../api/some-records.ts";
import { addRecords, addStatement, type Books } from "../reconcile/books.ts";
import { aPerson } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";

const refused = { code: "23001" };

function decider(personId: number, roles: readonly Role[], more: Partial<Decider> = {}): Decider {
  return {
    actor: actorOfPerson(personId),
    name: "x",
    keyId: null,
    personId,
    vouchedBy: null,
    scopes: new Set(scopesOfRoles(roles)),
    accountIds: null,
    ...more,
  };
}

describe("a write-off", () => {
  const database = useTestDatabase();
  let books: Books;
  let grace = 0;
  let alan = 0;
  beforeAll(async () => {
    const accountId = await anAccount(database.db, "a");
    books = { db: database.db, accountId, name: "a" };
    await addRecords(books, [{ id: "T1" }, { id: "T2" }, { id: "T3" }, { id: "T4" }, { id: "T5" }]);
    await addStatement(books, {
      lines: [
        { of: "T1", net_amount: "2", payout_ref: "P-1" },
        { key: "payout:P-1", type: "payout", net_amount: "4", payout_ref: "P-1" },
      ],
    });
    await reconcileAccount(database.db, accountId);
    grace = await aPerson(database.db, "accountant", { name: "Grace" });
    alan = await aPerson(database.db, ["controller"], { name: "Alan" });
    await setLimit(database.db, { role: "accountant", currency: "*", amount: "0" }, { actor: "test" });
    await database.db.query("update tieout.write_off_limits set amount = 0 where role = 'accountant'");
  });

  const deps = () => ({ database: database.db, handlers: {}, requestId: "r" });
  let seen: { id: number; version: number };
  beforeEach(async () => {
    const [open] = await database.db.query<{ id: number; version: number }>(
      `select d.id::int, d.version
       from tieout.discrepancies as d
       cross join lateral tieout.given_up(d.delta, d.currency, d.owed, d.owed_currency, d.value, d.value_currency) as g
       where d.state = 'open' and g.amount > 0
         and not exists (select from tieout.approvals where subject = 'dis_' || d.id)
       order by d.id limit 1`,
    );
    if (!open) throw new Error("there are enough discrepancies with an amount");
    seen = open;
  });
  const writeOff = (actor: string) =>
    changeDiscrepancies(
      database.db,
      { accountIds: null },
      [seen],
      { action: "write_off", reason: "too small to chase" },
      { actor, requestId: "r" },
    );
  const stateOf = async () => {
    const [row] = await database.db.query<{ state: string }>(
      "select state from tieout.discrepancies where id = $1",
      [seen.id],
    );
    return row?.state;
  };

  test("within the limit is done at once, by one person", async () => {
    await database.db.query("update tieout.write_off_limits set amount = 1000000 where role = 'accountant'");
    expect(await writeOff(actorOfPerson(grace))).toMatchObject({ changed: [seen.id], proposed: [] });
    await database.db.query("update tieout.write_off_limits set amount = 0 where role = 'accountant'");
    expect(await stateOf()).toBe("written_off");
  });

  test("above it waits for another person with the role controller, and then counts as the proposer's", async () => {
    const { changed, proposed } = await writeOff(actorOfPerson(grace));
    expect([changed, proposed.length, await stateOf()]).toEqual([[], 1, "open"]);
    const id = proposed[0]?.approvalId ?? 0;
    // The same again is refused: it would pass for a proposal of its own.
    const again = await writeOff(actorOfPerson(grace));
    expect(again).toMatchObject({ proposed: [], refused: [{ why: "already_proposed", approvalId: id }] });

    const colleague = await aPerson(database.db, "accountant");
    const own = decider(grace, ["accountant", "controller"]);
    await expect(approve(deps(), id, own, null)).rejects.toMatchObject({ code: "not_allowed" });
    await expect(approve(deps(), id, decider(colleague, ["accountant"]), null)).rejects.toMatchObject({
      code: "not_allowed",
    });
    const byLink = decider(alan, ["controller"], { vouchedBy: actorOfPerson(grace) });
    await expect(approve(deps(), id, byLink, null)).rejects.toMatchObject({ code: "not_allowed" });
    const byKey = decider(alan, ["controller"], { keyId: "3fK9ZQ2b" });
    await expect(approve(deps(), id, byKey, null)).rejects.toMatchObject({ code: "not_allowed" });
    expect(await stateOf()).toBe("open");

    const done = await approve(deps(), id, decider(alan, ["controller"]), "agreed");
    expect(done).toMatchObject({ state: "approved", proposedByName: "Grace", decidedByName: "Alan" });
    expect(await stateOf()).toBe("written_off");
    const [decision] = await database.db.query(
      "select decided_by_name, approval_id::int from tieout.decisions where discrepancy_id = $1 and known_to is null",
      [seen.id],
    );
    expect(decision).toEqual({ decided_by_name: "Grace", approval_id: id });
    await expect(approve(deps(), id, decider(alan, ["controller"]), null)).rejects.toMatchObject({
      code: "approval_conflict",
    });
  });

  test("is rejected by another, or withdrawn by whoever proposed it, and stays open", async () => {
    const [first] = (await writeOff(actorOfPerson(grace))).proposed;
    const rejected = await reject(deps(), first?.approvalId ?? 0, decider(alan, ["controller"]), "ask again");
    expect(rejected.state).toBe("rejected");
    const [second] = (await writeOff(actorOfPerson(grace))).proposed;
    const withdrawn = await reject(
      deps(),
      second?.approvalId ?? 0,
      decider(grace, ["accountant"]),
      "mistaken",
    );
    expect([withdrawn.state, await stateOf()]).toEqual(["withdrawn", "open"]);
  });

  test("lapses when the books agree by themselves, and not before", async () => {
    const [late] = await database.db.query<{ id: number; version: number; order: string }>(
      `select id::int, version, transaction_id as order from tieout.discrepancies
       where state = 'open' and code = 'missing_from_statement' order by id desc limit 1`,
    );
    if (!late) throw new Error("an order is missing from every statement");
    seen = late;
    const id = (await writeOff(actorOfPerson(grace))).proposed[0]?.approvalId ?? 0;
    const settle = "update tieout.approvals set state = 'lapsed', decided_at = now() where id = $1";
    await expect(database.db.query(settle, [id])).rejects.toMatchObject(refused);
    await addStatement(books, { lines: [{ of: late.order }] });
    await reconcileAccount(database.db, books.accountId);
    expect(await stateOf()).toBe("resolved");
    const [row] = await database.db.query(
      "select state, decided_by, decision_reason from tieout.approvals where id = $1",
      [id],
    );
    const reason = `dis_${seen.id} is resolved`;
    expect(row).toEqual({ state: "lapsed", decided_by: null, decision_reason: reason });
    const [noted] = await database.db.query(
      "select actor, reason from tieout.audit_log where action = 'approval.lapsed' and subject = $1",
      [`dis_${seen.id}`],
    );
    expect(noted).toEqual({ actor: "tieout", reason });
  });

  test("above the limit is refused by the database itself, whatever the program does", async () => {
    const insert = `insert into tieout.decisions (discrepancy_id, fingerprint, facts_hash, decision, booked_at, reason, decided_by, known_from, approval_id)
      select id, fingerprint, facts_hash, 'written_off', now(), 'x', $2, now(), $3 from tieout.discrepancies where id = $1`;
    for (const actor of [actorOfPerson(grace), "tieout", "cli:root", "anyone"]) {
      await expect(database.db.query(insert, [seen.id, actor, null])).rejects.toMatchObject(refused);
    }
    const { rows } = await listApprovals(
      { database: database.db, accountIds: null },
      { state: ["approved"] },
      { limit: 1, after: null },
    );
    // The approval of another discrepancy is none for this one.
    const other = [seen.id, actorOfPerson(grace), rows[0]?.id ?? null];
    await expect(database.db.query(insert, other)).rejects.toMatchObject(refused);
  });
});

describe("an approval", () => {
  const database = useTestDatabase();
  let ada = 0;
  let alan = 0;
  beforeAll(async () => {
    ada = await aPerson(database.db, ["admin", "controller", "accountant"], { name: "Ada" });
    alan = await aPerson(database.db, ["admin", "controller"], { name: "Alan" });
  });
  let counter = 0;
  const propose = (proposedBy = ada) =>
    database.db.transaction((tx) =>
      insertApproval(tx, {
        kind: "reopen",
        subject: `period ${++counter}`,
        accountId: null,
        details: { month: "2026-10" },
        proposedBy,
        reason: "a statement came late",
      }),
    );

  test("is carried out by the handler of its kind, in one transaction with it", async () => {
    const done: unknown[] = [];
    const handlers: ApprovalHandlers = {
      reopen: async (_, { details }, author) => void done.push(details, author.actor),
    };
    const deps = { database: database.db, handlers, requestId: "r" };
    await approve(deps, await propose(), decider(alan, ["controller"]), null);
    expect(done).toEqual([{ month: "2026-10" }, actorOfPerson(ada)]);
    const failing = { ...deps, handlers: { reopen: () => Promise.reject(new Error("no")) } };
    const id = await propose();
    await expect(approve(failing, id, decider(alan, ["controller"]), null)).rejects.toThrow("no");
    const [row] = await database.db.query("select state from tieout.approvals where id = $1", [id]);
    expect(row).toEqual({ state: "proposed" });
  });

  test("is decided by two, both of them active: the database says so", async () => {
    const id = await propose();
    const settle = (by: number, state = "approved") =>
      database.db.query(
        "update tieout.approvals set state = $2, decided_by = $3, decided_at = now() where id = $1",
        [id, state, by],
      );
    await expect(settle(ada)).rejects.toMatchObject({ code: "23514" });
    await expect(settle(alan, "withdrawn")).rejects.toMatchObject({ code: "23514" });
    const gone = await aPerson(database.db, "controller");
    await database.db.transaction((tx) => suspendPerson(tx, gone));
    await expect(settle(gone)).rejects.toMatchObject(refused);
    await expect(settle(await aPerson(database.db, "auditor"))).rejects.toMatchObject(refused);
    await expect(propose(gone)).rejects.toMatchObject(refused);
    await settle(alan);
    await expect(settle(alan, "rejected")).rejects.toMatchObject(refused);
    for (const statement of [
      "delete from tieout.approvals",
      "delete from tieout.approval_events",
      "update tieout.approval_events set person_name = 'x'",
      "truncate tieout.approval_events",
    ]) {
      await expect(database.db.query(statement)).rejects.toMatchObject(refused);
    }
    const events = await database.db.query(
      "select state, person_name from tieout.approval_events where approval_id = $1 order by id",
      [id],
    );
    expect(events).toEqual([
      { state: "proposed", person_name: "Ada" },
      { state: "approved", person_name: "Alan" },
    ]);
  });

  test("is needed for a third admin and for an admin key, once there are two admins", async () => {
    const granter = decider(ada, ["admin", "controller", "accountant"]);
    const deps = { database: database.db, randomBytes, granter };
    const wanted = {
      name: "Eve",
      email: "eve@example.com",
      roles: ["admin", "viewer"] as const,
      accountIds: null,
    };
    await expect(invitePerson({ ...deps, granter: decider(ada, ["admin"]) }, wanted)).rejects.toMatchObject({
      code: "not_allowed",
    });
    const { person } = await invitePerson(deps, wanted);
    expect(person.roles).toEqual(["viewer"]);
    const approvals = await listApprovals(
      { database: database.db, accountIds: null },
      { subject: [`per_${person.id}`] },
      { limit: 9, after: null },
    );
    const second = decider(alan, ["admin", "controller"]);
    const viewer = await aPerson(database.db, "viewer");
    await approve({ ...deps, handlers: {}, requestId: "r" }, approvals.rows[0]?.id ?? 0, second, null);
    const [row] = await database.db.query("select roles from tieout.people where id = $1", [person.id]);
    expect(row).toEqual({ roles: ["admin", "viewer"] });
    // Someone who is an admin already stays one without asking.
    expect((await setRoles(deps, person.id, { roles: ["admin"], accountIds: null })).roles).toEqual([
      "admin",
    ]);

    // A key that nobody owns has nobody who could propose it.
    const machine = { ...granter, actor: "key:AAAAAAAA", personId: null };
    const alone = setRoles({ ...deps, granter: machine }, viewer, { roles: ["admin"], accountIds: null });
    await expect(alone).rejects.toMatchObject({ code: "not_allowed" });

    const key = {
      name: "all",
      role: "admin",
      scopes: [],
      accountIds: null,
      expiresInMs: null,
      ownerId: ada,
    } as const;
    const { held } = await createKey(database.db, randomBytes, key, { actor: actorOfPerson(ada) });
    expect(await findKey(database.db, held.id)).toMatchObject({ unapproved: true });
    await approve({ ...deps, handlers: {}, requestId: "r" }, held.approvalId ?? 0, second, null);
    expect(await findKey(database.db, held.id)).toMatchObject({ unapproved: false });
    for (const [role, scopes] of [
      ["admin", []],
      ["custom", ["keys:write"]],
      ["viewer", ["people:write"]],
    ]) {
      await expect(
        database.db.query(
          `insert into tieout.api_keys (id, name, role, scopes, secret_hash, last_four, created_by, expires_at)
           values ('AAAAAAAA', 'x', $2, $3, sha256(''), 'xxxx', $1, now())`,
          [actorOfPerson(ada), role, scopes],
        ),
      ).rejects.toMatchObject(refused);
    }
  });

  test("is what the role admin needs, whatever the program does", async () => {
    const { db } = database;
    const mallory = await aPerson(db, "viewer", { name: "Mallory" });
    const promote = (tx: Pick<typeof db, "query">) =>
      tx.query("update tieout.people set roles = array['admin'] where id = $1", [mallory]);
    const withWords = (givenBy: string) =>
      db.transaction(async (tx) => {
        await tx.query("select set_config('tieout.roles_given_by', $1, true)", [givenBy]);
        await promote(tx);
      });
    await expect(promote(db)).rejects.toMatchObject(refused);
    for (const givenBy of ["", actorOfPerson(ada), "key:AAAAAAAA"])
      await expect(withWords(givenBy)).rejects.toMatchObject(refused);
    const insert = `insert into tieout.people (name, email, roles, state, created_by, activated_at)
      values ('Trudy', 'trudy@example.com', array['admin'], 'active', $1, now())`;
    for (const createdBy of [actorOfPerson(ada), "key:AAAAAAAA"])
      await expect(db.query(insert, [createdBy])).rejects.toMatchObject(refused);

    // An approval counts in its own transaction: not before it is given, and never again.
    const id = await db.transaction((tx) =>
      insertApproval(tx, {
        kind: "admin_key",
        subject: `per_${mallory}`,
        accountId: null,
        details: { roles: ["admin"] },
        proposedBy: ada,
        reason: "x",
      }),
    );
    await expect(promote(db)).rejects.toMatchObject(refused);
    await db.transaction(async (tx) => {
      await settleApproval(tx, id, { state: "approved", decidedBy: alan, vouchedBy: null, reason: null });
      await promote(tx);
    });
    await db.query("update tieout.people set roles = array['viewer'] where id = $1", [mallory]);
    await expect(promote(db)).rejects.toMatchObject(refused);
    // Whoever has the command line has the database as well.
    await withWords("cli:root");
  });
});
