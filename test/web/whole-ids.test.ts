import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { findChromium } from "../support/chromium.ts";
import { aPerson, everyRole } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { useBrowser, usePage } from "./a-page.ts";
import { seedPage } from "./seed-page.ts";
import { statementFile, takeFile } from "./statement-file.ts";

const chromium = findChromium();

describe.runIf(chromium !== null)("an id that is cut off", () => {
  const database = useTestDatabase();
  const service = usePage(database);
  const { enter } = useBrowser(chromium ?? "", service, database);
  let ada: number;
  let path = "";
  let transaction = "";
  let ours = "";
  let theirs = "";
  beforeAll(async () => {
    const completed = await seedPage(database.db, Date.now());
    // As someone would who makes a hash that looks like ours: it ends in something else.
    const order = completed.filter(({ provider }) => provider === "moonpay")[5];
    transaction = `/transactions/one?account=acme-eu&id=${order?.id}`;
    ours = order?.hash ?? "";
    theirs = ours.slice(0, -1) + (ours.endsWith("0") ? "1" : "0");
    const text = statementFile(completed).replace(ours, theirs);
    await takeFile(database.db, { name: "moonpay-2026-11.csv", text, provider: null });
    const [line] = await database.db.query<{ at: string }>(
      `select concat('/statements/', statement_id, '/lines/', line_no) as at
       from reporting.statement_lines where transaction_hash = $1`,
      [theirs],
    );
    path = line?.at ?? "";
    ada = await aPerson(database.db, everyRole, { name: "Ada" });
  });

  /** What stands in the rows of the comparison, and whether all of it can be seen. */
  const idsIn = (page: Page, rows: string) =>
    page.$$eval(`table.compare tbody tr${rows} .given`, (found) =>
      found.map((one) => ({
        text: one.textContent,
        isCut: one.scrollWidth > one.clientWidth,
        title: one.getAttribute("title"),
      })),
    );

  test.each([{}, { phone: true }])("is shown whole where both sides differ %j", async (look) => {
    const { page } = await enter(ada, look);
    for (const screen of [path, transaction]) {
      await page.goto(screen);
      const differing = await idsIn(page, ".differs");
      expect(differing.map(({ text }) => text)).toEqual([ours, theirs]);
      expect(differing.map(({ isCut }) => isCut)).toEqual([false, false]);
    }
  });

  test("stands in full behind the pointer everywhere else", async () => {
    const { page } = await enter(ada);
    await page.goto(path);
    const cut = (await idsIn(page, ":not(.differs)")).filter(({ isCut }) => isCut);
    // One that is too long for its column by a little.
    expect(cut.map(({ text }) => text)).toContain("settled (completed)");
    expect(cut.filter(({ text, title }) => text !== title)).toEqual([]);
  });
});
