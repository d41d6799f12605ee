import { beforeAll, expect, test } from "vitest";
import { openBooks } from "../reconcile/books.ts";
import { signIn, type VisitorOfTest } from "../security/as-visitor.ts";
import { aPerson } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { usePage } from "./a-page.ts";

/** A company with an account for each of its shops. */
const database = useTestDatabase();
const service = usePage(database);
const names: string[] = [];
let ada: VisitorOfTest;

beforeAll(async () => {
  for (let shop = 0; shop < 105; shop++) names.push((await openBooks(database.db)).name);
  // The last by name is the one in trouble.
  names.sort();
  await database.db.query(
    "update tieout.accounts set state = 'refused', paused_reason = 'the key is refused', paused_at = now() where name = $1",
    [names.at(-1)],
  );
  ada = await signIn(database.db, await aPerson(database.db, "controller"));
});

async function read(path: string): Promise<string> {
  const answer = await fetch(service.url + path, { headers: ada.headers });
  expect(answer.status).toBe(200);
  return answer.text();
}

const wordsOf = (html: string) => html.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");
const rowsOf = (html: string, id: string) => {
  const [, part = ""] = new RegExp(`id="${id}"(.*?)</table>`, "s").exec(html) ?? [];
  return [...part.matchAll(/<tr[ >](.*?)<\/tr>/gs)].slice(1).map(([row]) => wordsOf(row));
};

test("the overview counts all of them, and shows those in trouble first", async () => {
  const html = await read("/overview");
  expect(wordsOf(html)).toMatch(/1 of 105 not read/);
  const rows = rowsOf(html, "freshness");
  expect(rows).toHaveLength(20);
  expect(rows[0]).toContain(names.at(-1));
  expect(wordsOf(html)).toContain("20 of 105 accounts, those in trouble first; Sync has all of them");
});

test("the overview says how many more have a month to close", async () => {
  expect(wordsOf(await read("/overview?wait=true"))).toContain("months to close in 100 other accounts");
});

test("months of all accounts are listed at once, and the checklist of the one that is chosen", async () => {
  const all = await read("/close");
  expect(rowsOf(all, "accounts")).toHaveLength(105);
  expect(all).not.toContain('id="board-0"');
  const chosen = names[30] ?? "";
  const one = await read(`/close?account=${encodeURIComponent(chosen)}&wait=true`);
  expect(one.match(/id="board-\d+"/g)).toEqual(['id="board-0"']);
  expect(one).toContain(`Months of ${chosen}, newest first`);
  // What is still being computed is asked for of this account alone.
  const next = new URLSearchParams({ account: names[31] ?? "" }).toString();
  for (const [, from] of (await read(`/close?${next}`)).matchAll(/hx-get="([^"]*)"[^>]*hx-select="#board/g))
    expect(from).toContain(next);
});

test("the sync screen knows what was read of every account", async () => {
  const html = await read("/sync");
  expect(html.match(/class="coverage"/g)).toHaveLength(105);
});

test("the sync screen has every account, and each can be chosen, also of more than two hundred", async () => {
  await database.db.query(
    `insert into tieout.accounts (name, base_url, sync_start)
     select 'shop ' || n, 'http://127.0.0.1', now() from generate_series(1001, 1100) as n`,
  );
  const html = await read("/sync");
  expect(html.match(/class="coverage"/g)).toHaveLength(205);
  expect(html).toMatch(/<option[^>]*>shop 1100</);
});

test("the first month that can be closed is shown, however long ago it was, and the others are a click away", async () => {
  const { name } = await openBooks(database.db, {
    readFrom: "2024-01-01T00:00:00Z",
    readTo: "2026-11-01T00:00:00Z",
  });
  const monthsOf = (html: string) =>
    [...html.matchAll(/<th scope="col"><a href="[^"]*">(\d{4}-\d\d)<\/a>/g)].map(([, month]) => month);
  const linkIn = (html: string, text: string) =>
    new RegExp(`<a href="([^"]+)">${text}</a>`).exec(html)?.[1]?.replaceAll("&amp;", "&") ?? "";
  const first = await read(`/close?account=${encodeURIComponent(name)}&wait=true`);
  expect(monthsOf(first)).toHaveLength(13);
  expect(monthsOf(first).at(-1)).toBe("2024-01");
  expect(linkIn(first, "Months before")).toBe("");
  const second = await read(linkIn(first, "Months after"));
  expect([monthsOf(second).at(-1), monthsOf(second)[0]]).toEqual(["2025-02", "2026-02"]);
  // None of them can be closed before those on the first screen.
  expect(second).toContain("an earlier month is still open");
  expect(monthsOf(await read(linkIn(second, "Months before")))).toEqual(monthsOf(first));
  let last = second;
  for (let after = linkIn(last, "Months after"); after !== ""; after = linkIn(last, "Months after"))
    last = await read(after);
  expect(monthsOf(last)).toHaveLength(13);
  expect(monthsOf(last)).toContain("2026-10");
});
