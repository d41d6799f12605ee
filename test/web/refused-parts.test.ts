import { beforeAll, describe, expect, test } from "vitest";
import { findChromium } from "../support/chromium.ts";
import { aPerson, everyRole } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { expectText, useBrowser, usePage, type Visit } from "./a-page.ts";
import { seedPage } from "./seed-page.ts";
import { takeStatement } from "./statement-file.ts";

const chromium = findChromium();

/** A script sends these forms and puts the answer into the screen, so a refusal has to be seen there. */
describe.runIf(chromium !== null)("what a script was refused", () => {
  const database = useTestDatabase();
  const service = usePage(database);
  const { enter } = useBrowser(chromium ?? "", service, database);
  let visit: Visit;
  beforeAll(async () => {
    await takeStatement(database.db, await seedPage(database.db, Date.now()));
    visit = await enter(await aPerson(database.db, everyRole, { name: "Ada" }));
  });

  test.each([
    ["statement", "/statements"],
    ["bank file", "/receipts"],
    ["fee schedule", "/fees"],
  ])("a %s that cannot be read, or is empty, is refused where notices are", async (_, path) => {
    const { page } = visit;
    await page.goto(path);
    const preview = async (name: string, content: string) => {
      await page.setInputFiles('main input[type="file"]', {
        name,
        mimeType: "text/csv",
        buffer: Buffer.from(content),
      });
      const accounts = page.locator('main form:has(input[type="file"]) select[name="account"]');
      if ((await accounts.count()) > 0) await accounts.first().selectOption("acme-eu");
      for (const field of await page
        .locator('main form:has(input[type="file"]) input[required][type="text"]')
        .all())
        await field.fill("as agreed");
      await page.click('button:has-text("Preview")');
    };
    await preview("empty.csv", "");
    await expectText(page, "#notice", '"empty.csv" is empty: choose another file.');
    await expectText(page, "#notice", "Check the form");
    await preview("page.csv", "<!doctype html><title>Sign in</title>");
    await expectText(page, "#notice", "page.csv");
    expect(await page.locator("#preview").innerText()).toBe("");
  });

  test("a decision about a discrepancy that is refused says why, also to who has scrolled down", async () => {
    const { page } = visit;
    await page.goto("/discrepancies?code=stale_open");
    await page.route("**/discrepancies/change", (route) =>
      route.continue({ headers: { ...route.request().headers(), "x-csrf-token": "of another session" } }),
    );
    await page.setViewportSize({ width: 1280, height: 400 });
    await page.keyboard.press("e");
    await page.keyboard.type("asked the provider");
    await page.evaluate("scrollTo(0, document.body.scrollHeight)");
    await page.keyboard.press("Enter");
    await expectText(page, "#notice", "Form refused");
    await expect
      .poll(() =>
        page.locator("#notice").evaluate((notice) => Math.round(notice.getBoundingClientRect().top)),
      )
      .toBeGreaterThanOrEqual(0);
  });

  test("when nothing answers, that is said until something does, and the queue stays at what is shown", async () => {
    const { page } = visit;
    await page.setViewportSize({ width: 1280, height: 860 });
    await page.goto("/discrepancies");
    const [first] = await page.$$eval(".queue-item", (items) =>
      items.map((item) => item.getAttribute("href")),
    );
    const current = () => page.getAttribute(".queue-item[aria-current]", "href");
    expect(await current()).toBe(first);
    await page.route("**/discrepancies/*", (route) => route.abort("connectionrefused"));
    await page.locator(".queue-item").nth(1).click();
    await expectText(page, "#notice", "tieout did not answer");
    expect(await current()).toBe(first);
    await page.unroute("**/discrepancies/*");
    await page.locator(".queue-item").nth(1).click();
    await page.locator("#unanswered").waitFor({ state: "detached" });
    expect(await current()).not.toBe(first);
  });
});
