import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { linkAddress, makeLink } from "../../src/access/sign-in.ts";
import { aKey } from "../api/an-api.ts";
import { findChromium } from "../support/chromium.ts";
import { aPerson, everyRole } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { barriersOn, everythingIsHere, expectText, keepScreenshot, useBrowser, usePage } from "./a-page.ts";
import { compareWithKept, differences, linesOf, type Picture, takePicture } from "./pictures.ts";
import { takeReceipts } from "./receipt-file.ts";
import { makeExport, screensOf } from "./screens.ts";
import { seedPage } from "./seed-page.ts";
import { takeStatement } from "./statement-file.ts";

const chromium = findChromium();

describe.runIf(chromium !== null)("the page, in a real browser", () => {
  const database = useTestDatabase();
  const service = usePage(database);
  const { visit, enter } = useBrowser(chromium ?? "", service, database);
  let admin: number;
  beforeAll(async () => {
    const completed = await seedPage(database.db, Date.now());
    admin = await aPerson(database.db, everyRole, { name: "Ada" });
    await takeStatement(database.db, completed);
    await takeReceipts(database.db);
    await makeExport(service, await aKey(database.db, "admin"));
  });

  test("a reader sees no action, and is refused when forging one", async () => {
    const { page } = await enter(await aPerson(database.db, "viewer"));
    const refused: string[] = [];
    const withForms: string[] = [];
    for (const [name, path] of await screensOf(database.db)) {
      const answer = await page.context().request.get(path);
      expect([200, 403]).toContain(answer.status());
      if (answer.status() === 403) refused.push(name);
      const [, main = ""] = (await answer.text()).split("<main");
      if (main.includes('<form method="post"')) withForms.push(name);
    }
    expect(refused).toEqual([
      "exports",
      "export",
      "people",
      "keys",
      "audit",
      "webhooks",
      "alerts",
      "profile-maker",
    ]);
    // Everyone chooses their own time zone. Passkeys are made under a name, and here the page has an address only.
    expect(withForms).toEqual(["settings"]);
    await page.goto("/overview");
    expect(await page.$("nav >> text=Exports")).toBeNull();
    const cookies = await page.context().cookies();
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
    const csrf = (await page.getAttribute("body", "hx-headers")) ?? "";
    const token = (JSON.parse(csrf) as Record<string, string>)["X-CSRF-Token"] ?? "";
    for (const path of [
      "/discrepancies/change",
      "/discrepancies/workbook/preview",
      "/discrepancies/workbook",
      "/statements/preview",
      "/statements/import",
      "/statements/withdraw",
      "/receipts/preview",
      "/receipts/import",
      "/receipts/lines/match",
      "/receipts/lines/unmatch",
      "/receipts/withdraw",
      "/sync/pause",
      "/sync/resume",
      "/sync/backfill",
      "/exports",
      "/exports/cancel",
    ]) {
      const answer = await fetch(service.url + path, {
        method: "POST",
        redirect: "manual",
        headers: { cookie, origin: service.url, "x-csrf-token": token },
        body: new URLSearchParams({
          csrf: token,
          account: "acme-eu",
          seen: "1:1",
          action: "reopen",
          reason: "forged",
        }),
      });
      expect([path, answer.status]).toEqual([path, 403]);
    }
    // What a file or a row may hide stays hidden as well.
    await page.goto("/transactions?columns=wallet_address");
    expect(await page.textContent("table.list tbody tr td:last-child")).toMatch(
      /^0x[0-9a-f]{2}…[0-9a-f]{4}$/,
    );
  });

  test("the keyboard walks the list, finds and helps, and can be silenced", async () => {
    const { page } = await enter(admin);
    await page.goto("/transactions");
    const focused = () =>
      page.evaluate<string>("document.activeElement.closest('tr')?.rowIndex ?? document.activeElement.name");
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    expect(await focused()).toBe(2);
    await page.keyboard.press("k");
    expect(await focused()).toBe(1);
    await page.keyboard.press("?");
    await page.waitForSelector("dialog[open]");
    await page.click("dialog button");
    await page.keyboard.press("/");
    expect(await focused()).toBe("q");
    await page.click("summary:has-text('View')");
    await page.click('button[name="shortcuts"][value="off"]');
    await page.waitForSelector('html[data-shortcuts="off"]');
    await page.keyboard.press("?");
    expect(await page.$("dialog[open]")).toBeNull();
  });

  test("times follow the reader's zone, and the theme their choice", async () => {
    const { page } = await enter(admin);
    await page.goto("/transactions");
    const utc = await page.textContent("table.list tbody time");
    await page.click("button:has-text('Local')");
    await expectText(page, ".foot", "Times in Europe/Berlin");
    const local = await page.textContent("table.list tbody time");
    expect(Date.parse(`${local}Z`) - Date.parse(`${utc}Z`)).toBeGreaterThan(0);
    await page.click("summary:has-text('View')");
    await page.click('button[name="theme"][value="dark"]');
    await page.waitForSelector('html[data-theme="dark"]');
    expect(await page.evaluate("getComputedStyle(document.documentElement).backgroundColor")).toBe(
      "rgb(16, 21, 27)",
    );
    await page.goto("/settings");
    await page.selectOption('main select[name="zone"]', "Asia/Tokyo");
    await page.click('button:has-text("Use this zone")');
    await expectText(page, ".foot", "Asia/Tokyo");
  });

  test("a link signs in once, after a click, and then never again", async () => {
    const token = await database.db.transaction((tx) =>
      makeLink(tx, randomBytes, { purpose: "sign_in", personId: admin, createdBy: "test" }),
    );
    const link = linkAddress(service.url, token);
    const first = await visit();
    // Looking at it does not use it up.
    await fetch(link);
    await first.page.goto(link);
    await first.page.click('button:has-text("Sign in")');
    await first.page.waitForURL("**/overview");
    await expectText(first.page, ".foot", "Ada");
    const second = await visit();
    await second.page.goto(link);
    await expectText(second.page, "[role=alert]", "has been used");
    expect(new URL(second.page.url()).pathname).toBe("/sign-in");
  });

  test("reads without a script", async () => {
    const { page } = await enter(admin, { script: false });
    await page.goto("/transactions");
    await page.selectOption('select[name="status"]', "failed");
    await page.click('button:has-text("Apply")');
    expect(page.url()).toMatch(/\?status=failed$/);
    expect(await page.$$eval("table.list tbody tr", (rows) => rows.length)).toBeGreaterThan(3);
    await page.click("table.list tbody th a");
    await expectText(page, "main", "Story");
    await page.goto("/overview");
    await expectText(page, "#by-day", "Completion");
  });

  test(
    "every screen is free of barriers and looks as it was kept, in light and dark, on desktop and phone",
    { timeout: 600_000 },
    async () => {
      const screens = [...(await screensOf(database.db)), ["sign-in", "/sign-in"] as const];
      const looks = [
        { name: "light-desktop", phone: false, dark: false },
        { name: "dark-desktop", phone: false, dark: true },
        { name: "dark-phone", phone: true, dark: true },
      ];
      const trouble: string[] = [];
      await Promise.all(
        looks.map(async (look) => {
          const { page, complaints } = await enter(admin, look);
          const pictures: Record<string, Picture> = {};
          for (const [name, path] of screens) {
            await page.goto(path);
            await everythingIsHere(page);
            const wider = await page.evaluate<number>(
              "document.documentElement.scrollWidth - document.documentElement.clientWidth",
            );
            if (wider > 0) trouble.push(`${look.name} ${path}: scrolls sideways by ${wider}`);
            await keepScreenshot(page, `${name}-${look.name}`);
            pictures[name] = await takePicture(page);
            trouble.push(...(await barriersOn(page, look)).map((found) => `${look.name} ${path}: ${found}`));
          }
          trouble.push(...(await compareWithKept(look.name, pictures)));
          trouble.push(...complaints);
        }),
      );
      expect(trouble).toEqual([]);
    },
  );

  test("a picture is another one without a layer of the style sheet, and the same in another font", async () => {
    const { page } = await enter(admin, { phone: true });
    const changedBy = async (change: string) => {
      await page.goto("/overview");
      await everythingIsHere(page);
      const kept = linesOf({ overview: await takePicture(page) });
      await page.evaluate(change);
      return differences(kept, linesOf({ overview: await takePicture(page) }));
    };
    for (const layer of ["tokens", "base", "parts", "screens", "phone"]) {
      const without = `for (const sheet of document.styleSheets) {
        for (let at = sheet.cssRules.length - 1; at >= 0; at--) {
          if (sheet.cssRules[at].name === "${layer}") sheet.deleteRule(at);
        }
      }`;
      expect([layer, (await changedBy(without)).length > 0]).toEqual([layer, true]);
    }
    const inSerif = `document.styleSheets[0].insertRule(":root { --sans: 'DejaVu Serif', serif; --mono: serif }")`;
    expect(await changedBy(inSerif)).toEqual([]);
  });
});
