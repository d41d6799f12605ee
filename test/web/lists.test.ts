import { beforeAll, expect, test } from "vitest";
import { aPerson, cookieOf, everyRole } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { usePage } from "./a-page.ts";
import { seedPage } from "./seed-page.ts";

const database = useTestDatabase();
const service = usePage(database);
let cookie: string;
beforeAll(async () => {
  await seedPage(database.db, Date.now());
  cookie = await cookieOf(database.db, await aPerson(database.db, everyRole));
});

async function look(path: string): Promise<string> {
  const answer = await fetch(service.url + path, { headers: { cookie } });
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.text();
}

const windowsIn = (html: string) => html.match(/win_\d+/g) ?? [];

test("the next page of a list that was filtered with its form goes on where the first one ends", async () => {
  // A browser sends the fields that were left empty as well.
  const first = await look("/sync?account=&state=sealed&kind=");
  const [, next = ""] = /rel="next" href="([^"]*)"/.exec(first) ?? [];
  const second = await look(next.replaceAll("&amp;", "&"));
  const seen = [...windowsIn(first), ...windowsIn(second)];
  expect(seen.length).toBeGreaterThan(25);
  expect(new Set(seen).size).toBe(seen.length);
});

test("a filter that is given twice stays chosen as both", async () => {
  const html = await look("/sync?account=acme-eu&account=acme-us");
  const [, chosen] = /<option value="([^"]*)" selected/.exec(html) ?? [];
  expect(chosen).toBe("acme-eu,acme-us");
});

test("a later page of the transactions can be added up, and shown with other columns", async () => {
  const first = await look("/transactions");
  const [, next = ""] = /rel="next" href="([^"]*)"/.exec(first) ?? [];
  const second = next.replaceAll("&amp;", "&");
  const idsIn = (html: string) => [...html.matchAll(/href="(\/transactions\/[^"?/]+)/g)].map(([, id]) => id);
  const ids = idsIn(await look(second));
  expect(ids.length).toBeGreaterThan(0);
  expect(idsIn(await look(`${second}&totals=all`))).toEqual(ids);
  expect(idsIn(await look(`${second}&columns=transaction_id,status`))).toEqual(ids);
});
