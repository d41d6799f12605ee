import { beforeAll, describe, expect, test } from "vitest";
import { findChromium } from "../support/chromium.ts";
import { aPerson, everyRole } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { barriersOn, expectText, keepScreenshot, useBrowser, usePage } from "./a-page.ts";
import { seedPage } from "./seed-page.ts";

const chromium = findChromium();

const kappa = [
  "Report of Kappa",
  "Order ID;State;Fiat Currency;Total;When",
  "K-1;done;EUR;1.200,50;31.01.2026 10:00",
  "K-2;failed;EUR;20,00;31.01.2026 11:30",
  "",
].join("\n");
const file = { name: "kappa.csv", mimeType: "text/csv", buffer: Buffer.from(kappa) };

describe.runIf(chromium !== null)("profiles", () => {
  const database = useTestDatabase();
  const service = usePage(database);
  const { enter } = useBrowser(chromium ?? "", service, database);
  let admin: number;
  beforeAll(async () => {
    await seedPage(database.db, Date.now());
    admin = await aPerson(database.db, everyRole, { name: "Ada" });
  });

  test("by mouse: one is made from a sample, offered for uploads, and reads the file", async () => {
    const { page, complaints } = await enter(admin);
    await page.goto("/settings/profiles");
    await page.click("text=Create one from a sample");
    await page.setInputFiles('input[name="file"]', file);
    await page.click('button:has-text("Show its columns")');
    // Proposed by the names of its headers; what nobody calls so is chosen by hand.
    expect(await page.inputValue('[name="column.0"]')).toBe("provider_transaction_id");
    expect(await page.inputValue('[name="column.2"]')).toBe("fiat_currency");
    await page.selectOption('[name="column.1"]', "status");
    await page.selectOption('[name="column.3"]', "fiat_gross");
    await page.selectOption('[name="column.4"]', "effective_at");
    await page.selectOption('[name="decimal"]', ",");
    await page.fill('[name="time_format"]', "DD.MM.YYYY HH:mm");
    await page.fill('[name="statuses"]', "done = settled\nfailed = failed");
    await page.click('button:has-text("Read the sample")');
    // The first amount is grouped, which nobody has said yet: the row says so in its place.
    await expectText(page, "#maker tr", "is not an amount with a decimal comma and no grouping");
    await page.selectOption('[name="grouping"]', ".");
    await page.click('button:has-text("Read the sample")');
    await expectText(page, "#maker tr:has-text('K-1')", "1,200.50");
    await expectText(page, "#maker tr:has-text('K-1')", "settled");
    await keepScreenshot(page, "profile-maker-read");

    await page.click('button:has-text("Save profile")');
    await expectText(page, ".form-error", "name: ");
    await expectText(page, ".form-error", "reason: ");
    expect(await page.inputValue('[name="time_format"]')).toBe("DD.MM.YYYY HH:mm");
    await page.fill('[name="name"]', "kappa");
    await page.fill('[name="provider"]', "Kappa");
    await page.fill('[name="reason"]', "their new report");
    await page.click('button:has-text("Save profile")');
    await expectText(page, "#notice", "The profile kappa is saved");
    await expectText(page, "main", "Provider’s id of the order");

    await page.goto("/statements");
    await page.setInputFiles('input[name="file"]', file);
    await page.selectOption('select[name="account"]', "acme-eu");
    await page.selectOption('select[name="profile"]', "kappa");
    await page.click('button:has-text("Preview")');
    await expectText(page, "#preview", "2 accepted");
    expect(complaints).toEqual([]);
  });

  test("the last columns of a wide file can be chosen, and read", async () => {
    const { page, complaints } = await enter(admin);
    await page.goto("/settings/profile-maker");
    const filler = Array.from({ length: 150 }, (_, n) => `Remark ${n}`);
    const head = ["Order ID", ...filler, "State", "Currency", "Total", "When"];
    const rowOf = (id: number) =>
      [`W-${id}`, ...filler.map((name) => `"${name}; as before"`), "done", "EUR", "12.50", "2026-01-31"].join(
        ",",
      );
    const wide = [head.join(","), ...[1, 2, 3, 4, 5, 6, 7].map(rowOf), ""].join("\n");
    await page.setInputFiles('input[name="file"]', { ...file, name: "wide.csv", buffer: Buffer.from(wide) });
    await page.click('button:has-text("Show its columns")');
    await page.selectOption('[name="column.151"]', "status");
    await page.selectOption('[name="column.152"]', "fiat_currency");
    await page.selectOption('[name="column.153"]', "fiat_gross");
    await page.selectOption('[name="column.154"]', "effective_at");
    await page.fill('[name="time_format"]', "YYYY-MM-DD");
    await page.fill('[name="statuses"]', "done = settled");
    await page.click('button:has-text("Read the sample")');
    await expectText(page, "#maker tr:has-text('W-1')", "12.50");
    expect(complaints).toEqual([]);
  });

  test("a file without a column for its currency or its status is read with what the form says", async () => {
    const { page, complaints } = await enter(admin);
    await page.goto("/settings/profile-maker");
    const mu = 'Order ID,Total,Settled at\nM-1,"$1,200.50","Jan 31, 2026 1:05 PM"\n';
    await page.setInputFiles('input[name="file"]', { ...file, name: "mu.csv", buffer: Buffer.from(mu) });
    await page.click('button:has-text("Show its columns")');
    await page.selectOption('[name="column.1"]', "fiat_gross");
    await page.selectOption('[name="column.2"]', "effective_at");
    await page.fill('[name="amount_marks"]', "$");
    await page.selectOption('[name="grouping"]', ",");
    await page.fill('[name="time_format"]', "MMM DD, YYYY hh:mm A");
    await page.click('button:has-text("Read the sample")');
    await expectText(page, "#maker tr:has-text('rejected')", "there is no fiat currency in this row");
    await page.fill('[name="constants_fiat_currency"]', "USD");
    await page.selectOption('[name="constants_status"]', "settled");
    await page.click('button:has-text("Read the sample")');
    await expectText(page, "#maker tr:has-text('M-1')", "1,200.50");
    await expectText(page, "#maker tr:has-text('M-1')", "settled");
    await page.fill('[name="name"]', "mu");
    await page.fill('[name="provider"]', "mu");
    await page.fill('[name="reason"]', "their only report");
    await page.click('button:has-text("Save profile")');
    await expectText(page, "#notice", "The profile mu is saved");
    expect(complaints).toEqual([]);
  });

  test("by keyboard and without a script: made, and retired with a reason", async () => {
    const { page } = await enter(admin, { script: false });
    await page.goto("/settings/profile-maker");
    await page.setInputFiles('input[name="file"]', { ...file, name: "lambda.csv" });
    await page.focus('button:has-text("Show its columns")');
    await page.keyboard.press("Enter");
    await page.waitForSelector("#maker");
    for (const [at, letters] of ["", "Status", "", "Fiat, with fees", "Settled at"].entries()) {
      if (letters === "") continue;
      await page.focus(`[name="column.${at}"]`);
      await page.keyboard.type(letters);
    }
    const typed: [string, string][] = [
      ["time_format", "DD.MM.YYYY HH:mm"],
      ["name", "lambda"],
      ["provider", "lambda"],
      ["reason", "another one"],
    ];
    for (const [name, text] of typed) {
      await page.focus(`[name="${name}"]`);
      await page.keyboard.press("Control+A");
      await page.keyboard.type(text);
    }
    // The first button of the form: the sample is read again, and what was typed stays.
    await page.keyboard.press("Enter");
    await page.waitForSelector("#read");
    await page.focus('button:has-text("Save profile")');
    await page.keyboard.press("Enter");
    await expectText(page, "#notice", "The profile lambda is saved");
    await page.focus('input[name="reason"]');
    await page.keyboard.type("made by mistake");
    await page.keyboard.press("Enter");
    await expectText(page, "#notice", "lambda is retired");
    expect(await page.locator('main a:has-text("lambda")').count()).toBe(0);
    const entries = await database.db.query(
      "select reason from tieout.audit_log where subject = 'lambda profile lambda' order by number",
    );
    expect(entries).toEqual([{ reason: "another one" }, { reason: "made by mistake" }]);
  });

  test("is free of barriers, in light, dark and on a phone", async () => {
    for (const look of [{}, { dark: true }, { phone: true }]) {
      const { page, complaints } = await enter(admin, look);
      await page.goto("/settings/profile-maker");
      await page.setInputFiles('input[name="file"]', file);
      await page.click('button:has-text("Show its columns")');
      await page.waitForSelector("#maker");
      expect([look, await barriersOn(page, look)]).toEqual([look, []]);
      const wider = await page.evaluate<number>(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth",
      );
      expect([look, wider > 0]).toEqual([look, false]);
      await keepScreenshot(page, `profile-maker-${Object.keys(look).join() || "light"}`);
      expect(complaints).toEqual([]);
    }
  });
});
