import { beforeAll, expect, test } from "vitest";
import { preparePeriod } from "../../src/close/prepare.ts";
import { approvePeriod } from "../../src/close/sign.ts";
import { addMissingOrder, monthOfBooks, openMonth } from "../close/a-month.ts";
import type { Books } from "../reconcile/books.ts";
import { aPerson, cookieOf } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { usePage } from "../web/a-page.ts";
import { aKey } from "./an-api.ts";

const database = useTestDatabase();
const service = usePage(database);
let books: Books;
let alan = 0;
let grace = "";
let ada = "";

const close = async (month: string) => {
  const accepted = [{ line: "discrepancies", reason: "asked" }];
  const [first, second] = [
    { actor: "test:1", name: "One" },
    { actor: "test:2", name: "Two" },
  ];
  await preparePeriod(database.db, await monthOfBooks(books, month), accepted, first);
  await approvePeriod(database.db, await monthOfBooks(books, month), second);
};

beforeAll(async () => {
  await database.db.query("update tieout.write_off_limits set amount = 0");
  const keyOf = async (name: string) =>
    aKey(database.db, "accountant", { ownerId: await aPerson(database.db, "accountant", { name }) });
  grace = await keyOf("Grace Hopper");
  ada = await keyOf("Ada Lovelace");
  alan = await aPerson(database.db, "controller", { name: "Alan Turing" });
  books = await openMonth(database.db);
  await addMissingOrder(books, "to be written off");
  await addMissingOrder(books, "read before");
  await close("2026-03");
});

async function addressOf(transactionId: string): Promise<string> {
  const [found] = await database.db.query<{ id: number }>(
    "select id::int from tieout.discrepancies where transaction_id = $1",
    [transactionId],
  );
  return `/v1/discrepancies/dis_${found?.id}`;
}

async function writeOff(key: string, bookedAt: string, transactionId = "to be written off") {
  const address = await addressOf(transactionId);
  const etag = (await service.get(address, key)).headers.get("etag") ?? "";
  const body = { action: "write_off", reason: "lost", booked_at: bookedAt };
  return service.send("POST", `${address}/actions`, key, body, { "if-match": etag });
}

async function proposals() {
  const { json } = await service.get("/v1/approvals", grace);
  return json["data"] as Record<string, unknown>[];
}

const audited = () =>
  database.db.query("select actor_name from tieout.audit_log where action = 'approval.proposed'");

test("a write-off above the limit is not proposed into a closed month", async () => {
  const refused = await writeOff(grace, "2026-03-31T12:00:00Z");
  expect(refused.status).toBe(409);
  expect(refused.json).toMatchObject({
    code: "period_refused",
    detail: expect.stringContaining("The books are closed up to 2026-04-01T00:00:00Z") as unknown,
  });
  expect([await proposals(), await audited()]).toEqual([[], []]);
});

test("a second proposal is refused and not noted; the first shows what it would book, and when", async () => {
  const proposed = await writeOff(grace, "2026-04-10T12:00:00Z");
  const approval = String(proposed.json["pending_approval"]);
  const second = await writeOff(ada, "2026-04-20T12:00:00Z");
  expect(second.status).toBe(409);
  expect(second.json).toMatchObject({
    code: "state_conflict",
    detail: `${approval} already waits for approval: reject it first, or withdraw it if it is yours.`,
  });
  expect(await audited()).toMatchObject([{ actor_name: expect.stringContaining("Grace Hopper") as unknown }]);
  expect(await proposals()).toMatchObject([
    {
      id: approval,
      proposed_by_name: "Grace Hopper",
      amount: expect.stringMatching(/^\d/) as unknown,
      currency: "EUR",
      booked_at: "2026-04-10T12:00:00.000Z",
    },
  ]);
  const page = await fetch(`${service.url}/approvals`, {
    headers: { cookie: await cookieOf(database.db, alan) },
  });
  expect(await page.text()).toMatch(/Booked[^]*2026-04-10/);
});

test("whoever approves after the month was closed is told what to do", async () => {
  await close("2026-04");
  const [waiting] = await proposals();
  const { approve } = await import("../../src/access/approvals.ts");
  const deps = { database: database.db, handlers: {}, requestId: "r" };
  const decider = {
    actor: `person:${alan}`,
    name: "Alan Turing",
    keyId: null,
    personId: alan,
    vouchedBy: null,
    scopes: new Set(["approvals:write"] as const),
    accountIds: null,
  };
  const id = Number(String(waiting?.["id"]).slice("apr_".length));
  await expect(approve(deps, id, decider, null)).rejects.toThrow(
    "the books are closed up to 2026-05-01T00:00:00Z since this was proposed: reject it, and have it proposed again",
  );
});

test("whoever holds the discrepancy as it was before a proposal is told that it is another one now", async () => {
  const address = await addressOf("read before");
  const etag = (await service.get(address, grace)).headers.get("etag") ?? "";
  const read = () => service.get(address, grace, { "if-none-match": etag });
  expect((await read()).status).toBe(304);
  await writeOff(grace, "2026-05-10T12:00:00Z", "read before");
  const { status, json } = await read();
  expect([status, json["pending_approval"]]).toEqual([200, expect.stringMatching(/^apr_/)]);
});
