import { beforeAll, describe, expect, test } from "vitest";
import { findChromium } from "../support/chromium.ts";
import { aPerson, everyRole } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { expectText, useBrowser, usePage } from "./a-page.ts";
import { seedPage } from "./seed-page.ts";
import { takeStatement } from "./statement-file.ts";

const chromium = findChromium();

describe.runIf(chromium !== null)("with the keyboard alone", () => {
  const database = useTestDatabase();
  const service = usePage(database);
  const { enter } = useBrowser(chromium ?? "", service, database);
  let ada: number;
  beforeAll(async () => {
    await takeStatement(database.db, await seedPage(database.db, Date.now()));
    ada = await aPerson(database.db, everyRole, { name: "Ada" });
  });

  test("the line that is open is in sight among its neighbours, and j goes on from it", async () => {
    const { page } = await enter(ada);
    await page.goto("/statements/1/lines/30");
    expect(await page.evaluate("scrollY")).toBe(0);
    const seen = await page.$eval("[data-current]", (item) => {
      const [own, list] = [item, item.closest(".queue") ?? item].map((one) => one.getBoundingClientRect());
      return own !== undefined && list !== undefined && own.top >= list.top && own.bottom <= list.bottom;
    });
    expect(seen).toBe(true);
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.waitForURL(/lines\/31/);
    await expectText(page, "#workspace h2", "Line 31");
    await page.goto("/statements/1/lines/30");
    await page.keyboard.press("k");
    await page.keyboard.press("Enter");
    await expectText(page, "#workspace h2", "Line 29");
  });

  test("the queue opens with its first item, and j goes to the second", async () => {
    const { page } = await enter(ada);
    await page.goto("/discrepancies");
    const [, second] = await page.$$eval(".queue-item", (items) =>
      items.map((item) => item.getAttribute("href")),
    );
    await page.keyboard.press("j");
    expect(await page.evaluate("document.activeElement.getAttribute('href')")).toBe(second);
  });

  test("Escape leaves a menu, and the focus is where the menu was opened", async () => {
    const { page } = await enter(ada);
    await page.goto("/payouts");
    await page.focus("summary:has-text('View')");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.tagName")).toBe("BUTTON");
    await page.keyboard.press("Escape");
    expect(await page.locator("details.menu[open]").count()).toBe(0);
    expect(await page.evaluate("document.activeElement.textContent")).toContain("View");
    // Elsewhere it takes nobody's focus away.
    await page.focus("header input[name='q']");
    await page.keyboard.press("Escape");
    expect(await page.evaluate("document.activeElement.name")).toBe("q");
  });
});
