import { createHash } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { parseApiKey } from "../../src/core/api-key.ts";
import type { Database } from "../../src/store/database.ts";
import { createRule } from "../../src/store/notify/alert-rules.ts";
import { createErasureKey } from "../../src/core/erasure.ts";
import { insertApproval } from "../../src/store/people/approvals.ts";
import { aKey } from "../api/an-api.ts";
import { aPerson, everyRole } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { waitFor } from "../support/wait-for.ts";
import { profileFrom, proposeTexts } from "../../src/web/settings/profiles/make-profile.ts";
import { type ShownSettings, textsFrom } from "../../src/web/settings/providers/read-sections.ts";
import { bankCsv } from "../reconcile/receipts/bank.ts";
import { editedWorkbook } from "../api/edited-workbook.ts";
import { usePage } from "../web/a-page.ts";
import { bankRows, takeReceipts } from "../web/receipt-file.ts";
import { seedPage } from "../web/seed-page.ts";
import { statementFile, takeStatement } from "../web/statement-file.ts";
import { signIn, type VisitorOfTest } from "./as-visitor.ts";

const database = useTestDatabase();
// What is approved here is done by nobody: the test is about who may approve it.
const service = usePage(database, {
  approvalHandlers: { reopen: async () => undefined },
  openErasureKey: async () => createErasureKey(Buffer.alloc(32)),
});

/** What an attacker would send: everything names something of the account that the key may not touch. */
let forms: Record<string, Record<string, string>> = {};
let file = "";
let workbook: Buffer = Buffer.alloc(0);
let stranger: VisitorOfTest;
let owner: VisitorOfTest;
let elsewhere = 0;

beforeAll(async () => {
  const { db } = database;
  const completed = await seedPage(db, Date.now());
  await takeStatement(db, completed);
  await takeReceipts(db);
  file = statementFile(completed.slice(0, 40));
  const colleague = await aPerson(db, "viewer", { accountIds: [await accountNumber(db, "acme-eu")] });
  await db.query(
    `insert into tieout.saved_views (name, screen, query, account_ids, saved_by)
     select 'ours', '/discrepancies', '', array[id], 'test' from tieout.accounts where name = 'acme-eu'`,
  );
  const [found] = await db.query<{
    eu: number;
    us: number;
    statement: string;
    discrepancy: string;
    other: string;
    line: string;
    loose: string;
    free: string[];
    transaction: string;
    match: string;
    short: string;
    view: string;
    receipts: string;
    receipt: string;
    paid: string;
    settled: string;
  }>(
    `select (select id from tieout.accounts where name = 'acme-eu') as eu,
            (select id from tieout.accounts where name = 'acme-us') as us,
            (select max(id)::text from tieout.statements) as statement,
            (select id || ':' || version from tieout.discrepancies where code = 'stale_open' order by id limit 1) as discrepancy,
            (select id || ':' || version from tieout.discrepancies where code = 'missing_from_records') as other,
            (select line_id::text from tieout.discrepancies where code = 'missing_from_records') as loose,
            array(
              select t.transaction_id
              from tieout.transactions as t
              join tieout.accounts as a on a.id = t.account_id and a.name = 'acme-eu'
              where t.provider = 'moonpay'
                and not exists (select from tieout.matches as m where m.transaction_id = t.transaction_id)
              limit 2
            ) as free,
            (select line_id::text from tieout.matches where state = 'active' order by id limit 1) as line,
            (select transaction_id from tieout.matches where state = 'active' order by id limit 1) as transaction,
            (select id::text from tieout.matches where state = 'active' order by id limit 1) as match,
            (select id::text from tieout.discrepancies where code = 'in_amount_mismatch') as short,
            (select id::text from tieout.saved_views) as view,
            (select id::text from tieout.receipt_files) as receipts,
            (select receipt_line_id::text from tieout.receipt_matches where state = 'active') as receipt,
            (select payout_id::text from tieout.receipt_matches where state = 'active') as paid,
            (select id::text from tieout.receipt_matches where state = 'active') as settled`,
  );
  if (!found) throw new Error("there is always one row");
  const doomed = await aKey(db, "viewer", { accountIds: [found.eu] });
  const propose = (subject: string) =>
    db.transaction((tx) =>
      insertApproval(tx, {
        kind: "reopen",
        subject,
        accountId: found.eu,
        details: {},
        proposedBy: colleague,
        reason: "x",
      }),
    );
  const proposed = { approval: await propose("one"), otherApproval: await propose("two") };
  const ids = { ...found, ...proposed, colleague, key: `key_${parseApiKey(doomed)?.id}` };
  elsewhere = ids.us;
  const [id = "", version = ""] = ids.discrepancy.split(":");
  workbook = await editedWorkbook([[`dis_${id}`, version, null, "Mallory", "x"]]);
  stranger = await signIn(db, await aPerson(db, everyRole, { accountIds: [ids.us] }));
  const ownerKey = await aKey(db, "admin", { accountIds: [ids.eu] });
  owner = await signIn(db, await aPerson(db, everyRole, { name: "Owen", accountIds: [ids.eu] }));
  const made = await service.send("POST", "/v1/exports", ownerKey, {
    report: "transactions",
    parameters: { from: "2026-01-01", to: "2026-01-02", partial: "true" },
  });
  // A worker writes it meanwhile, and what it writes is not a change of ours.
  await waitFor("the export is written", async () => {
    const { json } = await service.get(`/v1/exports/${String(made.json["id"])}`, ownerKey);
    return json["state"] === "succeeded";
  });
  // Two months that are over for good, of which a colleague has prepared the second.
  await db.query("update tieout.accounts set sync_start = '2020-01-01' where id = $1", [ids.eu]);
  const preparer = await aKey(db, "admin", { ownerId: await aPerson(db, everyRole), accountIds: [ids.eu] });
  const approver = await aKey(db, "admin", { ownerId: await aPerson(db, everyRole), accountIds: [ids.eu] });
  const accepted = ["read", "read_again"].map((line) => ({ line, reason: "x" }));
  const sign = (month: string, step: string, by: string, body: object) =>
    service.send("POST", `/v1/periods/${month}/${step}?account=acme-eu`, by, body);
  const first = await sign("2020-01", "prepare", preparer, { accepted });
  await sign("2020-01", "approve", approver, { pack_sha256: first.json["pack_sha256"] });
  const second = await sign("2020-02", "prepare", preparer, { accepted });
  const month = { account: "acme-eu", reason: "x", owner: "Owen" };
  const hook = await service.send("POST", "/v1/webhooks", ownerKey, {
    url: "https://example.com/hooks",
    events: ["*"],
  });
  const webhook = String(hook.json["id"]);
  const rule = await createRule(
    db,
    {
      kind: "quarantine",
      accountIds: [ids.eu],
      limitSeconds: null,
      limitAmount: null,
      currency: null,
      byEmail: false,
      byWebhook: false,
    },
    { actor: "test" },
  );
  const sample = { fileName: "x.csv", encoding: "utf-8", delimiter: ",", header: ["Order", "At"], rows: [] };
  const profile = {
    ...proposeTexts(sample, ["provider_transaction_id", "created_at"]),
    account: "acme-eu",
    name: "made",
    provider: "moonpay",
    reason: "x",
    sample: JSON.stringify(sample),
  };
  const ours = { ...profileFrom(profile, sample), name: "ours" };
  await service.send("POST", "/v1/profiles?account=acme-eu", ownerKey, { profile: ours, reason: "x" });
  const settings = await service.get("/v1/providers/moonpay/settings?account=acme-eu", ownerKey);
  const provider = {
    ...textsFrom(settings.json as unknown as ShownSettings),
    account: "acme-eu",
    provider: "moonpay",
    seen: settings.headers.get("etag") ?? "",
    reason: "x",
  };
  forms = {
    "/close/reopen": { ...month, month: "2020-01" },
    "/close/approve": { ...month, month: "2020-02", pack_sha256: String(second.json["pack_sha256"]) },
    "/close/prepare": { ...month, month: "2020-03", "accept.read": "x", "accept.read_again": "x" },
    "/close/carry": { ...month, month: "2020-03" },
    "/sign-out": {},
    "/sign-out/everywhere": {},
    "/approvals/approve": { id: `apr_${ids.approval}` },
    "/approvals/reject": { id: `apr_${ids.otherApproval}`, reason: "x" },
    "/approvals/limit": { role: "accountant", currency: "EUR", amount: "50", reason: "x" },
    "/settings/erasures/preview": { account: "acme-eu", kind: "transaction", value: "nowhere" },
    "/settings/erasures/propose": { account: "acme-eu", kind: "transaction", value: "nowhere", reason: "x" },
    "/people/invite": { name: "x", email: "x@example.com", role: "viewer", account: "acme-eu" },
    "/people/roles": { id: `per_${ids.colleague}`, role: "auditor" },
    "/people/link": { id: `per_${ids.colleague}` },
    "/people/suspend": { id: `per_${ids.colleague}`, reason: "x" },
    "/people/resume": { id: `per_${ids.colleague}` },
    "/preferences": { zone: "UTC" },
    "/passkeys/ask": {},
    "/passkeys": { answer: "{}", name: "x" },
    "/passkeys/remove": { id: "x" },
    "/discrepancies/change": { seen: ids.discrepancy, action: "write_off", reason: "x" },
    "/discrepancies/workbook/preview": {},
    "/discrepancies/workbook": {},
    "/discrepancies/bulk": {
      query: "code=in_amount_mismatch",
      // The one that matches, in its first version, as the page names what it showed.
      shown: createHash("sha256").update(`${ids.short}:1`).digest("base64url"),
      action: "investigate",
    },
    "/discrepancies/attach": { id: ids.short },
    "/views/save": { name: "mine", screen: "/discrepancies", query: "level=error" },
    "/views/remove": { id: ids.view },
    "/settings/keys/make": { name: "a machine", role: "viewer" },
    "/settings/providers/preview": { ...provider, names: "x" },
    "/settings/providers/save": { ...provider, names: "x" },
    "/settings/start/test": { account: "acme-eu" },
    "/settings/profiles/retire": { account: "acme-eu", name: "ours", reason: "x" },
    "/settings/profile-maker/sample": {},
    "/settings/profile-maker/check": profile,
    "/settings/profile-maker/save": profile,
    "/settings/keys/revoke": { id: ids.key },
    "/statements/preview": { account: "acme-eu" },
    "/statements/import": { account: "acme-eu" },
    // Parted first, so that it can be matched again.
    "/statements/lines/unmatch": { match: ids.match, reason: "x" },
    "/statements/lines/match": { line: ids.line, transaction_id: ids.transaction, reason: "x" },
    "/statements/lines/exclude": { seen: ids.other, reason: "x" },
    "/statements/lines/split": {
      line: ids.loose,
      "other-1": ids.free[0] ?? "",
      "other-2": ids.free[1] ?? "",
      "other-amount-1": "1",
      reason: "x",
    },
    "/statements/lines/confirm": { statement: ids.statement, lines: ids.line, reason: "x" },
    "/statements/withdraw": { id: ids.statement, reason: "x" },
    "/receipts/preview": { account: "acme-eu" },
    "/receipts/import": { account: "acme-eu" },
    "/receipts/lines/unmatch": { match: ids.settled, reason: "x" },
    "/receipts/lines/match": { line: ids.receipt, payout: ids.paid, reason: "x" },
    "/receipts/withdraw": { id: ids.receipts, reason: "x" },
    "/fees/preview": { account: "acme-eu", provider: "moonpay", from: "2026-01-01", reason: "x" },
    "/fees/import": { account: "acme-eu", provider: "moonpay", from: "2026-01-01", reason: "x" },
    "/exports": {
      report: "transactions",
      from: "2026-01-01",
      to_day: "2026-01-01",
      account: "acme-eu",
      partial: "true",
    },
    "/exports/cancel": { id: String(made.json["id"]) },
    "/sync/pause": { account: "acme-eu", reason: "x" },
    "/sync/resume": { account: "acme-eu" },
    "/sync/backfill": { account: "acme-eu", from: "2019-01-01" },
    "/settings/webhooks/create": { url: "https://example.com/more", account: "acme-eu" },
    "/settings/webhooks/state": { id: webhook, state: "disabled", version: "1" },
    "/settings/webhooks/test": { id: webhook },
    "/settings/webhooks/replay": { id: webhook },
    "/settings/webhooks/rotate": { id: webhook },
    "/settings/webhooks/remove": { id: webhook },
    "/settings/alerts/add": { kind: "account_paused", account: "acme-eu" },
    "/settings/alerts/remove": { id: String(rule.id) },
    "/settings/alerts/settings": { zone: "UTC" },
    "/settings/alerts/recipients/add": { address: "ada@example.com" },
    "/settings/alerts/recipients/remove": { id: "arc_0" },
  };
});

test("every form of the page is in the table above", () => {
  const actions = [...service.api.access.keys()]
    .filter((route) => /^POST \/(?!v1\/)/.test(route))
    .map((route) => route.replace("POST ", ""));
  // Before there is a session there is no key either.
  expect(Object.keys(forms).toSorted()).toEqual(
    actions.filter((path) => !path.startsWith("/sign-in")).toSorted(),
  );
});

test("no form changes anything of an account that the key may not see", async () => {
  const before = await contentOf(database.db, elsewhere);
  const answers: Record<string, number> = {};
  for (const path of inOrder()) {
    answers[path] = (await send(path, stranger)).status;
    expect({ path, content: await contentOf(database.db, elsewhere) }).toEqual({ path, content: before });
  }
  expect(answers).toEqual({
    "/close/reopen": 400,
    "/close/approve": 400,
    "/close/prepare": 400,
    "/close/carry": 400,
    "/preferences": 303,
    "/passkeys/ask": 200,
    "/passkeys": 400,
    "/passkeys/remove": 303,
    "/sign-out": 303,
    "/sign-out/everywhere": 303,
    "/approvals/approve": 404,
    "/approvals/reject": 404,
    "/approvals/limit": 403,
    "/settings/erasures/preview": 400,
    "/settings/erasures/propose": 400,
    "/people/invite": 400,
    "/people/roles": 404,
    "/people/link": 404,
    "/people/suspend": 404,
    "/people/resume": 404,
    "/discrepancies/change": 412,
    // Their rows are refused one by one.
    "/discrepancies/workbook/preview": 200,
    "/discrepancies/workbook": 200,
    "/discrepancies/bulk": 412,
    "/discrepancies/attach": 404,
    // Their own, which nobody of another account sees.
    "/views/save": 303,
    "/views/remove": 404,
    // A key for their own accounts.
    "/settings/keys/make": 200,
    "/settings/keys/revoke": 404,
    "/settings/start/test": 400,
    "/settings/profiles/retire": 400,
    // What someone makes of their own file concerns no account before it is saved.
    "/settings/profile-maker/sample": 200,
    "/settings/profile-maker/check": 200,
    "/settings/profile-maker/save": 400,
    "/settings/providers/preview": 400,
    "/settings/providers/save": 400,
    "/statements/preview": 400,
    "/statements/import": 400,
    "/statements/lines/unmatch": 404,
    "/statements/lines/match": 404,
    "/statements/lines/split": 404,
    "/statements/lines/exclude": 412,
    // Finds nothing to confirm among lines that it cannot see.
    "/statements/lines/confirm": 303,
    "/statements/withdraw": 404,
    "/receipts/preview": 400,
    "/receipts/import": 400,
    "/receipts/lines/unmatch": 404,
    "/receipts/lines/match": 404,
    "/receipts/withdraw": 404,
    "/fees/preview": 400,
    "/fees/import": 400,
    "/exports": 400,
    "/exports/cancel": 404,
    "/sync/pause": 404,
    "/sync/resume": 404,
    "/sync/backfill": 404,
    "/settings/webhooks/create": 400,
    "/settings/webhooks/state": 404,
    "/settings/webhooks/test": 404,
    "/settings/webhooks/replay": 404,
    "/settings/webhooks/rotate": 404,
    "/settings/webhooks/remove": 404,
    "/settings/alerts/add": 400,
    "/settings/alerts/remove": 404,
    "/settings/alerts/settings": 403,
    "/settings/alerts/recipients/add": 403,
    "/settings/alerts/recipients/remove": 403,
  });
});

test("the same forms do their work for a key of the account, so the refusals above mean something", async () => {
  const failed: string[] = [];
  for (const path of inOrder()) {
    const { status } = await send(path, owner);
    const expected = (forEverybody.has(path) && [403]) || (ofDevices.has(path) && [400]) || [200, 303];
    if (!expected.includes(status)) failed.push(`${path} ${status}`);
  }
  expect(failed).toEqual([]);
  const named = await database.db.query(
    "select value from tieout.provider_settings where kind = 'provider_name'",
  );
  expect(named).toEqual([{ value: ["x"] }]);
  const profiles = await database.db.query(
    "select name, value is null as retired from tieout.provider_settings where kind = 'profile' order by id",
  );
  expect(profiles).toEqual([
    { name: "ours", retired: false },
    { name: "ours", retired: true },
    { name: "made", retired: false },
  ]);
});

/** What concerns all accounts is not for those who may see some of them. */
const forEverybody = new Set([
  "/settings/alerts/settings",
  "/settings/alerts/recipients/add",
  "/settings/alerts/recipients/remove",
  "/approvals/limit",
]);

/** Without a device that answers, not even the right person can do it: test/web/passkeys.test.ts has one. */
const ofDevices = new Set(["/passkeys"]);

/** Signing out comes last: without a session nothing would be tried. Each visitor does it in one of two ways. */
function inOrder(): string[] {
  const isOut = (path: string) => path.startsWith("/sign-out");
  return [...Object.keys(forms).filter((path) => !isOut(path)), ...Object.keys(forms).filter(isOut)];
}

async function accountNumber(db: Database, name: string): Promise<number> {
  const [row] = await db.query<{ id: number }>("select id from tieout.accounts where name = $1", [name]);
  return row?.id ?? 0;
}

async function send(path: string, visitor: VisitorOfTest): Promise<Response> {
  const fields = { ...forms[path], csrf: visitor.csrf };
  let body: FormData | URLSearchParams = new URLSearchParams(fields);
  if (/^\/(?!settings).*\/(preview|import|attach)$|\/sample$/.test(path)) {
    body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    body.append("file", new File([fileFor(path)], "moonpay.csv"));
  }
  if (path.includes("workbook")) {
    body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    body.append("file", new File([new Uint8Array(workbook)], "discrepancies.xlsx"));
  }
  const headers = { origin: service.url, ...visitor.headers };
  return fetch(service.url + path, { method: "POST", body, headers, redirect: "manual" });
}

function fileFor(path: string): string {
  if (path.startsWith("/fees")) return "kind,percent\nshare,1\n";
  return path.startsWith("/receipts") ? bankCsv([...bankRows, ["2026-03-26", "1", "one more"]]) : file;
}

/** Everything but what belongs to the one account, who is signed in, and sums that a look refreshes: a digest for each table. */
async function contentOf(db: Database, accountId: number): Promise<Record<string, string>> {
  const tables = await db.query<{ name: string; owned: boolean }>(
    `select c.relname as name,
            exists (select from pg_attribute where attrelid = c.oid and attname = 'account_id') as owned
     from pg_class as c
     where c.relnamespace = 'tieout'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and c.relname not in ('sessions', 'sign_in_attempts', 'sign_in_states', 'saved_views', 'api_keys', 'audit_log', 'heartbeats', 'daily_totals', 'daily_totals_progress')`,
  );
  const digests: Record<string, string> = {};
  for (const { name, owned } of tables) {
    const others = owned ? `where account_id is distinct from ${accountId}` : "";
    const [row] = await db.query<{ digest: string }>(
      `select count(*) || ' ' || coalesce(md5(string_agg(md5(t::text), '' order by md5(t::text))), '') as digest
       from tieout.${name} as t ${others}`,
    );
    digests[name] = row?.digest ?? "";
  }
  return digests;
}
