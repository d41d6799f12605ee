import { beforeAll, describe, expect, test } from "vitest";
import { findChromium } from "../support/chromium.ts";
import { aPerson, everyRole } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { expectText, useBrowser, usePage } from "./a-page.ts";
import { type SeededTransaction, seedPage } from "./seed-page.ts";
import { statementFile } from "./statement-file.ts";

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
  });

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
    await choose("one.csv", statementFile(completed));
    await page.click('button:has-text("Preview")');
    await expectText(page, "#preview", "2 rejected");
    await choose("two.csv", statementFile(completed.slice(0, 40)));
    expect(await page.textContent("#preview")).toBe("");
    await page.click('button:has-text("Preview")');
    await expectText(page, "#preview", "two.csv");
  });
});
