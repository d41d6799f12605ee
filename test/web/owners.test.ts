import { beforeAll, expect, test } from "vitest";
import { signIn, type VisitorOfTest } from "../security/as-visitor.ts";
import { aPerson } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { usePage } from "./a-page.ts";
import { seedPage } from "./seed-page.ts";
import { takeStatement } from "./statement-file.ts";

/** Two accounts; what disagrees is in one of them. */
const database = useTestDatabase();
const service = usePage(database);
let ada: VisitorOfTest;
let eve: VisitorOfTest;

beforeAll(async () => {
  await takeStatement(database.db, await seedPage(database.db, Date.now()));
  const accounts = await database.db.query<{ id: number; name: string }>(
    "select id, name from tieout.accounts",
  );
  const only = (name: string) => accounts.filter((one) => one.name === name).map(({ id }) => id);
  ada = await signIn(database.db, await aPerson(database.db, "controller", { name: "Ada" }));
  const eu = { name: "Eve", accountIds: only("acme-eu") };
  eve = await signIn(database.db, await aPerson(database.db, "controller", eu));
  await aPerson(database.db, "accountant", { name: "Noor", accountIds: only("acme-us") });
});

async function read(path: string, visitor: VisitorOfTest): Promise<string> {
  const answer = await fetch(service.url + path, { headers: visitor.headers });
  expect(answer.status).toBe(200);
  return answer.text();
}

/** What each choice of that name on the screen offers, in order. */
const choicesOf = (html: string, name: string) =>
  [...html.matchAll(new RegExp(`<select name="${name}">(.*?)</select>`, "gs"))].map(([, options = ""]) =>
    [...options.matchAll(/<option[^>]*>([^<]+)</g)].map(([, words]) => words),
  );

test("only those who see the account of a discrepancy can be given it", async () => {
  const [filter, ofDetail] = choicesOf(await read("/discrepancies", ada), "owner");
  expect(filter).toEqual(["Any", "Unassigned", "Ada", "Eve", "Noor"]);
  expect(ofDetail).toEqual(["Unassigned", "Ada", "Eve"]);
  const [ofMany] = choicesOf(await read("/discrepancies/bulk?code=in_amount_mismatch", ada), "owner");
  expect(ofMany).toEqual(["Unassigned", "Ada", "Eve"]);
});

test("a name that is not offered is refused, one by one and in bulk", async () => {
  const [found] = await database.db.query<{ seen: string; id: string }>(
    "select id || ':' || version as seen, id from tieout.discrepancies where code = 'in_amount_mismatch' and state = 'open'",
  );
  const post = async (path: string, fields: Record<string, string>) => {
    const body = new URLSearchParams({ csrf: ada.csrf, action: "assign", owner: "Noor", ...fields });
    const headers = { ...ada.headers, origin: service.url };
    return fetch(service.url + path, { method: "POST", headers, body, redirect: "manual" });
  };
  const one = await post("/discrepancies/change", { seen: found?.seen ?? "", back: "/discrepancies" });
  expect([one.status, await one.text()]).toEqual([
    400,
    expect.stringContaining("&quot;Noor&quot; is not an active person who sees this account"),
  ]);
  const query = "code=in_amount_mismatch";
  const [, shown = ""] =
    /name="shown" value="([^"]+)"/.exec(await read(`/discrepancies/bulk?${query}`, ada)) ?? [];
  expect((await post("/discrepancies/bulk", { query, shown })).status).toBe(303);
  const owned = await database.db.query("select from tieout.discrepancies where owner is not null");
  expect(owned).toEqual([]);
});

test("who is limited to an account is not told who works on others", async () => {
  for (const path of ["/discrepancies", "/discrepancies/bulk?code=in_amount_mismatch"]) {
    const html = await read(path, eve);
    expect(html).toContain(">Ada<");
    expect(html).not.toContain("Noor");
  }
});

test("the queue can be narrowed to one of several accounts, and keeps it while other filters change", async () => {
  expect(choicesOf(await read("/discrepancies", ada), "account")).toEqual([["Any", "acme-eu", "acme-us"]]);
  expect(await read("/discrepancies?account=acme-eu", ada)).toMatch(/<option value="acme-eu" selected[^>]*>/);
  // Nobody needs to choose among one.
  expect(choicesOf(await read("/discrepancies", eve), "account")).toEqual([]);
});

test("the sums above the queue say how many currencies they leave out", async () => {
  // Each in a currency of its own.
  const made = await database.db.query(
    "update tieout.discrepancies set value = 1, value_currency = 'X' || id where state = 'open' returning id",
  );
  expect(made.length).toBeGreaterThan(5);
  const [, summary = ""] = /id="summary"[^>]*>(.*?)<\/p>/s.exec(await read("/discrepancies", ada)) ?? [];
  expect(summary.match(/<data /g)).toHaveLength(4);
  expect(summary).toContain(`and ${made.length - 4} more currencies`);
});
