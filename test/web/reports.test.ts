import { beforeAll, describe, expect, test } from "vitest";
import { reports } from "../../src/report/catalogue.ts";
import { reportId } from "../../src/report/report.ts";
import { findChromium } from "../support/chromium.ts";
import { aPerson, cookieOf, everyRole } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { waitFor } from "../support/wait-for.ts";
import { parseCsv } from "../report/books.ts";
import { expectText, useBrowser, usePage } from "./a-page.ts";
import { seedPage } from "./seed-page.ts";
import { takeStatement } from "./statement-file.ts";

const database = useTestDatabase();
const service = usePage(database);
const cookies: Record<string, string> = {};
let admin: number;
beforeAll(async () => {
  await takeStatement(database.db, await seedPage(database.db, Date.now()));
  admin = await aPerson(database.db, everyRole);
  cookies["admin"] = await cookieOf(database.db, admin);
  cookies["viewer"] = await cookieOf(database.db, await aPerson(database.db, "viewer"));
  const ofUs = await aPerson(database.db, "viewer", { accountIds: [2] });
  cookies["ofUs"] = await cookieOf(database.db, ofUs);
});

/** Of all time, with what is there, however long it takes. */
const everything = "from=&to_day=&partial=true&wait=true";

describe("reports on screen", () => {
  test("are all in the list, but those that the visitor may not read", async () => {
    const listed = async (who: string) =>
      [...(await read("/reports", who)).matchAll(/href="\/reports\/([\w.-]+)"/g)].map(([, id]) => id);
    const all = reports.map(reportId);
    expect(new Set(await listed("admin"))).toEqual(new Set(all));
    expect(new Set(await listed("viewer"))).toEqual(new Set(all.filter((id) => id !== "audit-trail.v1")));
    expect((await get("/reports/audit-trail.v1", "viewer")).status).toBe(403);
    expect((await get("/reports/audit-trail.v1/csv", "viewer")).status).toBe(403);
    expect((await get("/reports/lost.v1", "viewer")).status).toBe(404);
    expect((await get("/reports/transactions.v1/docx", "viewer")).status).toBe(404);
  });

  test.each(reports.map(reportId))("say of %s as many rows as its files have", async (id) => {
    const shown = await read(`/reports/${id}?${everything}`);
    const rows = /<h2 id="totals">([\d,]+) rows?</.exec(shown)?.[1]?.replaceAll(",", "");
    const [, file = ""] = /download(?:="")? href="([^"]+)"/.exec(shown) ?? [];
    const answer = await get(file.replaceAll("&amp;", "&"));
    await answer.text();
    // Looking at a report is itself an entry of the audit log when its file is taken.
    expect([answer.status, answer.headers.get("report-rows")]).toEqual([200, rows]);
  });

  test("lead from an open error to the place where it is decided", async () => {
    const shown = await read(`/reports/open-errors.v1?wait=true`);
    const [, link = ""] = /href="(\/discrepancies\/\d+)"/.exec(shown) ?? [];
    expect((await get(link)).status).toBe(200);
  });

  test("offer a file for Xero in each currency", async () => {
    const shown = await read(`/reports/journal.v1?${everything}`);
    const links = [...shown.matchAll(/href="([^"]+layout=xero[^"]*)"/g)].map(([, link = ""]) => link);
    const currencies = [];
    for (const link of links) {
      const rows = parseCsv(await (await get(link.replaceAll("&amp;", "&"))).text());
      const found = new Set(rows.map((row) => row["TrackingOption2"]));
      expect(found.size).toBe(1);
      currencies.push(...found);
    }
    expect(currencies).toEqual(["EUR", "GBP", "JPY", "USD"]);
    expect(shown).toContain("CSV for Xero: a file for each currency");
  });

  test("show the sums of all rows by currency, and the first rows as they are in the file", async () => {
    const path = "/reports/transactions.v1";
    const shown = await read(`${path}?${everything}&provider=moonpay`);
    const csv = await (await get(`${path}/csv?partial=true&provider=moonpay`)).text();
    const rows = parseCsv(csv);
    expect(rows.length).toBeGreaterThan(20);
    const eur = rows.filter((row) => row["source_currency"] === "eur");
    const cents = eur.reduce((sum, row) => sum + Math.round(Number(row["in_amount"]) * 100), 0);
    const tables = [...shown.matchAll(/<table[\s\S]*?<\/table>/g)].map(([table]) => table);
    const [sums = "", first = ""] = [tables[0], tables.at(-1)];
    expect(sums.includes(`<data value="${String(cents / 100)}"`)).toBe(true);
    expect([...first.matchAll(/<tr data|<tr>/g)]).toHaveLength(1 + Math.min(200, rows.length));
    expect(first.includes(rows[0]?.["transaction_id"] ?? "?")).toBe(true);
  });

  test("say how many more rows the files have", async () => {
    const shown = await read(`/reports/transaction-statuses.v1?${everything}`);
    const [, rows = ""] = /<h2 id="totals">([\d,]+) rows</.exec(shown) ?? [];
    const more = `The first 200 rows; ${Number(rows.replace(",", "")) - 200} more`;
    expect(shown.includes(more)).toBe(true);
  });

  test("hold what the visitor's accounts hold, and wallets only for those who may see them", async () => {
    const shown = await read(`/reports/transactions.v1?${everything}`, "ofUs");
    expect(shown.includes('<h2 id="totals">60 rows')).toBe(true);
    expect(shown.includes("acme-eu")).toBe(false);
    const wallets = [...shown.matchAll(/data-label="Wallet address"><bdi[^>]*>([^<]+)/g)].map(
      ([, held]) => held,
    );
    expect(wallets).toHaveLength(60);
    expect(wallets.filter((held) => !/^0x[0-9a-f]{2}…[0-9a-f]{4}$/.test(held ?? ""))).toEqual([]);
    const foreign = await get(`/reports/transactions.v1?${everything}&account=acme-eu`, "ofUs");
    expect(foreign.status).toBe(400);
  });

  test("refuse a period with gaps and a wrong field in place, with what was filled in", async () => {
    const gap = await get("/reports/transactions.v1?from=&to_day=&provider=moonpay&wait=true");
    const text = await gap.text();
    expect(gap.status).toBe(409);
    expect(text.includes("has not been read completely")).toBe(true);
    const [, anyway = ""] = /href="([^"]+)">Show what has been read/.exec(text) ?? [];
    expect(anyway.replaceAll("&amp;", "&")).toBe(
      "/reports/transactions.v1?provider=moonpay&tz=UTC&from=&partial=true",
    );
    const wrong = await get("/reports/receivable.v1?as_at=soon");
    expect([wrong.status, (await wrong.text()).includes('value="soon"')]).toEqual([400, true]);
  });

  test("offer the month so far up to what has been read, and not to the end of today", async () => {
    const shown = await read("/reports/transactions.v1?partial=true&wait=true");
    const [, escaped = ""] = /href="([^"]+)"[^>]*>This month so far/.exec(shown) ?? [];
    const link = escaped.replaceAll("&amp;", "&");
    const query = new URLSearchParams(link.split("?")[1]);
    expect(query.get("from")).toMatch(/^\d{4}-\d\d-01$/);
    expect(query.get("to_day")).toBe("");
    const followed = await read(`${link}&wait=true`);
    expect(followed).toMatch(/aria-current="true"[^>]*>This month so far/);
  });

  test("keep a period by the second, and have files for other programs whatever columns are chosen", async () => {
    const month = "from=2026-10-01T00:00:00.000Z&to=2026-11-01T00:00:00.000Z";
    const shown = await read(`/reports/journal.v1?${month}&partial=true&columns=account,date&wait=true`);
    expect(shown.includes('name="from" value="2026-10-01T00:00:00.000Z"')).toBe(true);
    expect(shown.includes('name="to" value="2026-11-01T00:00:00.000Z"')).toBe(true);
    const [, xero = ""] = /href="([^"]+)">CSV for Xero, EUR/.exec(shown) ?? [];
    const answer = await get(xero.replaceAll("&amp;", "&"));
    await answer.text();
    expect(answer.status).toBe(200);
  });

  test("end their query when the visitor leaves", async () => {
    await whileLocked(async () => {
      const leave = new AbortController();
      const asked = get(`/reports/open-transactions.v1?${everything}`, "admin", leave.signal);
      await waitFor("it is being worked out", async () => (await copies()) === 1);
      leave.abort();
      await expect(asked).rejects.toThrow("aborted");
      await waitFor("its query is gone", async () => (await copies()) === 0);
    });
  });

  test("are not waited for: the form is there at once, and the rows are fetched from the query that was begun", async () => {
    const path = "/reports/open-transactions.v1?from=&to_day=&partial=true";
    let fetched: Promise<string> | undefined;
    await whileLocked(async () => {
      const first = await read(path);
      expect(first).toContain("The report is being prepared");
      const [, rest = ""] = /id="report-part"[^>]*hx-get="([^"]+)"/.exec(first) ?? [];
      fetched = read(rest.replaceAll("&amp;", "&"));
      await waitFor("it is asked for", async () => (await copies()) === 1);
    });
    expect(await fetched).toMatch(/<h2 id="totals">[\d,]+ rows?</);
  });

  test("are not made for a screen that was left", async () => {
    await whileLocked(async () => {
      await read("/reports/open-transactions.v1?from=&to_day=&partial=true");
      expect(await copies()).toBe(1);
      await waitFor("its query is gone", async () => (await copies()) === 0);
    });
  });
});

/** A report of transactions cannot be made meanwhile. */
async function whileLocked(use: () => Promise<void>): Promise<void> {
  await database.db.transaction(async (tx) => {
    await tx.query("lock table tieout.transactions in access exclusive mode");
    await use();
  });
}

const chromium = findChromium();

describe.runIf(chromium !== null)("reports on screen, in a real browser", () => {
  const { enter } = useBrowser(chromium ?? "", service, database);

  test("are asked, shown and kept as an export without a script", async () => {
    const { page, complaints } = await enter(admin, { script: false });
    await page.goto("/reports");
    await page.click(".report-list >> text=/^Transactions$/");
    await page.click("nav >> text=Everything");
    await page.selectOption('select[name="provider"]', "moonpay");
    await page.check('input[name="partial"]');
    await page.click('button:has-text("Show")');
    // Until it is loaded, the link to the rest may be missing because it has not arrived yet.
    await page.waitForURL((url) => url.searchParams.get("provider") === "moonpay");
    const rest = page.locator("noscript a");
    if ((await rest.count()) > 0) await rest.click();
    await expectText(page, "#totals", "rows");
    const rows = await page.textContent("#totals");
    await page.click("summary:has-text('Save as an export')");
    await page.click('button:has-text("Create export")');
    await page.waitForURL("**/exports/exp_*");
    await waitFor("it is written", async () => {
      await page.reload();
      return (await page.textContent("main"))?.includes("Control totals") ?? false;
    });
    await expectText(page, "#export", `What the file must add up to: ${rows}`);
    expect(complaints).toEqual([]);
  });
});

function get(path: string, who = "admin", signal?: AbortSignal): Promise<Response> {
  const headers = { cookie: cookies[who] ?? "" };
  return fetch(service.url + path, { headers, ...(signal === undefined ? {} : { signal }) });
}

async function read(path: string, who?: string): Promise<string> {
  const answer = await get(path, who);
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.text();
}

async function copies(): Promise<number> {
  const found = await database.db.query(
    "select pid from pg_stat_activity where query like 'copy (%' and state = 'active' and datname = current_database()",
  );
  return found.length;
}
