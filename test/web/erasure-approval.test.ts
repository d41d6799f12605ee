import { beforeAll, expect, test } from "vitest";
import { propose } from "../../src/access/approvals.ts";
import { actorOfPerson } from "../../src/access/caller.ts";
import { createEraser, describeErasure, keepSubject } from "../../src/reconcile/erasure/approved-erasure.ts";
import { aKey } from "../api/an-api.ts";
import {
  accountId,
  findEverywhere,
  key,
  problemsOf,
  seedErasable,
} from "../reconcile/erasure/erased-world.ts";
import { signIn, type VisitorOfTest } from "../security/as-visitor.ts";
import { aPerson } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { usePage } from "./a-page.ts";

const database = useTestDatabase();
const service = usePage(database, { approvalHandlers: { erase: createEraser(async () => key) } });

let wallet = "";
let approval = "";
let anna: VisitorOfTest;
let ben: VisitorOfTest;

beforeAll(async () => {
  const { db } = database;
  ({ wallet } = await seedErasable(db));
  const proposedBy = await aPerson(db, ["accountant", "controller"], { name: "Anna" });
  anna = await signIn(db, proposedBy);
  ben = await signIn(db, await aPerson(db, "controller", { name: "Ben" }));
  const id = await db.transaction(async (tx) => {
    const described = describeErasure(key, { accountId, kind: "wallet", value: wallet }, { transactions: 1 });
    const wanted = { kind: "erase", accountId, ...described, proposedBy, reason: "request 4711" } as const;
    const approvalId = await propose(tx, wanted, { actor: actorOfPerson(proposedBy) });
    await keepSubject(tx, key, { approvalId, value: wallet });
    return approvalId;
  });
  approval = `apr_${id}`;
}, 120_000);

const decide = (verb: string, { headers, csrf }: VisitorOfTest) =>
  fetch(`${service.url}/approvals/${verb}`, {
    method: "POST",
    redirect: "manual",
    headers: { ...headers, origin: service.url },
    body: new URLSearchParams({ csrf, id: approval }),
  });

test("an erasure that waits shows the two ends of the wallet, on the page and in the API", async () => {
  const page = await (await fetch(`${service.url}/approvals`, { headers: ben.headers })).text();
  const waiting = page.slice(page.indexOf("waiting-title"), page.indexOf("decided-title"));
  const { text: shown } = await service.get(`/v1/approvals/${approval}`, await aKey(database.db, "viewer"));
  const ends = `${wallet.slice(0, 4)}…${wallet.slice(-4)}`;
  for (const text of [waiting, shown]) {
    expect(text).toContain(ends);
    expect(text.toLowerCase()).not.toContain(wallet.toLowerCase());
  }
  expect(waiting).toContain("Erase data");
  expect(waiting).toContain("transactions: 1");
});

test("whoever proposed it cannot approve it; another person does, and it is carried out", async () => {
  expect((await decide("approve", anna)).status).toBe(403);
  expect(await findEverywhere(database.db, wallet)).toContain("tieout.transactions.wallet_address");
  expect((await decide("approve", ben)).status).toBe(303);
  expect(await findEverywhere(database.db, wallet)).toEqual([]);
  expect(await problemsOf(database.db)).toEqual([]);
}, 120_000);
