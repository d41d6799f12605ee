import { beforeAll, expect, test } from "vitest";
import { listCandidates } from "../../src/store/books/match-candidates.ts";
import { aKey } from "../api/an-api.ts";
import { aPerson, cookieOf, everyRole } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { usePage } from "./a-page.ts";
import { type FormRead, readForms } from "./read-forms.ts";
import { seedPage } from "./seed-page.ts";
import { takeStatement } from "./statement-file.ts";

const database = useTestDatabase();
const service = usePage(database);
let cookie: string;
let admin: number;
beforeAll(async () => {
  await takeStatement(database.db, await seedPage(database.db, Date.now()));
  admin = await aPerson(database.db, everyRole, { name: "Ada" });
  cookie = await cookieOf(database.db, admin);
});

async function look(path: string): Promise<string> {
  const answer = await fetch(service.url + path, { headers: { cookie } });
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.text();
}

function formIn(html: string, id: string): FormRead {
  const found = readForms(html).find((form) => form.id === id);
  if (found === undefined) throw new Error(`there is no form ${id}`);
  return found;
}

/** As a browser does: it comes back with the cookies that it was given. */
async function send({ action, hidden }: FormRead, typed: Record<string, string>): Promise<string> {
  const body = new URLSearchParams({ ...hidden, ...typed });
  const headers = { cookie, origin: service.url };
  const answer = await fetch(service.url + action, { method: "POST", headers, body, redirect: "manual" });
  const given = answer.headers.getSetCookie().map((one) => one.split(";")[0]);
  const place = answer.headers.get("location") ?? "";
  const back = await fetch(service.url + place, { headers: { cookie: [cookie, ...given].join("; ") } });
  return back.text();
}

test("a currency alone narrows the queue, the decision about all of it, and what it says", async () => {
  const [held] = await database.db.query<{ count: number }>(
    "select count(*)::int as count from tieout.discrepancies where value_currency = 'GBP' and state = 'open'",
  );
  expect(held?.count).toBeGreaterThan(0);
  const words = `${held?.count} ${held?.count === 1 ? "discrepancy" : "discrepancies"}: in GBP`;
  expect(await look("/discrepancies/bulk?currency=GBP")).toContain(words);
  const queue = await look("/discrepancies?currency=GBP");
  expect(queue.match(/class="queue-item"/g)).toHaveLength(held?.count ?? 0);
});

test("a decision about all that match is refused when others have taken the place of those that were shown", async () => {
  const path = "/discrepancies/bulk?level=error";
  const form = formIn(await look(path), "bulk");
  // One was closed by a colleague and another was found: as many as before.
  await database.db.query(
    `with closed as (
       update tieout.discrepancies set level = 'warning', version = version + 1
       where id = (select min(id) from tieout.discrepancies where level = 'error' and state = 'open')
     )
     update tieout.discrepancies set level = 'error', version = version + 1
     where id = (select min(id) from tieout.discrepancies where level = 'warning' and state = 'open')`,
  );
  const html = await send(form, { action: "resolve", reason: "all asked for" });
  expect(formIn(html, "bulk").alert).toContain("Check them and decide again");
  const again = await send(formIn(await look(path), "bulk"), { action: "investigate" });
  expect(again).toContain("under investigation");
});

test("a match that is refused comes back with the transaction that was looked for", async () => {
  const [line] = await database.db.query<{ id: number; path: string }>(
    `select d.line_id::int as id, format('/statements/%s/lines/%s?class=discrepant', f.statement_id, f.line_no) as path
     from tieout.discrepancies as d
     join tieout.line_files as f on f.line_id = d.line_id
     where d.code = 'missing_from_records'`,
  );
  const near = await listCandidates({ database: database.db, accountIds: null }, line?.id ?? 0, null);
  const [far] = await database.db.query<{ id: string }>(
    `select transaction_id as id from tieout.transactions
     where provider = 'banxa' and status = 'completed' and transaction_id <> all ($1) and transaction_id like '01KE%'
     order by transaction_id
     limit 1`,
    [near.map((one) => one.transaction_id)],
  );
  const path = `${line?.path}&find=${far?.id}`;
  const chosen = { transaction_id: far?.id ?? "" };
  const html = await send(formIn(await look(path), "match"), { ...chosen, reason: " " });
  const back = formIn(html, "match");
  expect(back.alert).toContain("reason");
  const ticked = back.typed.filter(({ name, isTicked }) => name === "transaction_id" && isTicked);
  expect(ticked.map(({ value }) => value)).toEqual([far?.id]);
});

test("a pack that cannot be had is refused as a page", async () => {
  const answer = await fetch(`${service.url}/close/2026-01/pack?account=acme-eu`, { headers: { cookie } });
  expect([answer.ok, answer.headers.get("content-type")]).toEqual([false, "text/html; charset=UTF-8"]);
});

test("keys that do not work are not shown as valid", async () => {
  const other = await aKey(database.db, "viewer", { name: "run out", ownerId: admin });
  await database.db.query(
    "update tieout.api_keys set created_at = now() - interval '3 days', expires_at = now() - interval '1 day' where name = 'run out'",
  );
  expect((await service.get("/v1/accounts", other)).status).toBe(401);
  for (const path of ["/settings/keys", "/people"]) {
    const row = (await look(path)).split("<tr").find((text) => text.includes("run out")) ?? "";
    expect(row).toContain("expired<");
    expect(row).not.toMatch(/valid<|in use</);
  }
});

test("a provider is found in the books however the aggregator spells it", async () => {
  for (const [path, row] of [
    ["/discrepancies", 'class="queue-item"'],
    ["/payouts", 'href="/payouts/1"'],
    ["/statements", 'href="/statements/1"'],
  ] as const) {
    const [as, other] = [await look(`${path}?provider=moonpay`), await look(`${path}?provider=MoonPay`)];
    expect(as).toContain(row);
    expect([path, other.split(row).length]).toEqual([path, as.split(row).length]);
  }
});

/** The fields of a form whose answer is an address, as a browser sends them. */
function fieldsOf(html: string, action: string): URLSearchParams {
  const forms = [...html.matchAll(/<form\b[^>]*method="get"[^>]*>[^]*?<\/form>/g)].map(([form]) => form);
  const form = forms.find((text) => text.includes(`action="${action}"`)) ?? "";
  const asPost = form.replace('method="get"', 'method="post"');
  const [read] = readForms(asPost);
  const sent = read?.typed.filter(({ type, isTicked }) => type !== "checkbox" || isTicked) ?? [];
  return new URLSearchParams([
    ...Object.entries(read?.hidden ?? {}),
    ...sent.map(({ name, value }): [string, string] => [name, value]),
  ]);
}

test("a filter that a link brought is kept when another is chosen in the form", async () => {
  const link =
    "status_date%5Bgte%5D=2026-01-02&status_date%5Blt%5D=2026-01-05&last_changed_at%5Bgte%5D=2026-01-01";
  const transactions = fieldsOf(await look(`/transactions?${link}&tz=UTC`), "/transactions");
  expect(transactions.get("status_date[gte]")).toBe("2026-01-02");
  expect(transactions.get("status_date[lte]")).toBe("2026-01-04");
  expect(transactions.get("last_changed_at[gte]")).toBe("2026-01-01");
  expect(fieldsOf(await look("/payouts?sort=-difference"), "/payouts").get("sort")).toBe("-difference");
  expect(fieldsOf(await look("/statements?account=acme-eu"), "/statements").get("account")).toBe("acme-eu");
});
