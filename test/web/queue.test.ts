import { beforeAll, describe, expect, test } from "vitest";
import { findChromium } from "../support/chromium.ts";
import { aPerson, everyRole } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { barriersOn, download, expectText, keepScreenshot, useBrowser, usePage } from "./a-page.ts";
import { seedPage } from "./seed-page.ts";
import { takeStatement } from "./statement-file.ts";

const chromium = findChromium();

describe.runIf(chromium !== null)("the queue", () => {
  const database = useTestDatabase();
  const service = usePage(database);
  const { enter } = useBrowser(chromium ?? "", service, database);
  let ada: number;
  beforeAll(async () => {
    await takeStatement(database.db, await seedPage(database.db, Date.now()));
    ada = await aPerson(database.db, everyRole, { name: "Ada" });
    await aPerson(database.db, "accountant", { name: "Grace" });
  });

  test("by keyboard alone: closing one opens the next without a reload, with the focus there, and can be undone", async () => {
    const { page, complaints } = await enter(ada);
    await page.goto("/discrepancies?code=stale_open");
    await page.evaluate("window.loadedOnce = true");
    const titles = () =>
      page.$$eval(".queue-item", (items) => items.map((item) => item.getAttribute("href")));
    const [first, second] = await titles();
    await page.keyboard.press("e");
    await page.keyboard.type("asked the provider");
    await page.keyboard.press("Enter");
    await expectText(page, "#notice", "1 discrepancy resolved");
    expect(new URL(page.url()).pathname).toBe(second?.split("?")[0]);
    expect(await titles()).not.toContain(first);
    expect(await page.evaluate("document.activeElement.getAttribute('href')")).toBe(second);
    expect(await page.evaluate("window.loadedOnce")).toBe(true);
    await page.focus("#notice [data-undo]");
    await page.keyboard.press("Enter");
    await expectText(page, "#notice", "open again");
    expect(await titles()).toContain(first);
    // What was taken back is looked at again.
    expect(new URL(page.url()).pathname).toBe(first?.split("?")[0]);
    expect(complaints).toEqual([]);
  });

  test("owners are people, by mouse, and the way back keeps who owned it before", async () => {
    const { page } = await enter(ada);
    await page.goto("/discrepancies?code=missing_from_records");
    await page.selectOption('#detail select[name="owner"]', "Grace");
    await page.click('#detail button:has-text("Assign")');
    await expectText(page, "#notice", "assigned");
    await expectText(page, "#detail .facts", "Grace");
    await page.click('#detail button:has-text("Assign to me")');
    await expectText(page, "#detail .facts", "Ada");
    await page.click("#notice [data-undo]");
    await expectText(page, "#detail .facts", "Grace");
    expect(await page.locator("#detail .facts").innerText()).not.toContain("Ada");
  });

  test("sorts by value, age and provider, and shows errors or warnings alone", async () => {
    const { page } = await enter(ada);
    const values = async (query: string) => {
      await page.goto(`/discrepancies?${query}`);
      return page.$$eval(".queue-head data", (found) =>
        found.map((one) => ({
          value: Number(one.getAttribute("value")),
          currency: one.parentElement?.querySelector(".currency")?.textContent ?? "",
        })),
      );
    };
    // Currency by currency: amounts of different ones cannot be compared.
    const byCurrency = (one: { currency: string }, other: { currency: string }) =>
      one.currency < other.currency ? -1 : Number(one.currency > other.currency);
    const highest = await values("sort=-value");
    expect(highest.length).toBeGreaterThan(3);
    expect(highest).toEqual(highest.toSorted((a, b) => byCurrency(a, b) || b.value - a.value));
    expect(await values("sort=value")).toEqual(
      highest.toSorted((a, b) => byCurrency(a, b) || a.value - b.value),
    );
    expect(await values("level=error")).toHaveLength(2);
    expect((await values("level=warning")).length + 2).toBe(highest.length);
  });

  test("says what a discrepancy means and what to do, and tells a filter without hits from books that agree", async () => {
    const { page } = await enter(ada);
    await page.goto("/discrepancies?code=missing_from_records");
    await expectText(page, "#detail", "What to do: check whether another account has it");
    await page.goto("/discrepancies?code=payout_short");
    await expectText(page, "#queue", "No discrepancies match these filters");
    expect(await page.locator("#queue").innerText()).not.toContain("Nothing disagrees");
    await page.goto("/discrepancies?show=closed&code=payout_short");
    await expectText(page, "#queue", "No discrepancies match these filters");
  });

  test("a view is saved under a name, and everyone finds it", async () => {
    const { page } = await enter(ada);
    await page.goto("/discrepancies?level=error&sort=-value");
    await page.click("summary:has-text('Views')");
    await page.fill('#save-view input[name="name"]', "Errors, largest first");
    await page.click('#save-view button:has-text("Save")');
    await expectText(page, "#notice", "is saved");
    // The same name again is refused where it was typed.
    await page.click("summary:has-text('Views')");
    await page.fill('#save-view input[name="name"]', "errors, LARGEST first");
    await page.click('#save-view button:has-text("Save")');
    await expectText(page, "#save-view [role=alert]", "already");
    const other = await enter(await aPerson(database.db, "viewer"));
    await other.page.goto("/discrepancies");
    await other.page.click("summary:has-text('Views')");
    await other.page.click("text=Errors, largest first");
    await other.page.waitForURL(/level=error&sort=-value/);
    expect(await other.page.locator(".queue-head").count()).toBeGreaterThan(0);
  });

  test("all that match a filter are decided together, after a look at how many and how much", async () => {
    const { page } = await enter(ada);
    await page.goto("/discrepancies?level=warning");
    await page.click("summary:has-text('Bulk actions')");
    await page.click("text=/All \\d+ that match these filters/");
    await page.waitForURL(/bulk\?level=warning/);
    const [open] = await database.db.query<{ count: number; gbp: string }>(
      `select count(*)::int as count, trim_scale(sum(value) filter (where value_currency = 'GBP'))::text as gbp
       from tieout.discrepancies where level = 'warning' and state = 'open'`,
    );
    await expectText(page, "#bulk-title", `${open?.count} discrepancies: warnings`);
    expect(await page.getAttribute("tr:has-text('GBP') data", "value")).toBe(open?.gbp);
    // Without a reason it is refused here, and nothing is lost.
    await page.click('button:has-text("Resolve")');
    await expectText(page, "#bulk [role=alert]", "Give a reason");
    await page.fill('#bulk input[name="reason"]', "all asked for");
    // Enter decides nothing: it might have been meant for another button.
    const sent: string[] = [];
    page.on("request", (request) => void (request.method() === "POST" && sent.push(request.url())));
    await page.keyboard.press("Enter");
    await page.click('button:has-text("Resolve")');
    await expectText(page, "#notice", `${open?.count} discrepancies resolved`);
    expect(sent).toHaveLength(1);
    await page.click("#notice [data-undo]");
    await expectText(page, "#notice", `${open?.count} discrepancies open again`);
  });

  test("a file is attached by what it is, and comes back as a file", async () => {
    const { page } = await enter(ada);
    await page.goto("/discrepancies?code=in_amount_mismatch");
    const attach = async (name: string, content: string) => {
      if (!(await page.isVisible('#detail input[type="file"]'))) await page.click("text=Attach a file");
      await page.setInputFiles('#detail input[type="file"]', {
        name,
        mimeType: "application/pdf",
        buffer: Buffer.from(content),
      });
      await page.click('button:text-is("Attach")');
    };
    await attach("harmless.pdf", "<html><script>window.hacked = true</script></html>");
    await expectText(page, "#detail [role=alert]", "Only PDF");
    await attach("mail.txt", "Dear Ada,\nwe were short by 5.\n");
    await expectText(page, "#notice", "attached");
    const text = await download(page, () => page.click("#detail a[download]"));
    expect(text).toBe("Dear Ada,\nwe were short by 5.\n");
    const path = await page.getAttribute("#detail a[download]", "href");
    const answer = await page.context().request.get(path ?? "");
    expect(answer.headers()["content-type"]).toBe("application/octet-stream");
    expect(answer.headers()["content-disposition"]).toMatch(/^attachment;/);
    const audited = await database.db.query<{ action: string }>(
      "select distinct action from tieout.audit_log where action like 'attachment.%' order by 1",
    );
    expect(audited.map(({ action }) => action)).toEqual(["attachment.added", "attachment.downloaded"]);
    const stranger = await enter(await aPerson(database.db, "viewer", { accountIds: [2] }));
    expect((await stranger.page.context().request.get(path ?? "")).status()).toBe(404);
  });

  test("is free of barriers with everything open", async () => {
    for (const look of [{}, { dark: true }, { phone: true }]) {
      const { page, complaints } = await enter(ada, look);
      for (const path of ["/discrepancies?code=in_amount_mismatch", "/discrepancies/bulk"]) {
        await page.goto(path);
        if (path.includes("?")) {
          await page.click("summary:has-text('Bulk actions')");
          await page.click("text=Attach a file");
        }
        expect([path, look, await barriersOn(page, look)]).toEqual([path, look, []]);
        await keepScreenshot(
          page,
          `queue${path.includes("bulk") ? "-bulk" : ""}-${Object.keys(look).join() || "light"}`,
        );
      }
      expect(complaints).toEqual([]);
    }
  });
});
