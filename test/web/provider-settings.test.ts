import { beforeAll, describe, expect, test } from "vitest";
import { findChromium } from "../support/chromium.ts";
import { aPerson, everyRole } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { barriersOn, expectText, keepScreenshot, useBrowser, usePage } from "./a-page.ts";
import { seedPage } from "./seed-page.ts";
import { takeStatement } from "./statement-file.ts";

const chromium = findChromium();

describe.runIf(chromium !== null)("settings of a provider", () => {
  const database = useTestDatabase();
  const service = usePage(database);
  const { enter } = useBrowser(chromium ?? "", service, database);
  let admin: number;
  let viewer: number;
  beforeAll(async () => {
    const completed = await seedPage(database.db, Date.now());
    admin = await aPerson(database.db, everyRole, { name: "Ada" });
    viewer = await aPerson(database.db, "viewer", { name: "Vera" });
    await takeStatement(database.db, completed);
  });

  const address = "/settings/providers/moonpay?account=acme-eu";

  test("by mouse: what a wider tolerance would change is seen first, and saved with a reason", async () => {
    const { page, complaints } = await enter(admin);
    await page.goto("/settings/providers");
    await page.click('tr:has-text("acme-eu") a:has-text("moonpay")');
    await expectText(page, "#provider-settings", "Not set: the defaults apply.");
    await page.fill('[name="tolerances.0.absolute_under"]', "5");
    await page.selectOption('[name="tolerances.0.leg"]', "in");
    await page.click('button:has-text("Preview")');
    await expectText(page, "#provider-settings", "1 agreed");
    await expectText(page, "tr.differs", "matched");
    await expectText(page, "table", "in amount mismatch");
    await keepScreenshot(page, "provider-settings-preview");
    expect(await saved()).toEqual([]);
    expect(await open("in_amount_mismatch")).toBe(1);

    // Without a reason it is not saved, and says so beside the field; what was typed is still there.
    await page.click('button:has-text("Save settings")');
    await expectText(page, ".form-error", "reason");
    expect(await page.getAttribute('[name="reason"]', "aria-invalid")).toBe("true");
    expect(await page.inputValue('[name="tolerances.0.absolute_under"]')).toBe("5");
    await page.fill('[name="reason"]', "agreed with the provider");
    await page.click('button:has-text("Preview")');
    await page.click('button:has-text("Save settings")');
    await expectText(page, "#notice", "are saved");
    expect(await saved()).toEqual([
      {
        kind: "tolerance",
        reason: "agreed with the provider",
        value: [{ leg: "in", currency: "*", absolute_under: "5" }],
      },
    ]);
    await expectText(page, "#provider-settings", "Version 1");
    expect(complaints).toEqual([]);
  });

  test("by keyboard: a wrong figure is refused in its place, then mended, previewed and saved", async () => {
    const { page, complaints } = await enter(admin);
    await page.goto(address);
    await page.evaluate("window.loadedOnce = true");
    await page.focus('[name="calendar.statement_lag_days"]');
    await page.keyboard.press("Control+A");
    await page.keyboard.type("soon");
    await page.focus('[name="calendar.zone"]');
    await page.keyboard.press("Control+A");
    await page.keyboard.type("Europe/Vilnius");
    await page.keyboard.press("Enter");
    await expectText(page, ".form-error", "statement lag days is not a whole number");
    expect(await page.getAttribute('[name="calendar.statement_lag_days"]', "aria-invalid")).toBe("true");
    expect(await page.inputValue('[name="calendar.zone"]')).toBe("Europe/Vilnius");
    // The summary has the focus, and its link leads to the field.
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForFunction(
      "document.activeElement.name === 'calendar.statement_lag_days' || location.hash !== ''",
    );
    await page.focus('[name="calendar.statement_lag_days"]');
    await page.keyboard.press("Control+A");
    await page.keyboard.type("25");
    await page.focus('[name="reason"]');
    await page.keyboard.type("by contract");
    await page.keyboard.press("Enter");
    await expectText(page, "#outcome-text", "Nothing is saved yet");
    // Until it has the focus, the key would be a letter of the reason.
    await page.waitForFunction("document.activeElement.id === 'outcome-text'");
    await page.keyboard.press("s");
    await expectText(page, "#notice", "are saved");
    expect(await page.inputValue('[name="calendar.statement_lag_days"]')).toBe("25");
    expect(complaints).toEqual([]);
  });

  test("without a script: errors of the API stand beside their fields, and someone quicker is noticed", async () => {
    const { page } = await enter(admin, { script: false });
    await page.goto(address);
    await page.fill('[name="calendar.our_share"]', "one per cent");
    await page.fill('[name="aliases"]', "BITCOIN = BTC\nnonsense");
    await page.click('button:has-text("Preview")');
    await expectText(page, ".form-error", "their word = our word");
    await page.fill('[name="aliases"]', "BITCOIN = BTC");
    await page.click('button:has-text("Preview")');
    await expectText(page, "small.field-error", "is not an amount of 0 or more");
    expect(await page.inputValue('[name="aliases"]')).toBe("BITCOIN = BTC");
    await page.fill('[name="calendar.our_share"]', "0.01");
    await page.fill('[name="reason"]', "by contract");
    await page.click('button:has-text("Preview")');
    await expectText(page, "#outcome-text", "Nothing is saved yet");
    await database.db.query(
      `insert into tieout.provider_settings (account_id, provider, kind, version, value, saved_by)
       values (1, 'moonpay', 'category', 1, '["bonus"]', 'test')`,
    );
    await page.click('button:has-text("Save settings")');
    await expectText(page, ".form-error", "Someone else has saved");
    expect(await page.inputValue('[name="calendar.our_share"]')).toBe("0.01");
  });

  test("whoever may only read sees them, and has nothing to press", async () => {
    const { page } = await enter(viewer);
    await page.goto(address);
    await expectText(page, "#provider-settings", "Settlement");
    expect(await page.locator('button:has-text("Preview")').count()).toBe(0);
    expect(await page.locator('[name="calendar.zone"]').getAttribute("readonly")).not.toBeNull();
  });

  test("is free of barriers, in light, dark and on a phone, with errors and with a preview", async () => {
    for (const look of [{}, { dark: true }, { phone: true }]) {
      const { page, complaints } = await enter(admin, look);
      await page.goto(address);
      for (const share of ["", "x", "0.02"]) {
        if (share !== "") {
          await page.fill('[name="calendar.our_share"]', share);
          await page.click('button:has-text("Preview")');
          await page.waitForSelector(share === "x" ? ".form-error" : "#outcome-text");
        }
        expect([look, share, await barriersOn(page, look)]).toEqual([look, share, []]);
        const wider = await page.evaluate<number>(
          "document.documentElement.scrollWidth - document.documentElement.clientWidth",
        );
        expect([look, share, wider > 0]).toEqual([look, share, false]);
      }
      await keepScreenshot(page, `provider-settings-${Object.keys(look).join() || "light"}`);
      expect(complaints).toEqual([]);
    }
  });

  async function saved(): Promise<unknown[]> {
    return database.db.query(
      "select kind, reason, value from tieout.provider_settings where provider = 'moonpay' and kind = 'tolerance'",
    );
  }

  async function open(code: string): Promise<number> {
    const rows = await database.db.query(
      "select from tieout.discrepancies where code = $1 and state = 'open'",
      [code],
    );
    return rows.length;
  }
});
