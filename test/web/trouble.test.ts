import { beforeAll, describe, expect, test } from "vitest";
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

async function page(path: string): Promise<string> {
  const answer = await fetch(service.url + path, { headers: { cookie } });
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.text();
}

/** What is read of a screen. */
const words = (html: string) => html.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");

describe("an account that is not read", () => {
  test.each(["/overview", "/sync"])("is red on %s: since when, why, and what to correct", async (path) => {
    const html = await page(path);
    expect(html).toMatch(/chip chip-bad[^]*key refused/);
    expect(words(html)).toMatch(
      /Since 20\d\d-\d\d-\d\d [\d:]+ : GET \/transactions: answered 401: correct UPSTREAM_API_SECRET, and start again/,
    );
  });

  test("because nothing is answered is red as well, on both and on its card", async () => {
    await database.db.query(
      `update tieout.accounts
       set state = 'active', paused_reason = null, paused_at = null, last_error = 'GET /transactions: cannot be reached',
           failing_since = clock_timestamp() - interval '3 minutes'
       where name = 'acme-us'`,
    );
    for (const path of ["/overview", "/sync"]) {
      const html = await page(path);
      expect(html).toMatch(/chip chip-bad[^]*no answer/);
      expect(words(html)).toContain(
        "GET /transactions: cannot be reached : check its address and the network",
      );
    }
    expect(await page("/overview")).toMatch(/class="card card-bad"[^]*1 of 2 not read/);
  });
});

describe("where nothing has been compared", () => {
  test.each(["/overview", "/discrepancies"])(
    "%s says so, and does not say that everything agrees",
    async (path) => {
      const text = words(await page(path));
      expect(text.toLowerCase()).toContain("nothing has been compared yet");
      expect(text).not.toMatch(/\bagrees/);
    },
  );
});
