import { beforeAll, describe, expect, test } from "vitest";
import { readOnboarding } from "../../src/store/accounts/onboarding.ts";
import { stepsOf } from "../../src/web/settings/start/steps.ts";
import { findChromium } from "../support/chromium.ts";
import { aPerson, everyRole } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { barriersOn, expectText, useBrowser, usePage } from "./a-page.ts";
import { seedPage } from "./seed-page.ts";
import { takeStatement } from "./statement-file.ts";

const chromium = findChromium();

describe.runIf(chromium !== null)("getting started", () => {
  const database = useTestDatabase();
  const service = usePage(database);
  const { enter } = useBrowser(chromium ?? "", service, database);
  let admin: number;
  beforeAll(async () => {
    admin = await aPerson(database.db, everyRole, { name: "Ada" });
  });

  const doneBy = async (accountIds: number[] | null) =>
    stepsOf(await readOnboarding({ database: database.db, accountIds }, Date.now()))
      .filter(({ isDone }) => isDone)
      .map(({ name }) => name);

  test("an empty service has nothing done and says what is missing first", async () => {
    expect(await doneBy(null)).toEqual([]);
    const { page, complaints } = await enter(admin);
    await page.goto("/settings");
    await expectText(page, ".onboarding", "0 of 6 steps done. Next: Connect the aggregator");
    await page.click(".onboarding a:has-text('All steps')");
    await expectText(page, "main", "No account is configured: set UPSTREAM_BASE_URL");
    expect(complaints).toEqual([]);
  });

  test("each step is found in the tables, for the accounts that someone may see", async () => {
    const { db } = database;
    const completed = await seedPage(db, Date.now());
    await takeStatement(db, completed);
    // One account lost its key, and one has a gap: whoever sees both sees both.
    expect(await doneBy(null)).toEqual(["Import the first statement"]);
    expect(await doneBy([1])).toEqual(["Connect the aggregator", "Import the first statement"]);
    expect(await doneBy([2])).toEqual([]);
    await db.query(
      "update tieout.accounts set covered = tstzmultirange(tstzrange(sync_start, now())) where id = 1",
    );
    await db.query(
      `insert into tieout.provider_settings (account_id, provider, kind, version, value, saved_by)
       values (1, 'moonpay', 'calendar', 1, '{}', 'test')`,
    );
    await aPerson(db, "viewer", { name: "Vera" });
    expect(await doneBy([1])).toEqual([
      "Connect the aggregator",
      "Read the history",
      "Import the first statement",
      "Set when providers settle",
      "Invite people",
    ]);
  });

  test("the connection is tested by mouse, by keyboard and without a script, and no secret is shown", async () => {
    for (const script of [true, false]) {
      const { page, complaints } = await enter(admin, { script });
      await page.goto("/settings/start");
      await page.click('button:has-text("Test acme-eu")');
      await expectText(page, "#tested", "the key and the secret are good");
      await page.focus('button:has-text("Test acme-us")');
      await page.keyboard.press("Enter");
      // It answered: the key was refused.
      await expectText(page, "#tested", "does not work");
      await expectText(page, "#tested", "correct UPSTREAM_API_SECRET");
      expect(complaints).toEqual([]);
    }
    const viewer = await aPerson(database.db, "viewer", { name: "Victor" });
    const { page } = await enter(viewer);
    await page.goto("/settings/start");
    expect(await page.locator('button:has-text("Test acme")').count()).toBe(0);
  });

  test("is free of barriers, in light, dark and on a phone", async () => {
    for (const look of [{}, { dark: true }, { phone: true }]) {
      const { page } = await enter(admin, look);
      await page.goto("/settings/start");
      expect([look, await barriersOn(page, look)]).toEqual([look, []]);
    }
  });
});
