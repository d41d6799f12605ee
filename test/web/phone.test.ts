import { beforeAll, describe, expect, test } from "vitest";
import { findChromium } from "../support/chromium.ts";
import { aPerson, everyRole } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { everythingIsHere, useBrowser, usePage } from "./a-page.ts";
import { screensOf } from "./screens.ts";
import { seedPage } from "./seed-page.ts";
import { takeStatement } from "./statement-file.ts";

const chromium = findChromium();

describe.runIf(chromium !== null)("on a phone", () => {
  const database = useTestDatabase();
  const service = usePage(database);
  const { enter } = useBrowser(chromium ?? "", service, database);
  let ada: number;
  beforeAll(async () => {
    const completed = await seedPage(database.db, Date.now());
    ada = await aPerson(database.db, everyRole);
    await takeStatement(database.db, completed);
  });

  test("an amount of ten digits stays on one line", { timeout: 120_000 }, async () => {
    const { page } = await enter(ada, { phone: true });
    const screens = (await screensOf(database.db)).filter(([name]) =>
      ["overview", "discrepancies", "payouts", "payout", "transactions", "statement"].includes(name),
    );
    const seen: string[] = [];
    const cut: string[] = [];
    for (const [name, path] of screens) {
      await page.goto(path);
      await everythingIsHere(page);
      const [count, cutInTwo] = await page.evaluate<[number, number]>(`(() => {
        const amounts = [...document.querySelectorAll("main td .money data")].filter((one) => one.offsetParent);
        for (const one of amounts) one.innerHTML = '10,037,602<span class="fraction">.93</span>';
        const top = (element) => element.getBoundingClientRect().top;
        return [amounts.length, amounts.filter((one) => top(one.lastChild) - top(one) > 8).length];
      })()`);
      if (count > 0) seen.push(name);
      if (cutInTwo > 0) cut.push(name);
    }
    expect(seen).toContain("overview");
    expect(cut).toEqual([]);
  });

  test("the steps of a payout fit beside their amounts and currencies", async () => {
    const { page } = await enter(ada, { phone: true });
    const [, path = ""] = (await screensOf(database.db)).find(([name]) => name === "payout") ?? [];
    await page.goto(path);
    await everythingIsHere(page);
    const hidden = await page.evaluate<number>(
      `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector(".table-frame:has(> .waterfall)"))`,
    );
    expect(hidden).toBe(0);
  });
});
