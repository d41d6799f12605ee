import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { findChromium } from "../support/chromium.ts";
import { aPerson, everyRole } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { barriersOn, everythingIsHere, expectText, keepScreenshot, useBrowser, usePage } from "./a-page.ts";
import { type SeededTransaction, seedPage } from "./seed-page.ts";
import { takeStatement } from "./statement-file.ts";

const chromium = findChromium();

describe.runIf(chromium !== null)("the matching workspace", () => {
  const database = useTestDatabase();
  const service = usePage(database);
  const { enter } = useBrowser(chromium ?? "", service, database);
  let admin: number;
  let own: SeededTransaction[];
  beforeAll(async () => {
    const completed = await seedPage(database.db, Date.now());
    own = completed.filter(({ provider }) => provider === "moonpay");
    admin = await aPerson(database.db, everyRole, { name: "Ada" });
    await takeStatement(database.db, completed);
  });

  const stranger = "0000feed-0000-4000-a000-000000000001";

  test("a statement is its lines, in tabs by class whose counts and sums tie", async () => {
    const { page, complaints } = await enter(admin);
    await page.goto("/statements/1");
    await everythingIsHere(page);
    const counts = await page.$$eval(".tab-count", (found) => found.map((one) => Number(one.textContent)));
    const [all = 0, ...classes] = counts;
    expect(all).toBe(own.length + 1);
    expect(classes.reduce((sum, one) => sum + one, 0)).toBe(all);
    for (const [currency, net] of await sums()) {
      const cell = page.locator(`tfoot td[data-label="${currency}"] data`);
      expect([currency, await cell.getAttribute("value")]).toEqual([currency, net]);
    }
    await page.click('.tabs a:has-text("Discrepant")');
    await page.waitForURL(/class=discrepant/);
    expect(await page.$$eval(".list[data-rows] tbody tr", (rows) => rows.length)).toBe(counts[3]);
    // A line is found by any of its names, in any case.
    await page.fill('main input[name="q"]', stranger.toUpperCase());
    await page.keyboard.press("Enter");
    await page.waitForURL(/q=/);
    expect(await page.$$eval(".list[data-rows] tbody tr", (rows) => rows.length)).toBe(1);
    expect(complaints).toEqual([]);
  });

  test("by mouse: a line is excluded with a reason, the next one opens, and it can be undone", async () => {
    const { page, complaints } = await enter(admin);
    await page.goto(`/statements/1?class=discrepant&q=${stranger}`);
    await page.click("[data-rows] tbody th a");
    await page.waitForURL(/lines\/\d+/);
    const address = page.url();
    // What comes near it is settled by another line, and says by which.
    await expectText(page, "#candidates >> xpath=../..", "Settled already");
    await keepScreenshot(page, "workspace-line");
    await page.fill('#exclude input[name="reason"]', "belongs to another merchant");
    await page.click('button:has-text("Exclude")');
    await expectText(page, "#notice", "The line is excluded");
    expect(await classOf(stranger)).toBe("excluded");
    await page.click("#notice button:has-text('Undo')");
    await expectText(page, "#notice", "open again");
    expect(await classOf(stranger)).toBe("discrepant");
    // The line has an address of its own.
    await page.goto(address);
    await expectText(page, "#workspace", stranger);
    expect(complaints).toEqual([]);
  });

  test("by keyboard alone: unmatch, match with another, undo, without a reload", async () => {
    const { page, complaints } = await enter(admin);
    const [first] = own;
    await page.goto(`/statements/1?class=matched`);
    await page.evaluate("window.loadedOnce = true");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.waitForURL(/lines\/\d+\?class=matched/);
    await page.evaluate("window.loadedOnce = true");
    await expectText(page, "#workspace", "Matched with");
    await page.keyboard.press("u");
    await page.keyboard.type("the provider asked to");
    await page.keyboard.press("Enter");
    await expectText(page, "#notice", "no longer matched");
    expect(await matchesOf(first?.id)).toEqual([]);
    // The next line of the view is open, and has the focus.
    const focused = await page.evaluate("document.activeElement.dataset.current");
    expect(focused).toBe("true");
    expect(await page.evaluate("window.loadedOnce")).toBe(true);

    // The stranger has the same amount and second as the order that is free now.
    const { lineNo } = await lineNamed(stranger);
    await page.goto(`/statements/1/lines/${lineNo}`);
    await page.evaluate("window.loadedOnce = true");
    await expectText(page, ".candidate:has(input:checked)", first?.id ?? "");
    await expectText(page, ".candidate:has(input:checked)", "customer paid agrees");
    await expectText(page, ".candidate:has(input:checked)", "provider’s id differs");
    await page.keyboard.press("m");
    await expectText(page, "#notice", "is matched with");
    expect(await matchesOf(first?.id)).toEqual([stranger]);
    await page.focus("#notice [data-undo]");
    await page.keyboard.press("Enter");
    await expectText(page, "#notice", "no longer matched");
    expect(await matchesOf(first?.id)).toEqual([]);
    const audited = await database.db.query<{ action: string }>(
      "select action from tieout.audit_log where action like 'match.%' order by number",
    );
    expect(audited.map(({ action }) => action)).toEqual(["match.ended", "match.made", "match.ended"]);
    expect(complaints).toEqual([]);
  });

  test("what is refused is said in the form, with what was typed, with and without a script", async () => {
    for (const script of [true, false]) {
      const { page } = await enter(admin, { script });
      const { lineNo } = await lineNamed(stranger);
      await page.goto(`/statements/1/lines/${lineNo}`);
      // Someone else is quicker.
      await database.db.query(
        "update tieout.discrepancies set version = version + 1 where line_id is not null",
      );
      await page.fill('#exclude input[name="reason"]', "typed at length");
      await page.click('button:has-text("Exclude")');
      await expectText(page, "#exclude [role=alert]", "Someone else has changed");
      expect(await page.inputValue('#exclude input[name="reason"]')).toBe("typed at length");
    }
  });

  test("by mouse: a line is split over two orders, what is left is shown meanwhile, and it can be undone", async () => {
    const { page, complaints } = await enter(admin);
    const [one = "", two = ""] = await freeOrders();
    const { lineNo } = await lineNamed(stranger);
    await page.goto(`/statements/1/lines/${lineNo}`);
    const total = await page.getAttribute("#split", "data-split");
    await page.click("summary:has-text('Split over several')");
    await expectText(page, "#split [data-rest]", total ?? "");
    await page.fill('#split input[name="other-1"]', one);
    await page.fill('#split input[name="other-amount-1"]', "10.05");
    await expectText(page, "#split [data-rest]", String((Number(total) * 100 - 1005) / 100));
    await page.fill('#split input[name="other-2"]', two);
    await expectText(page, "#split [data-rest]", "0");
    expect(await barriersOn(page)).toEqual([]);
    await keepScreenshot(page, "workspace-split");
    await page.fill('#split input[name="reason"]', "one charge for both");
    await page.click("#split button:has-text('Split')");
    await expectText(page, "#notice", "is split over 2 transactions");
    expect([await matchesOf(one), await matchesOf(two)]).toEqual([[stranger], [stranger]]);
    await page.goto(`/statements/1/lines/${lineNo}`);
    await expectText(page, "#workspace", "Split over");
    await expectText(page, "#workspace", "one charge for both");
    expect(await barriersOn(page)).toEqual([]);
    await page.fill('#unmatch input[name="reason"]', "by mistake");
    await page.click("#unmatch button:has-text('Unmatch all')");
    await expectText(page, "#notice", "is no longer split");
    expect([await matchesOf(one), await matchesOf(two)]).toEqual([[], []]);
    // And back again: the parts are what they were.
    await page.click("#notice button:has-text('Undo')");
    await expectText(page, "#notice", "is split over 2 transactions");
    await page.click("#notice button:has-text('Undo')");
    await expectText(page, "#notice", "is no longer split");
    expect([await matchesOf(one), await matchesOf(two)]).toEqual([[], []]);
    expect(await classOf(stranger)).toBe("discrepant");
    expect(complaints).toEqual([]);
  });

  test("by keyboard alone: a line is split, without a reload", async () => {
    const { page, complaints } = await enter(admin);
    const [other = ""] = await freeOrders();
    const { lineNo } = await lineNamed(stranger);
    await page.goto(`/statements/1/lines/${lineNo}`);
    await page.evaluate("window.loadedOnce = true");
    await page.keyboard.press("s");
    // The order of the same amount is the first candidate: tick it, and leave what it takes to the other one.
    const chosen = await page.evaluate<string>("document.activeElement.name");
    expect(chosen).toBe(`take:${own[0]?.id}`);
    await page.keyboard.press("Space");
    await page.keyboard.press("Tab");
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.press("Backspace");
    await tabTo(page, "other-1");
    await page.keyboard.type(other);
    await page.keyboard.press("Tab");
    await page.keyboard.type("3");
    await tabTo(page, "reason");
    await page.keyboard.type("one charge for both");
    await page.keyboard.press("Enter");
    await expectText(page, "#notice", "is split over 2 transactions");
    expect(await page.evaluate("window.loadedOnce")).toBe(true);
    expect(await matchesOf(own[0]?.id)).toEqual([stranger]);
    await page.focus("#notice [data-undo]");
    await page.keyboard.press("Enter");
    await expectText(page, "#notice", "is no longer split");
    expect(await matchesOf(own[0]?.id)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test("a split that leaves or takes too much is refused in its form, with and without a script", async () => {
    const [one = "", two = ""] = await freeOrders();
    for (const script of [true, false]) {
      const { page } = await enter(admin, { script });
      const { lineNo } = await lineNamed(stranger);
      await page.goto(`/statements/1/lines/${lineNo}`);
      await page.click("summary:has-text('Split over several')");
      await page.fill('#split input[name="other-1"]', one);
      await page.fill('#split input[name="other-2"]', two);
      await page.fill('#split input[name="other-amount-2"]', "2");
      await page.fill('#split input[name="reason"]', "typed at length");
      const tries = {
        "1": "of the line are left",
        "999999": "more than the",
        nothing: "is not an amount above zero",
      };
      for (const [typed, words] of Object.entries(tries)) {
        await page.fill('#split input[name="other-amount-1"]', typed);
        await page.click("#split button:has-text('Split')");
        await expectText(page, "#split [role=alert]", words);
        expect(await page.inputValue('#split input[name="other-amount-1"]')).toBe(typed);
        expect(await page.inputValue('#split input[name="reason"]')).toBe("typed at length");
      }
    }
    expect([await matchesOf(one), await matchesOf(two)]).toEqual([[], []]);
  });

  test("is free of barriers, in light, dark and on a phone", async () => {
    for (const look of [{}, { dark: true }, { phone: true }]) {
      const { page, complaints } = await enter(admin, look);
      const lines = await Promise.all([lineNamed(stranger), lineNamed(own[3]?.providerId ?? "")]);
      for (const { lineNo } of lines) {
        await page.goto(`/statements/1/lines/${lineNo}`);
        expect([look, await barriersOn(page, look)]).toEqual([look, []]);
        const wider = await page.evaluate<number>(
          "document.documentElement.scrollWidth - document.documentElement.clientWidth",
        );
        expect([look, wider > 0]).toEqual([look, false]);
        await keepScreenshot(page, `workspace-${lineNo}-${Object.keys(look).join() || "light"}`);
      }
      expect(complaints).toEqual([]);
    }
  });

  /** Orders of the provider that no line settles. */
  async function freeOrders(): Promise<string[]> {
    const rows = await database.db.query<{ id: string }>(
      `select t.transaction_id as id from tieout.transactions as t
       where t.provider = 'moonpay' and t.account_id = (select account_id from tieout.statements where id = 1)
         and t.transaction_id <> $1
         and not exists (
           select from tieout.matches as m where m.transaction_id = t.transaction_id and m.state = 'active'
         )
       order by 1 limit 2`,
      [own[0]?.id],
    );
    return rows.map(({ id }) => id);
  }

  async function tabTo(page: Page, name: string): Promise<void> {
    for (let presses = 0; presses < 60; presses++) {
      await page.keyboard.press("Tab");
      if ((await page.evaluate<string>("document.activeElement.name ?? ''")) === name) return;
    }
    throw new Error(`no field ${name} is reached with the keyboard`);
  }

  async function sums(): Promise<[string, string][]> {
    const rows = await database.db.query<{ currency: string; net: string }>(
      `select net_currency as currency, trim_scale(sum(net_amount))::text as net
       from tieout.statement_lines where statement_id = 1 group by 1`,
    );
    return rows.map(({ currency, net }) => [currency, net]);
  }

  async function lineNamed(id: string): Promise<{ lineNo: number }> {
    const [row] = await database.db.query<{ lineNo: number }>(
      `select line_no as "lineNo" from tieout.statement_lines where provider_transaction_id = $1`,
      [id],
    );
    return { lineNo: row?.lineNo ?? 0 };
  }

  async function classOf(id: string): Promise<string | undefined> {
    const [row] = await database.db.query<{ class: string }>(
      `select c.class from tieout.line_classes_now() as c
       join tieout.statement_lines as l on l.id = c.line_id where l.provider_transaction_id = $1`,
      [id],
    );
    return row?.class;
  }

  async function matchesOf(transactionId: string | undefined): Promise<(string | null)[]> {
    const rows = await database.db.query<{ id: string | null }>(
      `select l.provider_transaction_id as id from tieout.matches as m
       join tieout.statement_lines as l on l.id = m.line_id
       where m.state = 'active' and m.transaction_id = $1`,
      [transactionId],
    );
    return rows.map(({ id }) => id);
  }
});
