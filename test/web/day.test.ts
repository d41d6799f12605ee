import { stat } from "node:fs/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { findChromium } from "../support/chromium.ts";
import { aPerson, everyRole } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { download, everythingIsHere, expectText, keepScreenshot, useBrowser, usePage } from "./a-page.ts";
import { screensOf } from "./screens.ts";
import { addHostile, hostile, type SeededTransaction, seedPage } from "./seed-page.ts";
import { statementFile } from "./statement-file.ts";

const chromium = findChromium();

describe.runIf(chromium !== null)("people at work, in a real browser", () => {
  const database = useTestDatabase();
  const service = usePage(database);
  const { signIn, enter } = useBrowser(chromium ?? "", service, database);
  let completed: SeededTransaction[];
  let admin: number;
  beforeAll(async () => {
    completed = await seedPage(database.db, Date.now());
    admin = await aPerson(database.db, everyRole, { name: "Ada" });
  });

  test("a finance person's day: from the sign-in to the month's file", async () => {
    const grace = await aPerson(database.db, "accountant", { name: "Grace" });
    const { page, complaints } = await signIn(grace);
    // A stale account is seen at once, and leads to where it can be looked at.
    await expectText(page, ".card", "1 of 2 not read");
    await keepScreenshot(page, "day-1-overview");
    await page.click(".card:has-text('not read')");
    await page.waitForURL("**/sync");
    await expectText(page, "body", "correct UPSTREAM_API_SECRET, and start again");

    // A statement is dropped, and its problems are read before anything is written.
    await page.click("nav >> text=Statements");
    await page.setInputFiles('input[type="file"]', {
      name: "moonpay-2026-11.csv",
      mimeType: "text/csv",
      buffer: Buffer.from(statementFile(completed)),
    });
    await page.selectOption('select[name="account"]', "acme-eu");
    await page.click('button:has-text("Preview")');
    await page.waitForSelector("#preview-title");
    await expectText(page, "#preview", "2 rejected");
    await expectText(page, "#preview", '"1,200.50" is not an amount');
    expect(await count("statements")).toBe(0);
    await keepScreenshot(page, "day-2-preview");
    await page.click('button:has-text("Import ")');
    await page.waitForURL("**/statements/*");
    await expectText(page, "#notice", "2 rejected");
    expect(await count("statements")).toBe(1);
    const rejects = await download(page, () => page.click("text=Download all 2"));
    expect(rejects.split("\r\n")).toHaveLength(4);
    expect(rejects).toContain("row_unparseable");
    const original = await download(page, () => page.click("text=Download the original"));
    expect(original).toBe(statementFile(completed));

    // The amount that is short is found, and resolved with a reason.
    await page.goto("/discrepancies?code=in_amount_mismatch");
    await expectText(page, "#detail", "What the customer paid differs");
    await keepScreenshot(page, "day-3-discrepancy");
    await page.keyboard.press("e");
    await page.keyboard.type("credited on the next statement");
    await page.click('#detail button:has-text("Resolve")');
    await expectText(page, "#notice", "1 discrepancy resolved");
    await page.goto("/discrepancies?code=in_amount_mismatch&show=closed");
    await expectText(page, "#detail", "credited on the next statement");

    // The month goes into a file whose totals can be checked.
    await page.goto("/reports/transactions.v1");
    expect(await page.inputValue('input[name="from"]')).toMatch(/^\d{4}-\d\d-01$/);
    await page.click("text=Everything");
    await page.waitForURL(/from=&to_day=/);
    await page.selectOption('select[name="account"]', "acme-eu");
    await page.check('input[name="partial"]');
    await page.click('button:has-text("Show")');
    await page.click("text=Save as an export");
    await page.click('button:has-text("Create export")');
    await page.waitForSelector("text=succeeded");
    await expectText(page, "#export", "Control totals");
    await keepScreenshot(page, "day-4-export");
    const csv = await download(page, () => page.click("#export a[download]"));
    const rows = csv.trim().split("\r\n");
    expect(rows[0]).toContain("transaction_id");
    expect(rows).toHaveLength(1 + (await count("transactions where account_id = 1")));

    await page.click("summary:has-text('Grace')");
    await page.click('button:has-text("Sign out")');
    await page.waitForURL("**/sign-in");
    await page.goto("/overview");
    expect(new URL(page.url()).pathname).toBe("/sign-in");
    expect(complaints).toEqual([]);
  });

  test("an accountant narrows the list, reads its totals per currency and takes exactly that as CSV", async () => {
    const { page, complaints } = await enter(await aPerson(database.db, "accountant"), { dark: true });
    await page.goto("/transactions");
    await page.selectOption('select[name="status"]', "completed");
    await page.waitForURL(/status=completed/);
    await page.selectOption('select[name="provider"]', "moonpay");
    await page.waitForURL(/provider=moonpay/);
    await page.click("text=Columns");
    await page.check('input[value="provider_transaction_id"]');
    await page.waitForURL(/columns=/);
    const shown = await page.textContent("#summary");
    const csv = await download(page, () => page.click("text=CSV of this list"));
    const [header, ...rows] = csv.slice(0, -2).split("\r\n");
    expect(header).toBe(
      "\uFEFFstatus_at,transaction_id,status,transaction_type,provider,in_amount,source_currency,out_amount,target_currency,payment_method,country,provider_transaction_id",
    );
    expect(shown).toContain(`${rows.length} transactions`);
    expect(rows.every((row) => row.includes(",completed,") && row.includes(",moonpay,"))).toBe(true);
    // The same filters in the address of a new window are the same view.
    const eur = rows.map((row) => row.split(",")).filter((cells) => cells[6] === "eur");
    const cents = eur.reduce((sum, cells) => sum + Math.round(Number(cells[5]) * 100), 0);
    const total = (cents / 100).toLocaleString("en", { minimumFractionDigits: 2 });
    await page.goto(page.url());
    await expectText(page, ".totals", `${total} EUR`);
    await keepScreenshot(page, "accountant-transactions-dark");
    expect(complaints).toEqual([]);
  });

  test("an engineer follows one transaction on a phone: its readings, its hash, its record, its line", async () => {
    const { page, complaints } = await enter(admin, { phone: true });
    const one = completed.find(({ provider }) => provider === "moonpay");
    await page.goto("/overview");
    await page.fill("[data-find]", one?.hash ?? "");
    await page.keyboard.press("Enter");
    // Its transaction and its line have this hash.
    await page.click(".hits a:has-text('transaction')");
    await page.waitForURL(/transactions\/one/);
    await expectText(page, "main", "Record as received");
    await expectText(page, "pre", '"transactionId"');
    expect(await page.getAttribute("a.outside", "href")).toMatch(/^https:\/\/[a-z.]+\/.*0?x?[0-9a-f]{64}$/);
    await expectText(page, "#reconciliation >> xpath=../..", "agrees");
    await keepScreenshot(page, "engineer-transaction-phone");
    const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
    expect(overflow).toBeLessThanOrEqual(0);
    expect(complaints).toEqual([]);
  });

  test("two people on one item cannot overwrite each other", async () => {
    const first = await enter(admin);
    const second = await enter(await aPerson(database.db, "accountant", { name: "Edsger" }));
    for (const { page } of [first, second]) await page.goto("/discrepancies?code=missing_from_records");
    await first.page.click('#detail button:has-text("Assign to me")');
    await expectText(first.page, "#notice", "assigned");
    await second.page.fill('#detail [data-key="e"]', "mine");
    await second.page.click('#detail button:has-text("Resolve")');
    await expectText(second.page, "body", "Someone else changed this discrepancy");
    await first.page.reload();
    await expectText(first.page, "#detail", "Ada");
    expect(await count("discrepancies where code = 'missing_from_records' and state = 'resolved'")).toBe(0);
  });

  test("makes the pictures of the README", async () => {
    const { page } = await enter(admin);
    const lines = new Map(await screensOf(database.db)).get("line") ?? "";
    for (const [name, path] of [
      ["overview", "/overview"],
      ["line", lines],
      ["discrepancies", "/discrepancies"],
      ["close", "/close"],
      ["report", "/reports/receivable.v1?from=&to_day=&partial=true"],
    ] as const) {
      // The workspace has the most text, and a picture may have 200 kB.
      await page.setViewportSize(
        name === "line" ? { width: 1280, height: 700 } : { width: 1440, height: 900 },
      );
      await page.goto(path);
      await everythingIsHere(page);
      if (name === "discrepancies") {
        await page.click(".queue-item:has-text('missing from records')");
        await expectText(page, "#detail", "Statement line");
      }
      await page.waitForLoadState("networkidle");
      const file =
        process.env["UPDATE_DOCS"] === "1" ? `docs/images/${name}.png` : `artifacts/web/readme-${name}.png`;
      await page.screenshot({ path: file });
      expect((await stat(file)).size).toBeLessThan(200 * 1024);
    }
  });

  test("shows hostile data as text, on every screen", async () => {
    await addHostile(database.db, 1, Date.now());
    await database.db.query(
      `update tieout.discrepancies set owner = $1, expected_text = $2 where id in (select id from tieout.discrepancies where state = 'open' limit 3)`,
      [`<img src=x onerror="window.hacked = true">`, "<script>window.hacked = true</script>"],
    );
    await database.db.query("delete from tieout.daily_totals_progress; delete from tieout.daily_totals");
    const { page, complaints } = await enter(admin);
    const one = `/transactions/one?${new URLSearchParams({ account: "acme-eu", id: hostile.id }).toString()}`;
    for (const [, path] of [...(await screensOf(database.db)), ["hostile", one] as const]) {
      await page.goto(path);
      await page.hover("main");
      expect([path, await page.evaluate("window.hacked")]).toEqual([path, undefined]);
      const foreign = await page.$$eval("main :is(script, img, b, iframe)", (found) => found.length);
      expect([path, foreign]).toEqual([path, 0]);
    }
    await page.goto(one);
    await expectText(page, "h1", hostile.id);
    await expectText(page, "main", "123,456,789,012.123456789012345678");
    await expectText(page, "main", "0.000000000000000001");
    await expectText(page, "main", hostile.provider);
    expect(await page.$("a.outside")).toBeNull();
    await keepScreenshot(page, "hostile-transaction");
    const csv = await (
      await page
        .context()
        .request.get("/transactions.csv?source_currency=" + encodeURIComponent(hostile.currency))
    ).text();
    expect(csv).toContain("'=cmd|");
    expect(csv).toContain("123456789012.123456789012345678");
    expect(complaints).toEqual([]);
  });

  async function count(what: string): Promise<number> {
    const [row] = await database.db.query<{ count: number }>(
      `select count(*)::int as count from tieout.${what}`,
    );
    return row?.count ?? 0;
  }
});
