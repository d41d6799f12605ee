import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { formatInstant } from "../../src/core/instant.ts";
import { dayOf } from "../../src/core/period.ts";
import { zoneNamed } from "../../src/core/zone.ts";
import { aPerson, cookieOf, everyRole } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { usePage } from "./a-page.ts";
import { seedPage } from "./seed-page.ts";
import { takeStatement } from "./statement-file.ts";

describe("the figures of the overview", () => {
  const database = useTestDatabase();
  const service = usePage(database);
  let cookie: string;
  let overview: string;
  beforeAll(async () => {
    const completed = await seedPage(database.db, Date.now());
    await takeStatement(database.db, completed);
    cookie = await cookieOf(database.db, await aPerson(database.db, everyRole, { name: "Ada" }));
    await database.db.query(
      `update tieout.discrepancies set owner = 'Ada'
       where id in (select id from tieout.discrepancies where state = 'open' order by id limit 1)`,
    );
    overview = await page("/overview?wait=true");
  });

  async function page(path: string, zone = "UTC"): Promise<string> {
    const view = `tieout_view=${encodeURIComponent(new URLSearchParams({ zone }).toString())}`;
    const answer = await fetch(service.url + path, { headers: { cookie: `${cookie}; ${view}` } });
    expect([path, answer.status]).toEqual([path, 200]);
    return answer.text();
  }

  const address = (href: string | undefined) => (href ?? "").replaceAll("&amp;", "&");

  test("that count transactions lead to a list of as many", async () => {
    const links = [
      ...overview.matchAll(/<a class="figure" href="(\/transactions\?[^"]+)">([\d,]+)<\/a>/g),
    ].slice(-30);
    expect(links).toHaveLength(30);
    for (const [, href, count] of links) {
      const list = await page(address(href));
      const shown = /id="summary"[^>]*>(\d[\d,]*) transaction/.exec(list)?.[1] ?? "0";
      expect([href, shown]).toEqual([href, count]);
    }
  });

  test("are by the days of the zone that someone has chosen, and so are the lists behind them", async () => {
    const zone = "Pacific/Auckland";
    const shown = await page("/overview?days=7&wait=true", zone);
    expect(shown).toContain(`Transactions by day in ${zone}`);
    const today = dayOf(formatInstant(Date.now()), zoneNamed(zone));
    expect(shown).toContain(`data-day="${today}"`);
    const links = [...shown.matchAll(/<a class="figure" href="(\/transactions\?[^"]+)">([\d,]+)<\/a>/g)];
    expect(links.length).toBeGreaterThan(20);
    // The seven days with their outcomes, and then some providers.
    for (const [, href, count] of links.filter(([, , text]) => text !== "0").slice(0, 30)) {
      expect(href).toContain("tz=Pacific%2FAuckland");
      const list = await page(address(href), zone);
      expect([href, /id="summary"[^>]*>(\d[\d,]*) transaction/.exec(list)?.[1]]).toEqual([href, count]);
    }
  });

  test("of money lead to a list with that sum, for each class", async () => {
    const links = [
      ...overview.matchAll(
        /<a href="(\/transactions\?[^"]*class=(\w+)[^"]*)"><span class="money"><data value="([^"]+)">/g,
      ),
    ];
    expect(new Set(links.map(([, , name]) => name))).toEqual(new Set(["matched", "pending", "discrepant"]));
    for (const [, href, , amount] of links) {
      const list = await page(address(href));
      const [, totals = ""] = list.split('class="totals"');
      expect([href, totals.slice(0, totals.indexOf("</section>")).includes(`value="${amount}"`)]).toEqual([
        href,
        true,
      ]);
    }
  });

  test("of discrepancies lead to a queue of as many", async () => {
    const links = [...overview.matchAll(/<a class="figure" href="(\/discrepancies\?[^"]+)">([\d,]+)<\/a>/g)];
    // Seven ages; and what is assigned to who looks, and what is unassigned.
    expect(links).toHaveLength(9);
    expect(links.map(([, href]) => href)).toContain("/discrepancies?owner=Ada");
    for (const [, href, count] of links) {
      const queue = await page(address(href));
      expect([href, /id="summary"[^>]*>(\d[\d,]*)/.exec(queue)?.[1]]).toEqual([href, count]);
    }
  });

  test("of what is owed lead to a report with that sum, of today and of any day of the trend", async () => {
    const [, panel = ""] = overview.split('id="receivable"');
    const [table = ""] = panel.split("</table>");
    const now = [...table.matchAll(/<a href="([^"]+)"><span class="money"><data value="([^"]+)"/g)];
    const days = [...table.matchAll(/<a href="([^"]+)" tabindex="-1"><rect[^>]*><title>[^:]+: ([^<]+) /g)];
    expect(now.length).toBeGreaterThan(0);
    expect(days.length).toBeGreaterThan(29);
    for (const [, href, amount] of [now[0], days.at(-1), days.at(-3)].filter((link) => link !== undefined)) {
      const [, sums = ""] = (await page(`${address(href)}&wait=true`)).split('id="totals"');
      // As it is kept, and not as it is shown: without what groups and fills up its digits.
      const plain = String(Number((amount ?? "").replaceAll(",", "").replace("−", "-")));
      const closing = [...sums.slice(0, sums.indexOf("</table>")).matchAll(/<data value="([^"]+)"/g)];
      expect([href, closing.map(([, value]) => value)]).toEqual([href, expect.arrayContaining([plain])]);
    }
  });

  test("that take long follow the page, which does not wait for them", async () => {
    const { held, release } = await holdLines();
    const first = await page("/overview?days=7");
    expect(first).toMatch(/id="receivable-part"[^>]*hx-get="\/overview\?days=7&amp;wait=true"/);
    expect(first).toContain("Still being calculated");
    // It comes by itself: only without script is there anything to do.
    expect(first).toContain("The figures appear here as soon as they are ready.");
    expect(first).not.toContain("Load the page again");
    release();
    await held;
    const whole = await page("/overview?days=7&wait=true");
    expect(whole).not.toContain("Still being calculated");
    expect(whole).not.toContain('class="follows"');
  });

  /** What is owed cannot be read until it is released; everything else can. */
  async function holdLines(): Promise<{ held: Promise<void>; release: () => void }> {
    const { promise: released, resolve: release } = promiseOf<void>();
    const { promise: taken, resolve: take } = promiseOf<void>();
    const held = database.db.transaction(async (tx) => {
      await tx.query("lock table tieout.statement_lines in access exclusive mode");
      take();
      await released;
    });
    await taken;
    return { held, release };
  }

  test("fit into 60 kB on the wire", () => {
    expect(gzipSync(overview).length).toBeLessThan(60 * 1024);
  });

  test("of discrepancies count those of every currency", async () => {
    const kept =
      "account_id, code, level, subject_kind, transaction_id, since, state, first_seen_at, last_changed_at";
    await database.db.query(
      `insert into tieout.discrepancies
         (fingerprint, fingerprint_version, facts_hash, provider, value, value_currency, ${kept})
       select sha256(n::text::bytea), 1, facts_hash, 'many', n, 'COIN' || n, ${kept}
       from generate_series(1, 120) as n
       cross join (select * from tieout.discrepancies where transaction_id is not null limit 1) as one`,
    );
    const list = await page("/discrepancies?provider=many");
    expect(/id="summary"[^>]*>([^<]*)/.exec(list)?.[1]).toContain("120");
    expect(await page("/discrepancies/bulk?provider=many")).toContain("120 discrepancies");
  });

  test("of a class that is none are refused with the classes there are", async () => {
    const wrong = await fetch(`${service.url}/transactions?class=lost`, { headers: { cookie } });
    expect(wrong.status).toBe(400);
    expect(await wrong.text()).toContain(
      "There is no class “lost”. Use matched, pending, discrepant, excluded.",
    );
  });
});

function promiseOf<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => (resolve = done));
  return { promise, resolve };
}
