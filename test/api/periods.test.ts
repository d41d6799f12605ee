import { createPublicKey } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { Api } from "../../src/api/deps.ts";
import { periodRoutes } from "../../src/api/periods/routes.ts";
import { verifyPack } from "../../src/close/verify-pack.ts";
import { findWrongDiscrepancies } from "../../src/store/books/discrepancy-integrity.ts";
import { addMissingOrder, openMonth, signingKey } from "../close/a-month.ts";
import type { Books } from "../reconcile/books.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { aPerson, everyRole } from "../support/people.ts";
import { aKey, useApi } from "./an-api.ts";

const database = useTestDatabase();
const extend = (api: Api) =>
  periodRoutes({ database: database.db, signingKey, places: { max: 2, waitMs: 1 } })(api);
const server = useApi(database, { extensions: [extend] });
let books: Books;
let alice = "";
let bob = "";

beforeAll(async () => {
  books = await openMonth(database.db);
  alice = await aKey(database.db, "admin", {
    ownerId: await aPerson(database.db, everyRole, { name: "Alice Example" }),
  });
  bob = await aKey(database.db, "admin", {
    ownerId: await aPerson(database.db, everyRole, { name: "Bob Example" }),
  });
});

const at = (month: string, action = "") =>
  `/v1/periods/${month}${action}?account=${encodeURIComponent(books.name)}`;

test("a month is prepared by one key, approved by another, and its pack can be checked", async () => {
  const open = await server.get(at("2026-03"), alice);
  expect(open.status).toBe(200);
  expect(open.json).toMatchObject({ state: "open", pack_sha256: null, events: [] });
  const prepared = await server.send("POST", at("2026-03", "/prepare"), alice, {});
  expect(prepared.json).toMatchObject({ state: "prepared", changes: [] });
  const packSha256 = prepared.json["pack_sha256"] as string;
  const unseen = await server.send("POST", at("2026-03", "/approve"), bob, {});
  expect(unseen.status).toBe(400);
  const own = await server.send("POST", at("2026-03", "/approve"), alice, { pack_sha256: packSha256 });
  expect(own.status).toBe(409);
  expect(own.json).toMatchObject({ code: "period_refused" });
  const closed = await server.send("POST", at("2026-03", "/approve"), bob, { pack_sha256: packSha256 });
  expect(closed.json).toMatchObject({ state: "closed", pack_sha256: packSha256 });
  expect(closed.json).toMatchObject({
    prepared: { name: "Alice Example" },
    closed: { name: "Bob Example" },
  });

  const response = await fetch(`${server.url}${at("2026-03", "/pack")}`, {
    headers: { authorization: `Bearer ${alice}` },
  });
  expect(response.headers.get("content-type")).toBe("application/zip");
  const folder = await mkdtemp(join(tmpdir(), "tieout-test-"));
  try {
    const file = join(folder, "pack.zip");
    await writeFile(file, Buffer.from(await response.arrayBuffer()));
    const pem = await server.get("/signing-key.pem", null);
    const { manifestSha256 } = await verifyPack(file, createPublicKey(pem.text));
    expect(manifestSha256).toBe(packSha256);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const [noted] = await database.db.query<{ count: number }>(
    "select count(*)::int from tieout.audit_log where action in ('period.prepared', 'period.approved', 'period.pack_downloaded')",
  );
  expect(noted?.count).toBe(3);
});

test("a month with red lines is refused with each of them, until they are carried or accepted", async () => {
  const late = await openMonth(database.db);
  await addMissingOrder(late, "api-lost");
  const path = (action: string) => `/v1/periods/2026-03${action}?account=${encodeURIComponent(late.name)}`;
  const refused = await server.send("POST", path("/prepare"), alice, {});
  expect(refused.status).toBe(409);
  expect(refused.json["errors"]).toMatchObject([{ path: "discrepancies", code: "red" }]);
  const carry = { owner: "bob example", reason: "asked" };
  const carried = await server.send("POST", path("/carry"), alice, carry);
  expect(carried.json).toEqual({ object: "carried_discrepancies", carried: 1, owner: "Bob Example" });
  const prepared = await server.send("POST", path("/prepare"), alice, {});
  expect(prepared.json).toMatchObject({ state: "prepared" });

  // What comes in later makes it lapse, and is named: before a worker has looked, and in the event.
  await addMissingOrder(late, "api-late");
  const record = { fact: "records", changes: 1, first: ["api-late"] };
  const changed = await server.get(path(""), alice);
  expect(changed.json["changes"]).toContainEqual(record);
  const seen = { pack_sha256: prepared.json["pack_sha256"] };
  const lapsed = await server.send("POST", path("/approve"), bob, seen);
  expect(lapsed.json["detail"]).toContain("1 record (api-late)");
  const { json } = await server.get(path(""), alice);
  expect(json["events"]).toMatchObject([
    { event: "prepared", changes: null },
    {
      event: "lapsed",
      reason: expect.stringContaining("1 record (api-late)") as unknown,
      changes: expect.arrayContaining([record]) as unknown,
    },
  ]);
});

describe("what is carried forward", () => {
  const pathOf = (of: Books, action: string) =>
    `/v1/periods/2026-03${action}?account=${encodeURIComponent(of.name)}`;
  const ownedBy = async (of: Books, owner: string) => {
    const query = new URLSearchParams({ account: of.name, owner });
    return (await server.get(`/v1/discrepancies?${query.toString()}`, alice)).json["data"] as {
      id: string;
      version: number;
    }[];
  };

  test("is assigned: it is in the owner's list, and its history and the audit log say why", async () => {
    const late = await openMonth(database.db);
    for (const id of ["carried-1", "carried-2"]) await addMissingOrder(late, id);
    expect(await ownedBy(late, "Bob Example")).toEqual([]);
    const order = { owner: "Bob Example", reason: "asked the provider" };
    await server.send("POST", pathOf(late, "/carry"), alice, order);
    const owned = await ownedBy(late, "Bob Example");
    expect(owned).toMatchObject([{ version: 2 }, { version: 2 }]);
    const { json } = await server.get(`/v1/discrepancies/${owned[0]?.id}/events`, alice);
    const said = "carried forward from 2026-03: asked the provider";
    expect(json["data"]).toContainEqual(
      expect.objectContaining({
        event: "assigned",
        owner: "Bob Example",
        actor_name: "Alice Example",
        reason: said,
      }),
    );
    for (const { id } of owned) {
      const audit = await server.get(`/v1/audit?subject=${id}`, alice);
      expect(audit.json["data"]).toMatchObject([
        {
          action: "discrepancy.assigned",
          before: { owner: null },
          after: { owner: "Bob Example" },
          reason: said,
        },
      ]);
    }
    expect(await findWrongDiscrepancies(database.db)).toEqual([]);
  });

  test("needs an owner who is someone, and who sees the account", async () => {
    const late = await openMonth(database.db);
    await addMissingOrder(late, "carried-3");
    await aPerson(database.db, "accountant", { name: "Eve Elsewhere", accountIds: [books.accountId] });
    for (const owner of ["nobodyhere", "Eve Elsewhere"]) {
      const refused = await server.send("POST", pathOf(late, "/carry"), alice, { owner, reason: "asked" });
      expect(refused.status).toBe(400);
      expect(refused.json["detail"]).toContain(`The owner "${owner}" is not an active person who sees`);
      expect(refused.json["detail"]).toContain("tieout people list");
    }
    const open = await server.get(pathOf(late, ""), alice);
    expect(JSON.stringify(open.json["checklist"])).toContain("1 not closed, 0 of them carried forward");
  });

  test("is nothing of a closed month, and the answer says so", async () => {
    const late = await openMonth(database.db);
    await addMissingOrder(late, "carried-4");
    const accepted = [{ line: "discrepancies", reason: "asked" }];
    const prepared = await server.send("POST", pathOf(late, "/prepare"), alice, { accepted });
    const seen = { pack_sha256: prepared.json["pack_sha256"] };
    await server.send("POST", pathOf(late, "/approve"), bob, seen);
    const order = { owner: "Bob Example", reason: "asked" };
    const refused = await server.send("POST", pathOf(late, "/carry"), alice, order);
    expect(refused.json).toMatchObject({
      code: "period_refused",
      detail: "2026-03 is closed: carry them forward in the next open month, or reopen 2026-03 first.",
    });
    expect(await ownedBy(late, "Bob Example")).toEqual([]);
  });
});

test("a closed month is reopened by two keys", async () => {
  const again = await openMonth(database.db);
  const path = (action: string) => `/v1/periods/2026-03${action}?account=${encodeURIComponent(again.name)}`;
  // With a key each answer is kept together with the signature, and shows the month that it has signed.
  const sign = (verb: string, by: string, body: object, once: string) =>
    server.send("POST", path(`/${verb}`), by, body, { "idempotency-key": once });
  const prepared = await sign("prepare", alice, {}, "first");
  expect(prepared.json).toMatchObject({ state: "prepared", events: [{ event: "prepared" }] });
  const closed = await sign("approve", bob, { pack_sha256: prepared.json["pack_sha256"] }, "second");
  expect(closed.json).toMatchObject({ state: "closed" });
  const asked = await sign("reopen", alice, { reason: "a late refund" }, "ask");
  expect(asked.json).toMatchObject({ state: "closed", reopen_asked: {} });
  const alone = await server.send("POST", path("/reopen"), alice, { reason: "a late refund" });
  expect(alone.status).toBe(409);
  const agreed = await sign("reopen", bob, { reason: "yes" }, "agree");
  expect(agreed.json).toMatchObject({ state: "reopened", known_at: null });
});

test("of packs asked for at the same time one is made for each caller, and the others are told when to come back", async () => {
  const answers = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const headers = { authorization: `Bearer ${alice}` };
      const answer = await fetch(server.url + at("2026-03", "/pack"), { headers });
      await answer.arrayBuffer();
      return `${answer.status} ${answer.headers.get("retry-after")}`;
    }),
  );
  expect(answers.toSorted()).toEqual(["200 null", "429 5", "429 5", "429 5"]);
});

test("the pack of an earlier close can be had after reopening, with the same bytes", async () => {
  const again = await openMonth(database.db);
  const path = (action: string) => `/v1/periods/2026-03${action}?account=${encodeURIComponent(again.name)}`;
  const sign = (verb: string, by: string, body: object) => server.send("POST", path(`/${verb}`), by, body);
  const pack = async (which = "") => {
    const answer = await fetch(server.url + path("/pack") + which, {
      headers: { authorization: `Bearer ${alice}` },
    });
    return {
      status: answer.status,
      name: answer.headers.get("content-disposition"),
      bytes: Buffer.from(await answer.arrayBuffer()),
    };
  };
  const close = async () => {
    const accepted = [{ line: "discrepancies", reason: "asked" }];
    const { json } = await sign("prepare", alice, { accepted });
    const hash = String(json["pack_sha256"]);
    await sign("approve", bob, { pack_sha256: hash });
    return hash;
  };
  const first = await close();
  const signed = await pack();
  await sign("reopen", alice, { reason: "a late refund" });
  await sign("reopen", bob, { reason: "yes" });
  await addMissingOrder(again, "learnt after reopening");

  const refused = await server.get(path("/pack"), alice);
  expect(refused.json).toMatchObject({ code: "period_refused" });
  expect(refused.json["detail"]).toContain(`${first} (approved by Bob Example at `);
  const earlier = await pack(`&pack_sha256=${first}`);
  expect(earlier.name).toContain(`2026-03-${first.slice(0, 8)}.zip`);
  expect(Buffer.compare(earlier.bytes, signed.bytes)).toBe(0);

  const second = await close();
  expect(second).not.toBe(first);
  expect(Buffer.compare((await pack(`&pack_sha256=${first}`)).bytes, signed.bytes)).toBe(0);
  expect((await pack(`&pack_sha256=${second}`)).name).toContain("2026-03.zip");
  const unknown = await server.get(`${path("/pack")}&pack_sha256=${"0".repeat(64)}`, alice);
  expect(unknown.json["detail"]).toContain("No close of 2026-03 was signed as 000");
});

test("a key without an owner signs nothing", async () => {
  const ownerless = await aKey(database.db, "admin");
  const refused = await server.send("POST", at("2026-04", "/prepare"), ownerless, {});
  expect(refused.json).toMatchObject({ code: "not_allowed", status: 403 });
});

test("months are listed up to now, and there is no other", async () => {
  const { json } = await server.get("/v1/periods", alice);
  const months = (json["data"] as { account: string; month: string }[]).filter(
    ({ account }) => account === books.name,
  );
  expect(months[0]?.month).toBe("2026-03");
  expect(months.length).toBeGreaterThan(1);
  expect((await server.get(at("2026-02"), alice)).status).toBe(404);
  expect((await server.get(at("yesterday"), alice)).status).toBe(404);
  expect((await server.get(at("9999-12"), alice)).status).toBe(404);
  const ahead = await server.get(at("2999-01"), alice);
  expect(ahead).toMatchObject({ status: 404, json: { code: "not_found" } });
  expect(ahead.json["detail"]).toContain(
    `2999-01 has not begun: the last month of ${books.name} is ${months.at(-1)?.month}`,
  );
  expect((await server.get(at("2026-04", "/pack"), alice)).json).toMatchObject({ code: "period_refused" });
});

test("a decision cannot be booked into a closed month, and the answer says from when on it can", async () => {
  const late = await openMonth(database.db);
  await addMissingOrder(late, "api-booked");
  const path = (action: string) => `/v1/periods/2026-03${action}?account=${encodeURIComponent(late.name)}`;
  const accepted = [{ line: "discrepancies", reason: "asked" }];
  const prepared = await server.send("POST", path("/prepare"), alice, { accepted });
  await server.send("POST", path("/approve"), bob, { pack_sha256: prepared.json["pack_sha256"] });
  const [found] = await database.db.query<{ id: number }>(
    "select id::int from tieout.discrepancies where transaction_id = 'api-booked'",
  );
  const address = `/v1/discrepancies/dis_${found?.id}`;
  const etag = (await server.get(address, alice)).headers.get("etag") ?? "";
  const writeOff = (bookedAt: string) =>
    server.send(
      "POST",
      `${address}/actions`,
      alice,
      { action: "write_off", reason: "lost", booked_at: bookedAt },
      { "if-match": etag },
    );
  const refused = await writeOff("2026-03-31T12:00:00Z");
  expect(refused.status).toBe(409);
  expect(refused.json).toMatchObject({
    code: "period_refused",
    detail: expect.stringContaining("The books are closed up to 2026-04-01T00:00:00Z") as unknown,
  });
  expect((await writeOff("2026-04-01T12:00:00Z")).status).toBe(200);
});
