import { beforeAll, describe, expect, test } from "vitest";
import { findChromium } from "../support/chromium.ts";
import { aPerson, everyRole } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import type { Page } from "playwright-core";
import { everythingIsHere, expectText, useBrowser, usePage } from "./a-page.ts";
import { screensOf } from "./screens.ts";
import { type SeededTransaction, seedPage } from "./seed-page.ts";
import { statementFile, takeStatement } from "./statement-file.ts";

const chromium = findChromium();

describe.runIf(chromium !== null)("what is seen, in a real browser", () => {
  const database = useTestDatabase();
  const service = usePage(database);
  const { enter } = useBrowser(chromium ?? "", service, database);
  let completed: SeededTransaction[];
  let admin: number;
  beforeAll(async () => {
    completed = await seedPage(database.db, Date.now());
    admin = await aPerson(database.db, everyRole, { name: "Ada" });
    await takeStatement(database.db, completed);
  });

  async function open(page: Page, path: string): Promise<void> {
    await page.goto(path);
    await everythingIsHere(page);
  }

  test("a preview without a file leads to the field that is missing, on every form with one", async () => {
    const { page, complaints } = await enter(admin);
    const sent: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST") sent.push(request.url());
    });
    for (const path of ["/statements", "/receipts", "/fees"]) {
      await page.goto(path);
      await page.click('button:has-text("Preview")');
      const [focused, says] = await page.evaluate<[string, string]>(
        "[document.activeElement.name, document.activeElement.validationMessage]",
      );
      expect([path, focused, says]).toEqual([path, "file", expect.stringContaining("file")]);
    }
    expect(sent).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test("a preview is gone when another file is chosen, and so is the reason that it asks for", async () => {
    const { page } = await enter(admin);
    const choose = (name: string, text: string) =>
      page.setInputFiles('input[type="file"]', { name, mimeType: "text/csv", buffer: Buffer.from(text) });
    await page.goto("/statements");
    await page.selectOption('select[name="account"]', "acme-eu");
    await choose("one.csv", statementFile(completed.slice(9)));
    await page.click('button:has-text("Preview")');
    await expectText(page, "#preview", "2 rejected");
    await choose("two.csv", statementFile(completed.slice(0, 40)));
    expect(await page.textContent("#preview")).toBe("");
    await page.click('button:has-text("Preview")');
    await expectText(page, "#preview", "two.csv");
  });

  test("paper has every list and table, whole, and no control", async () => {
    const { page } = await enter(admin);
    const seen = (selector: string) =>
      page.$$eval(selector, (found) => found.filter((one) => one.getClientRects().length > 0).length);
    // As wide as A4 is between its margins, upright and lying.
    const [upright, lying] = [703, 1062];
    await page.emulateMedia({ media: "print" });
    const paths = new Map(await screensOf(database.db));
    for (const [name, width, list] of [
      ["discrepancies", upright, ".queue > li"],
      ["close-month", upright, "#checklist, table tbody tr"],
      ["report", lying, "tbody tr"],
      ["report-wide", lying, "tbody tr"],
      ["transactions", lying, "tbody tr"],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      await open(page, paths.get(name) ?? "");
      expect([name, await seen("button, input, select, textarea, .segments, form:empty")]).toEqual([name, 0]);
      expect([name, await seen("h1")]).toEqual([name, 1]);
      const beyond = await page.evaluate(
        "Math.max(...[...document.querySelectorAll('main, table, .queue')].map((one) => one.getBoundingClientRect().right)) - innerWidth",
      );
      expect([name, Number(beyond) <= 0]).toEqual([name, true]);
      const pdf = (await page.pdf({ preferCSSPageSize: true, format: "A4" })).toString("latin1");
      const sheets = [...pdf.matchAll(/\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/g)];
      expect(sheets.length).toBeGreaterThan(0);
      const isLying = sheets.map(([, wide, high]) => Number(wide) > Number(high));
      expect([name, new Set(isLying)]).toEqual([name, new Set([width === lying])]);
      expect([name, (await seen(list)) > 1]).toEqual([name, true]);
      // What holds nothing but a form would be an empty box.
      expect([name, await seen(".panel:not(:has(table, p, ul, dl))")]).toEqual([name, 0]);
    }
  });

  test("a long name and a long zone leave the head of the page in one piece, on a phone as well", async () => {
    const name = "Maximiliana Wilhelmina von Hohenstaufen-Ost";
    const long = await aPerson(database.db, everyRole, { name });
    for (const phone of [true, false]) {
      const { page } = await enter(long, { phone });
      await page.goto("/settings");
      await page.selectOption('main select[name="zone"]', "America/Los_Angeles");
      await page.click('button:has-text("Use this zone")');
      await open(page, "/settings");
      const heights = await page.$$eval(".tools :is(button, summary):not([hidden], .menu-body *)", (found) =>
        found.map((one) => one.getBoundingClientRect().height),
      );
      expect([phone, heights.length, Math.max(...heights) < 40]).toEqual([phone, 4, true]);
      const { bottom } = await page.$eval(".tools", (tools) => tools.getBoundingClientRect());
      expect([phone, bottom < 90]).toEqual([phone, true]);
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
      // The whole of it is in the menu.
      await page.click(".tools .menu:last-child summary");
      await expectText(page, ".menu[open] .menu-body", name);
    }
  });

  test("lists fit into 1280 px, their first columns in one line, and no choice of a filter is cut", async () => {
    const { page } = await enter(admin);
    for (const path of ["/payouts", "/statements", "/statements/1", "/receipts", "/settings/alerts"]) {
      await open(page, path);
      const beyond = await page.$$eval(".table-frame", (frames) =>
        frames.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth).filter((over) => over > 0),
      );
      expect([path, beyond]).toEqual([path, []]);
      const broken = await page.$$eval(
        "[data-rows] tbody th a",
        (links) =>
          links.filter((link) => link.getClientRects().length > 1 && link.textContent.startsWith("line"))
            .length,
      );
      expect([path, broken]).toEqual([path, 0]);
    }
    const cut = await page.evaluate<number>(`(() => {
      const select = document.querySelector('select[name="kind"]');
      const { width } = select.getBoundingClientRect();
      select.style.width = "max-content";
      return select.getBoundingClientRect().width - width;
    })()`);
    expect(cut).toBeLessThanOrEqual(0);
  });

  test("the sums of payouts are closed until they are asked for, and a row names its currency once", async () => {
    const { page } = await enter(admin);
    await open(page, "/payouts");
    expect(await page.isVisible("table[data-rows]")).toBe(true);
    expect(await page.isVisible(".sums table")).toBe(false);
    const currencies = await page.$$eval("table[data-rows] tbody tr", (rows) =>
      rows.map((row) => row.querySelectorAll(".currency").length),
    );
    expect(new Set(currencies)).toEqual(new Set([1]));
    await page.click(".sums summary");
    expect(await page.isVisible(".sums table")).toBe(true);
  });

  test("the closing balance stays in sight at the right edge of the receivable report, however wide it is", async () => {
    const { page } = await enter(admin);
    await page.setViewportSize({ width: 900, height: 800 });
    await open(page, new Map(await screensOf(database.db)).get("report") ?? "");
    const edges = await page.$eval("table[data-rows] td.pin-end", (cell) => [
      cell.getBoundingClientRect().right,
      cell.closest(".table-frame")?.getBoundingClientRect().right ?? 0,
    ]);
    expect(edges[0]).toBeLessThanOrEqual(edges[1] ?? 0);
  });

  test("the payouts fit a tablet, and no choice of a filter is cut", async () => {
    const { page } = await enter(admin);
    const paths = new Map(await screensOf(database.db));
    await page.setViewportSize({ width: 768, height: 900 });
    await open(page, "/payouts");
    const [inner, outer] = await page.$eval(".table-frame:has([data-rows])", (frame) => [
      frame.scrollWidth,
      frame.clientWidth,
    ]);
    expect(inner).toBeLessThanOrEqual(outer ?? 0);
    for (const width of [768, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      for (const name of ["discrepancies", "transactions", "payouts", "statements", "receipts"]) {
        await open(page, paths.get(name) ?? "");
        expect([name, width, await page.evaluate(cutChoices)]).toEqual([name, width, []]);
      }
    }
  });
});

/** As wide as the chosen words ask: measured on a copy that holds nothing else. */
const cutChoices = `[...document.querySelectorAll(".filter-row select")].flatMap((select) => {
  const copy = select.cloneNode(true);
  const chosen = select.selectedOptions[0]?.text;
  for (const option of [...copy.options]) if (option.text !== chosen) option.remove();
  copy.style.cssText = "width: max-content; position: absolute";
  document.body.append(copy);
  const isCut = copy.offsetWidth > select.offsetWidth + 1;
  copy.remove();
  return isCut ? [select.name] : [];
})`;
