import { randomBytes } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { approve } from "../../src/access/approvals.ts";
import { actorOfPerson } from "../../src/access/caller.ts";
import { setRoles } from "../../src/access/people.ts";
import { scopesOfRoles } from "../../src/core/roles.ts";
import { saveSettings } from "../../src/reconcile/provider-settings.ts";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { changeDiscrepancies } from "../../src/store/books/discrepancy-changes.ts";
import { listApprovals } from "../../src/store/people/approvals.ts";
import { addRecords, type Books, openBooks } from "../reconcile/books.ts";
import { aPerson, everyRole } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";

const database = useTestDatabase();
let ada = 0;
let alan = 0;

beforeAll(async () => {
  ada = await aPerson(database.db, everyRole, { name: "Ada" });
  alan = await aPerson(database.db, everyRole, { name: "Alan" });
  await database.db.query("update tieout.write_off_limits set amount = 0");
});

test("a write-off whose discrepancy has another amount by now is not what was proposed", async () => {
  const books = await openBooks(database.db);
  await addRecords(books, [{ id: "T1", status: "paid" }]);
  // Our share is what a write-off gives up, and no fact of the discrepancy.
  await shareOf(books, "0.01");
  const approval = await proposeWriteOff(books);
  await shareOf(books, "0.02");
  await expect(approveIt(approval)).rejects.toMatchObject({
    code: "approval_conflict",
    message: expect.stringContaining("when it was about 1 EUR: reject this") as unknown,
  });
  await shareOf(books, "0.01");
  expect(await approveIt(approval)).toMatchObject({ state: "approved" });
});

test("a write-off whose discrepancy has other facts by now is not what was proposed", async () => {
  const books = await openBooks(database.db);
  await addRecords(books, [{ id: "T1", status: "paid" }]);
  await reconcileAccount(database.db, books.accountId);
  const approval = await proposeWriteOff(books);
  await database.db.query(
    "update tieout.discrepancies set facts_hash = sha256('other') where account_id = $1",
    [books.accountId],
  );
  await expect(approveIt(approval)).rejects.toMatchObject({ code: "approval_conflict" });
});

test("whoever becomes an admin gets no role back that was taken away while it waited", async () => {
  const grace = await aPerson(database.db, "viewer", { name: "Grace" });
  const deps = { database: database.db, randomBytes, granter: decider(ada) };
  await setRoles(deps, grace, { roles: ["admin", "controller"], accountIds: null });
  await setRoles(deps, grace, { roles: ["accountant"], accountIds: null });
  await approveIt(await waitingAbout(`per_${grace}`));
  const [{ roles } = { roles: [] }] = await database.db.query<{ roles: string[] }>(
    "select roles from tieout.people where id = $1",
    [grace],
  );
  expect(roles).toEqual(["admin", "accountant"]);
});

function decider(personId: number) {
  return {
    actor: actorOfPerson(personId),
    name: "x",
    keyId: null,
    personId,
    vouchedBy: null,
    scopes: new Set(scopesOfRoles(everyRole)),
    accountIds: null,
  };
}

function approveIt(id: number) {
  return approve({ database: database.db, handlers: {}, requestId: "r" }, id, decider(alan), null);
}

async function shareOf({ accountId }: Books, share: string): Promise<void> {
  await saveSettings(database.db, {
    accountId,
    provider: "moonpay",
    settings: { calendar: { our_share: share } },
    seenVersion: null,
    reason: "new contract",
    actor: "test",
    requestId: "r",
  });
  await reconcileAccount(database.db, accountId);
}

async function proposeWriteOff({ accountId }: Books): Promise<number> {
  const [seen] = await database.db.query<{ id: number; version: number }>(
    "select id::int, version from tieout.discrepancies where account_id = $1",
    [accountId],
  );
  const { proposed } = await changeDiscrepancies(
    database.db,
    { accountIds: null },
    [seen ?? { id: 0, version: 0 }],
    { action: "write_off", reason: "too small to chase" },
    { actor: actorOfPerson(ada), requestId: "r" },
  );
  return proposed[0]?.approvalId ?? 0;
}

async function waitingAbout(subject: string): Promise<number> {
  const reader = { database: database.db, accountIds: null };
  const { rows } = await listApprovals(reader, { subject: [subject] }, { limit: 1, after: null });
  return rows[0]?.id ?? 0;
}
