import { expect } from "vitest";
import { listCandidates } from "../../src/store/books/match-candidates.ts";
import type { Database } from "../../src/store/database.ts";
import { addRecipient } from "../../src/store/notify/alert-recipients.ts";
import { createRule } from "../../src/store/notify/alert-rules.ts";
import { insertApproval } from "../../src/store/people/approvals.ts";
import { insertPasskey } from "../../src/store/people/passkeys.ts";
import { suspendPerson } from "../../src/store/people/people.ts";
import { profileFrom, proposeTexts } from "../../src/web/settings/profiles/make-profile.ts";
import { aKey, type ApiUnderTest } from "../api/an-api.ts";
import { aPerson, everyRole } from "../support/people.ts";
import { takeReceipts } from "./receipt-file.ts";
import { makeExport, screensOf } from "./screens.ts";
import { seedPage } from "./seed-page.ts";
import { takeStatement } from "./statement-file.ts";

/** Something on every screen that a form can change; returns the addresses of all of them, for this person. */
export async function seedFormScreens(
  db: Database,
  service: ApiUnderTest,
  personId: number,
): Promise<string[]> {
  await takeStatement(db, await seedPage(db, Date.now()));
  await takeReceipts(db);
  const admin = await aKey(db, "admin", { ownerId: await aPerson(db, everyRole) });
  await makeExport(service, admin);
  await addPeople(db, personId);
  await addAlerts(db);
  await db.query(
    "insert into tieout.saved_views (name, screen, query, saved_by) values ('ours', '/discrepancies', '', 'test')",
  );
  const hook = { url: "https://example.com/hooks", events: ["*"] };
  const { json: webhook } = await service.send("POST", "/v1/webhooks", admin, hook);
  await addProfile(service, admin);
  await closeMonths(db, service, admin);
  const loose = await findLooseLine(db);
  await freeCandidates(db, service, admin, loose.id);
  const screens = [...(await screensOf(db)).map(([, path]) => path), ...(await furtherScreens(db, loose))];
  // A month does not wait for its checklist, and so for its forms, unless it is asked to.
  const whole = screens.map((path) => (path.startsWith("/close/") ? `${path}&wait=true` : path));
  return [...whole, `/settings/webhooks?id=${String(webhook["id"])}`];
}

/** One who is suspended; a passkey of the visitor, and two proposals: their own, and one for them to decide. */
async function addPeople(db: Database, visitor: number): Promise<void> {
  const colleague = await aPerson(db, "controller");
  const suspended = await aPerson(db, "viewer");
  await db.transaction((tx) => suspendPerson(tx, suspended));
  await db.transaction((tx) =>
    insertPasskey(tx, {
      id: "x",
      personId: visitor,
      name: "My phone",
      vouchedBy: null,
      publicKey: Buffer.alloc(8),
      counter: 0,
      transports: [],
    }),
  );
  for (const proposedBy of [visitor, colleague])
    await db.transaction((tx) =>
      insertApproval(tx, {
        kind: "reopen",
        subject: `of person ${proposedBy}`,
        accountId: 1,
        details: {},
        proposedBy,
        reason: "x",
      }),
    );
}

async function addAlerts(db: Database): Promise<void> {
  const author = { actor: "test" };
  const limit = { limitSeconds: null, limitAmount: null, currency: null };
  const rule = { kind: "quarantine", accountIds: null, byEmail: false, byWebhook: false } as const;
  await createRule(db, { ...rule, ...limit }, author);
  await addRecipient(db, "ada@example.com", author);
}

async function addProfile(service: ApiUnderTest, key: string): Promise<void> {
  const sample = { fileName: "x.csv", encoding: "utf-8", delimiter: ",", header: ["Order", "At"], rows: [] };
  const texts = { ...proposeTexts(sample, ["provider_transaction_id", "created_at"]), provider: "moonpay" };
  const profile = { ...profileFrom({ ...texts, name: "ours" }, sample), name: "ours" };
  await service.send("POST", "/v1/profiles?account=acme-eu", key, { profile, reason: "x" });
}

/** A month that is closed, and one that is prepared. */
async function closeMonths(db: Database, service: ApiUnderTest, preparer: string): Promise<void> {
  await db.query("update tieout.accounts set sync_start = '2020-01-01' where name = 'acme-eu'");
  const approver = await aKey(db, "admin", { ownerId: await aPerson(db, everyRole) });
  const sign = (month: string, step: string, by: string, body: object) =>
    service.send("POST", `/v1/periods/${month}/${step}?account=acme-eu`, by, body);
  const accepted = ["read", "read_again"].map((line) => ({ line, reason: "x" }));
  const { json } = await sign("2020-01", "prepare", preparer, { accepted });
  await sign("2020-01", "approve", approver, { pack_sha256: json["pack_sha256"] });
  // By someone else: the visitor gets the form of the second signature.
  await sign("2020-02", "prepare", approver, { accepted });
}

interface LooseLine {
  id: number;
  path: string;
  discrepancy: number;
}

/** The line of the statement that no transaction is found for. */
async function findLooseLine(db: Database): Promise<LooseLine> {
  const [found] = await db.query<LooseLine>(
    `select l.id::int, format('/statements/%s/lines/%s', l.statement_id, l.line_no) as path,
            d.id::int as discrepancy
     from tieout.discrepancies as d
     join tieout.statement_lines as l on l.id = d.line_id
     where d.code = 'missing_from_records'`,
  );
  if (!found) throw new Error("the seed's statement has such a line");
  return found;
}

/** What comes near the line is settled by others; parted from them, there are several to choose from. */
async function freeCandidates(
  db: Database,
  service: ApiUnderTest,
  key: string,
  lineId: number,
): Promise<void> {
  const candidates = await listCandidates({ database: db, accountIds: null }, lineId, null);
  expect(candidates.length).toBeGreaterThan(1);
  for (const { transaction_id: id } of candidates) {
    const [match] = await db.query<{ id: string }>(
      "select id::text from tieout.matches where transaction_id = $1 and state = 'active'",
      [id],
    );
    const { status } = await service.send("POST", `/v1/matches/mat_${match?.id}/end`, key, { reason: "x" });
    expect(status).toBe(200);
  }
}

/** Screens of a kind that `screensOf` shows in another state. */
async function furtherScreens(db: Database, loose: LooseLine): Promise<string[]> {
  const [receipt] = await db.query<{ id: number }>("select min(id)::int as id from tieout.receipt_lines");
  return [
    `/discrepancies/${loose.discrepancy}`,
    "/discrepancies?provider=moonpay",
    "/discrepancies/bulk?code=missing_from_records",
    loose.path,
    `/receipts/lines/${receipt?.id}`,
    "/settings/profiles/ours?account=acme-eu",
    ...["2020-01", "2020-02", "2020-03"].map((month) => `/close/${month}?account=acme-eu`),
  ];
}
