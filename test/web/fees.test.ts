import { beforeAll, expect, test } from "vitest";
import { type Books, openBooks } from "../reconcile/books.ts";
import { signIn, type VisitorOfTest } from "../security/as-visitor.ts";
import { aPerson, everyRole } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { usePage } from "./a-page.ts";

const database = useTestDatabase();
const service = usePage(database);
let ada: VisitorOfTest;
let books: Books;

beforeAll(async () => {
  books = await openBooks(database.db);
  ada = await signIn(database.db, await aPerson(database.db, everyRole, { name: "Ada Example" }));
});

async function send(step: string, text: string): Promise<Response> {
  const body = new FormData();
  const fields = {
    account: books.name,
    provider: "moonpay",
    from: "2026-01-01",
    reason: "agreed",
    csrf: ada.csrf,
  };
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  body.append("file", new File([text], "fees.csv"));
  const headers = { origin: service.url, ...ada.headers };
  return fetch(`${service.url}/fees/${step}`, { method: "POST", headers, body, redirect: "manual" });
}

const read = async (path: string) => (await fetch(service.url + path, { headers: ada.headers })).text();

test("the form says which columns a file of fees has", async () => {
  const html = await read("/fees");
  for (const name of ["kind", "payment_method", "percent", "capped_by_fee"])
    expect(html).toContain(`<dt class="mono">${name}</dt>`);
});

test("each problem of a file is named by itself, with the value", async () => {
  const html = await (await send("preview", 'kind,percent\nshare,"0,6"\ngift,1\n')).text();
  expect(html).toMatch(/fees\.csv has 2 problems:/);
  expect(html).toMatch(
    /<li>line 2 percent: &quot;0,6&quot; is not an amount of 0 or more, such as &quot;0.6&quot;/,
  );
  expect(html).toMatch(/<li>line 3 kind: &quot;gift&quot; must be/);
});

test("a schedule says by name who imported it", async () => {
  const answer = await send("import", "kind,percent\nshare,0.6\n");
  expect(await read(answer.headers.get("location") ?? "")).toContain("Ada Example</bdi></dd>");
});
