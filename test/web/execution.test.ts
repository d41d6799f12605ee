import { beforeAll, describe, expect, test } from "vitest";
import { findChromium } from "../support/chromium.ts";
import { aPerson, cookieOf } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { barriersOn, keepScreenshot, useBrowser, usePage } from "./a-page.ts";

const database = useTestDatabase();
const service = usePage(database);
let viewer = 0;
let cookie = "";

/**
 * Orders of 55 days, one every hour: alpha completes all but one in eight, beta all but one in four. Quotes are asked for at the same moment:
 * alpha quotes 0.001 BTC for 100 EUR and pays 0.00099, beta 0.00098 and pays that. Rare gamma had two orders.
 */
beforeAll(async () => {
  const { db } = database;
  await db.query(
    "insert into tieout.accounts (name, base_url, sync_start) values ('shop', 'https://x.example', '2026-01-01')",
  );
  const orders = `select n, 'order ' || n as id, case when n in (30, 1300) then 'gamma' when n % 2 = 0 then 'alpha' else 'beta' end as provider,
      case when n % 8 = 0 or n % 4 = 1 then 'failed' else 'completed' end as status,
      case when n % 2 = 0 then 0.00099 else 0.00098 end as out_amount, now() - n * interval '1 hour' as at
    from generate_series(1, 55 * 24) as n`;
  const names = `account_id, transaction_id, hash_version, transaction_type, provider, payment_method, country, source_currency, in_amount,
    target_currency, out_amount, record_hash, status, status_rank, status_date, first_seen_at`;
  const record = `1, id, 1, 'buy', provider, 'card', 'DE', 'EUR', 100, 'BTC', out_amount, sha256((id || each.status)::bytea), each.status, 10, each.at`;
  await db.query(
    `insert into tieout.transaction_statuses (${names}, received_status, window_id)
     select ${record}, now(), each.status, 1
     from (${orders}) as o, lateral (values ('new', o.at - interval '5 minutes'), (o.status, o.at)) as each (status, at)`,
  );
  await db.query(
    `insert into tieout.transactions (${names}, is_final, last_changed_at) select ${record}, now(), true, now() from (${orders}) as each`,
  );
  await db.query(
    `with asks as (
       insert into tieout.quote_asks (account_id, asked_at, transaction_type, source_currency, target_currency, amount, payment_method, country, took_ms)
       select 1, at - interval '6 minutes', 'buy', 'EUR', 'BTC', 100, 'card', 'DE', 5 from (${orders}) as o
       returning id)
     insert into tieout.quotes (account_id, ask_id, provider, payout)
     select 1, id, provider, payout from asks, (values ('alpha', 0.001), ('beta', 0.00098)) as each (provider, payout)`,
  );
  await db.query(
    "insert into tieout.account_providers (account_id, provider) select 1, unnest(array['alpha', 'beta', 'gamma'])",
  );
  await db.query("analyze");
  viewer = await aPerson(db, "viewer");
  cookie = await cookieOf(db, viewer);
});

async function read(path: string): Promise<string> {
  const answer = await fetch(new URL(path, service.url), { headers: { cookie } });
  expect(answer.status).toBe(200);
  return answer.text();
}

describe("execution quality on screen", () => {
  test("shows each week of each provider with what it is based on, and links to those orders", async () => {
    const shown = await read("/execution?days=30&wait=true");
    const rows = [...shown.matchAll(/<tr data-day="([\d-]+)" data-provider="(\w+)">(.*?)<\/tr>/gs)];
    expect(rows.length).toBeGreaterThan(8);
    // Neither the week that is still running nor the one in which it began counts less than it holds.
    const [, day = "", , cells = ""] =
      rows.find(([, , provider], at) => at > 3 && provider === "alpha") ?? [];
    const valueOf = (trend: string) =>
      new RegExp(`data-value="([\\d.]+)" data-trend="${trend}" data-based-on="(\\d+)"`).exec(cells)?.slice(1);
    // 84 orders a week: 63 completed. (0.001 - 0.00099) / 0.001, and against the middle of 0.00099 nothing.
    expect(valueOf("Slippage")).toEqual(["100", "63"]);
    expect(valueOf("Cost")).toEqual(["0", "63"]);
    expect(valueOf("Completion rate")).toEqual(["75", "84"]);
    expect(valueOf("Median time to complete")).toEqual(["300", "63"]);
    const [, href = ""] = /<a href="([^"]+)"/.exec(cells) ?? [];
    const linked = new URL(href.replaceAll("&amp;", "&"), service.url).searchParams;
    expect([linked.get("provider"), linked.get("status_date[gte]")]).toEqual(["alpha", day]);
    expect(await read(href.replaceAll("&amp;", "&"))).toContain("order ");
  });

  test("says nothing from two orders", async () => {
    const shown = await read("/execution?days=90&by=month&provider=gamma&wait=true");
    const [row = ""] = /<tr data-day="[\d-]+" data-provider="gamma">.*?<\/tr>/s.exec(shown) ?? [];
    expect(row).toContain('data-trend="Slippage"');
    expect(row).not.toContain("data-value");
    expect(shown).toContain("Slippage and Cost and Completion rate and Median time to complete");
    expect(shown).not.toContain("data-chart");
  });
});

describe.runIf(findChromium() !== null)("in a browser", () => {
  const browser = useBrowser(findChromium() ?? "", service, database);

  test("draws four charts, says what is under the pointer, and opens the orders behind it", async () => {
    const { page, complaints } = await browser.enter(viewer);
    await page.goto("/execution?days=90");
    const chart = page.locator('[data-trend="Completion rate"][data-chart] .u-over');
    await chart.waitFor();
    expect(await page.locator("[data-chart] canvas").count()).toBe(4);
    // A provider without a single point is not in the legend.
    expect(await page.locator(".u-legend").first().innerText()).not.toContain("gamma");
    const box = await chart.boundingBox();
    if (box === null) throw new Error("the chart is on the screen");
    // In the middle, where alpha's 75 % are a quarter from the top.
    await page.mouse.move(box.x + box.width * 0.5, box.y + box.height * 0.25);
    const says = page.locator('[data-trend="Completion rate"] .chart-value');
    await says.filter({ hasText: /^alpha, \d{4}-\d\d-\d\d: 75 %, 84 orders$/ }).waitFor();
    await keepScreenshot(page, "execution");
    await page.click("summary:has-text('Figures behind the charts')");
    expect(await barriersOn(page)).toEqual([]);
    await page.click("summary:has-text('Figures behind the charts')");
    await page.mouse.click(box.x + box.width * 0.5, box.y + box.height * 0.25);
    await page.waitForURL("**/transactions?**provider=alpha**");
    expect(complaints).toEqual([]);
  });
});
