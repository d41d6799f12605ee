import { Client } from "pg";
import type { BrowserContext, Page } from "playwright-core";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { findChromium } from "../support/chromium.ts";
import { aPerson, everyRole } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { useBrowser, usePage } from "./a-page.ts";
import { seedPage } from "./seed-page.ts";
import { statementFile } from "./statement-file.ts";

const chromium = findChromium();

/** A test cannot read the screen while Chromium waits for the answer to a form: so the screen itself tells the service. */
const tellService = `new MutationObserver(() => {
  const said = document.querySelector('.working[role="status"]')?.textContent;
  if (said === "Working …") navigator.sendBeacon("/said");
}).observe(document, { childList: true, subtree: true });`;

describe.runIf(chromium !== null)("a form whose answer takes long", () => {
  const database = useTestDatabase();
  const service = usePage(database);
  const { enter } = useBrowser(chromium ?? "", service, database);
  let ada: number;
  let file: string;
  beforeAll(async () => {
    file = statementFile(await seedPage(database.db, Date.now()));
    ada = await aPerson(database.db, everyRole, { name: "Ada" });
  });

  test("says how far its file has been read, to nobody but who sent it", async () => {
    const { page, context } = await enter(ada);
    await chooseFile(page);
    const reading = page.locator("#reading");
    const letGo = await holdStatements();
    await page.click('button:has-text("Preview")');
    await expect.poll(() => reading.innerText()).toBe("Reading, 100 %");
    const address = (await page.getAttribute("#statement-form", "data-progress")) ?? "";
    const progressFor = async (asking: BrowserContext) =>
      (await asking.request.get(new URL(address, service.url).href)).text();
    expect(await progressFor(context)).toBe("Reading, 100 %");
    const { context: another } = await enter(await aPerson(database.db, everyRole, { name: "Bob" }));
    expect(await progressFor(another)).toBe("");
    await letGo();
    await page.waitForSelector("#preview-title");
    expect(await reading.textContent()).toBe("Reading …");
    expect(await progressFor(context)).toBe("");
  });

  test("says that it was sent, and no longer when its answer is there or someone comes back", async () => {
    const { page } = await enter(ada);
    await page.addInitScript(tellService);
    await chooseFile(page);
    await page.click('button:has-text("Preview")');
    const importing = page.locator('button:has-text("Import ")').last();
    await importing.waitFor();
    expect(await page.locator(".working").count()).toBe(0);

    // As long as a large file takes, or a run that is under way.
    const letGo = await holdStatements();
    await importing.click({ noWaitAfter: true });
    await expect.poll(hasSaidSo, { timeout: 20_000 }).toBe(true);
    await letGo();
    await page.waitForURL(/statements\/\d+$/);
    expect(await page.locator(".working").count()).toBe(0);
    await page.goBack();
    expect(await page.locator(".working").count()).toBe(0);
  });

  async function chooseFile(page: Page): Promise<void> {
    await page.goto("/statements");
    await page.setInputFiles('input[type="file"]', {
      name: "moonpay-2026-11.csv",
      mimeType: "text/csv",
      buffer: Buffer.from(file),
    });
    await page.selectOption('select[name="account"]', "acme-eu");
  }

  const hasSaidSo = () => service.log.some(({ route }) => route === "unknown");

  /** Returns a function that releases the lock. */
  async function holdStatements(): Promise<() => Promise<void>> {
    const client = new Client({ connectionString: database.url.reveal() });
    await client.connect();
    await client.query("begin");
    await client.query("lock table tieout.statements in exclusive mode");
    let held = true;
    const letGo = async () => {
      if (held) await client.end();
      held = false;
    };
    onTestFinished(letGo);
    return letGo;
  }
});
