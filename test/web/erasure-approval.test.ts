import { beforeAll, expect, test } from "vitest";
import { createEraser } from "../../src/reconcile/erasure/approved-erasure.ts";
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
const service = usePage(database, {
  openErasureKey: async () => key,
  approvalHandlers: { erase: createEraser(async () => key) },
});

let wallet = "";
let approval = "";
let anna: VisitorOfTest;
let ben: VisitorOfTest;

beforeAll(async () => {
  const { db } = database;
  ({ wallet } = await seedErasable(db));
  anna = await signIn(db, await aPerson(db, ["accountant", "controller"], { name: "Anna" }));
  ben = await signIn(db, await aPerson(db, "controller", { name: "Ben" }));
  // A month that someone has signed, with all of the seed in it, and one that is over long since.
  await db.query(
    `insert into tieout.periods (account_id, month, zone, from_at, to_at, state, known_at, pack_sha256, prepared_by, last_event_id)
     values ($1, '2026-10', 'UTC', now() - interval '1 year', now() + interval '1 year', 'prepared', now(), '', 'person:1', 0),
            ($1, '2020-01', 'UTC', '2020-01-01', '2020-02-01', 'prepared', now(), '', 'person:1', 0)`,
    [accountId],
  );
});

const sendForm = (path: string, { headers, csrf }: VisitorOfTest, fields: Record<string, string>) =>
  fetch(service.url + path, {
    method: "POST",
    redirect: "manual",
    headers: { ...headers, origin: service.url },
    body: new URLSearchParams({ csrf, ...fields }),
  });
const decide = (verb: string, visitor: VisitorOfTest) =>
  sendForm(`/approvals/${verb}`, visitor, { id: approval });

test("a preview says how much an erasure reaches and which signed months it ends, and proposes nothing", async () => {
  const fields = { account: "acme-eu", kind: "wallet", value: wallet };
  const answer = await sendForm("/settings/erasures/preview", anna, fields);
  const shown = await answer.text();
  expect(answer.status).toBe(200);
  expect(shown).toMatch(/transactions: 1, transaction statuses: \d+, statements: 1/);
  expect(shown).toContain("<strong>2026-10</strong>: signed with data that would be erased");
  expect(shown).not.toContain("2020-01");
  expect(await database.db.query("select from tieout.approvals where kind = 'erase'")).toEqual([]);
});

test("the reason keeps no wallet, and a key without an owner proposes nothing", async () => {
  const fields = { account: "acme-eu", kind: "wallet", value: wallet };
  const quoted = await sendForm("/settings/erasures/propose", anna, { ...fields, reason: `of ${wallet}` });
  expect(quoted.status).toBe(400);
  const asked = await service.send("POST", "/v1/erasures", await aKey(database.db, "accountant"), {
    ...fields,
    reason: "x",
  });
  expect([asked.status, asked.json["code"]]).toEqual([403, "not_allowed"]);
});

test("a person proposes it in the settings, and it is listed there with its approval", async () => {
  const fields = { account: "acme-eu", kind: "wallet", value: wallet, reason: "request 4711" };
  expect((await sendForm("/settings/erasures/propose", anna, fields)).status).toBe(303);
  const { json } = await service.get("/v1/erasures", await aKey(database.db, "viewer"));
  const [listed] = json["data"] as { id: string }[];
  approval = listed?.id ?? "";
  expect(listed).toMatchObject({
    state: "proposed",
    account: "acme-eu",
    kind: "wallet",
    counts: { transactions: 1, receipt_files: 1, exports: 1 },
    closed_months: ["2026-10"],
    proposed_by_name: "Anna",
    erased_at: null,
  });
  const page = await (await fetch(`${service.url}/settings/erasures`, { headers: ben.headers })).text();
  for (const text of [page, JSON.stringify(json)])
    expect(text.toLowerCase()).not.toContain(wallet.toLowerCase());
  const [audited] = await database.db.query<{ action: string; reason: string }>(
    "select action, reason from tieout.audit_log where action = 'approval.proposed'",
  );
  expect(audited).toEqual({ action: "approval.proposed", reason: "request 4711" });
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
  const { json } = await service.get("/v1/erasures", await aKey(database.db, "viewer"));
  const time = expect.stringMatching(/Z$/) as string;
  expect(json["data"]).toMatchObject([{ state: "approved", decided_by_name: "Ben", erased_at: time }]);
});
