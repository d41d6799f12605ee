import { randomBytes } from "node:crypto";
import { mkdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { linkAddress, makeLink } from "../../src/access/sign-in.ts";
import type { Api, ApiDeps } from "../../src/api/deps.ts";
import { periodRoutes } from "../../src/api/periods/routes.ts";
import { exportRoutes } from "../../src/api/exports/routes.ts";
import { reportRoutes } from "../../src/api/reports/routes.ts";
import { webhookRoutes } from "../../src/api/webhooks/routes.ts";
import { statementActions } from "../../src/commands/statement-actions.ts";
import { endpointUrlCheck } from "../../src/notify/endpoint-url.ts";
import { createFolderFiles } from "../../src/store/files/folder-files.ts";
import { runExports } from "../../src/report/run-export.ts";
import { webRoutes } from "../../src/web/routes.tsx";
import { type ApiUnderTest, useApi } from "../api/an-api.ts";
import { signingKey } from "../close/a-month.ts";
import { keepPicture, openBrowser, rulesOfColour } from "../support/chromium.ts";
import { aSession } from "../support/people.ts";
import type { TestDatabase } from "../support/test-database.ts";

/** The service with its page, and a worker that writes exports at once. */
export function usePage(database: TestDatabase, more: Partial<ApiDeps> = {}): ApiUnderTest {
  const folder = join(tmpdir(), `tieout-page-${randomBytes(6).toString("hex")}`);
  const files = createFolderFiles(folder);
  const running = new Set<Promise<unknown>>();
  const write = async (id: string) => {
    const log = { info: () => undefined, warn: () => undefined };
    const deps = { database: database.db, files, worker: "test", log };
    const run = runExports(deps, id, new AbortController().signal);
    running.add(run);
    void run.finally(() => running.delete(run));
  };
  // Registered first, and so run last: the files go when nobody is writing them.
  afterAll(async () => {
    await Promise.all(running);
    await rm(folder, { recursive: true, force: true });
  });
  // The database exists when the API is made, and not before.
  return useApi(database, {
    ...more,
    home: "/overview",
    extensions: [
      (api: Api) => reportRoutes({ database: database.db })(api),
      (api: Api) => exportRoutes({ database: database.db, files, randomBytes, enqueue: write })(api),
      (api: Api) => periodRoutes({ database: database.db, signingKey })(api),
      (api: Api) =>
        webhookRoutes({ signingKey: "of the test", randomBytes, checkUrl: endpointUrlCheck([]) })(api),
      (api: Api) =>
        webRoutes({
          randomBytes,
          statements: statementActions(database.db),
          // What the aggregator says is another test's business: test/commands/test-connection.test.ts.
          testConnection: async (account) =>
            account === "acme-eu"
              ? { answered: true, says: "the key and the secret are good" }
              : { answered: false, says: "answered 401: correct UPSTREAM_API_SECRET" },
        })(api),
    ],
  });
}

export interface Visit {
  page: Page;
  context: BrowserContext;
  /** What the browser complained about: scripts that failed, files that were missing, policies that were broken. */
  complaints: string[];
}

const desktop = { width: 1280, height: 860 };
const phone = { width: 390, height: 844 };

/** One browser for the file; every visit has its own cookies. */
export function useBrowser(executablePath: string, service: ApiUnderTest, database: TestDatabase) {
  let browser: Browser | undefined;
  const contexts: BrowserContext[] = [];
  beforeAll(async () => {
    await mkdir("artifacts/web", { recursive: true });
    browser = await openBrowser(executablePath);
  });
  afterAll(async () => {
    await browser?.close();
  });

  async function visit(options: { phone?: boolean; dark?: boolean; script?: boolean } = {}): Promise<Visit> {
    if (!browser) throw new Error("the browser exists inside tests and hooks only");
    const context = await browser.newContext({
      baseURL: service.url,
      viewport: options.phone === true ? phone : desktop,
      colorScheme: options.dark === true ? "dark" : "light",
      javaScriptEnabled: options.script ?? true,
      timezoneId: "Europe/Berlin",
      acceptDownloads: true,
    });
    contexts.push(context);
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    const complaints: string[] = [];
    page.on("console", (message) => {
      // What the server refused on purpose is the test's business; everything else is ours.
      const refused = /the server responded with a status of 4\d\d/.test(message.text());
      if (message.type() === "error" && !refused) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
    return { page, context, complaints };
  }

  /** With a link, as people come in. */
  async function signIn(personId: number, options: Parameters<typeof visit>[0] = {}): Promise<Visit> {
    const made = await visit(options);
    const token = await database.db.transaction((tx) =>
      makeLink(tx, randomBytes, { purpose: "sign_in", personId, createdBy: "test" }),
    );
    await made.page.goto(linkAddress("", token));
    await made.page.click('button:has-text("Sign in")');
    await made.page.waitForURL("**/overview");
    return made;
  }

  /** Signed in already, for tests that are not about that. */
  async function enter(personId: number, options: Parameters<typeof visit>[0] = {}): Promise<Visit> {
    const made = await visit(options);
    await made.context.addCookies([
      {
        name: "tieout_session",
        value: await aSession(database.db, personId),
        url: service.url,
        httpOnly: true,
      },
    ]);
    return made;
  }

  return { visit, signIn, enter };
}

const axe = await readFile("node_modules/axe-core/axe.min.js", "utf8");

/** What a screen did not wait for has come. */
export async function everythingIsHere(page: Page): Promise<void> {
  await page.waitForSelector(".follows", { state: "detached" });
}

/**
 * Everything that axe finds, whatever it thinks of its weight. Two rows of a shape speak for all that are built alike:
 * checking takes its time by the number of elements, and most of them are in lists. On a desktop in the dark only what depends
 * on colours is checked: every screen is looked at in the light as well, and apart from the colours it is the same.
 */
export async function barriersOn(
  page: Page,
  look: { phone?: boolean; dark?: boolean } = {},
): Promise<string[]> {
  const only = look.dark === true && look.phone !== true ? `, runOnly: ${JSON.stringify(rulesOfColour)}` : "";
  // Injected by the test's own channel, which the page's policy does not govern.
  await page.evaluate(axe);
  return page.evaluate<string[]>(`(async () => {
    const shapeOf = (row) =>
      Array.from(row.querySelectorAll("*"), (part) =>
        [part.tagName, ...part.getAttributeNames(), part.getAttribute("class")].join(" "),
      ).join();
    const seen = new Map();
    const alike = Array.from(document.querySelectorAll("tbody tr"))
      .filter((row) => seen.set(shapeOf(row), (seen.get(shapeOf(row)) ?? 0) + 1).get(shapeOf(row)) > 2)
      .map((row) => ({ row, place: document.createComment("") }));
    for (const { row, place } of alike) row.replaceWith(place);
    // It would fetch the style sheets again, for a rule that is off.
    const { violations } = await axe.run({ resultTypes: ["violations"], preload: false${only} });
    for (const { row, place } of alike) place.replaceWith(row);
    return violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html.slice(0, 160)).join(" | "));
  })()`);
}

export async function keepScreenshot(page: Page, name: string): Promise<void> {
  await keepPicture(page, `web/${name}`);
}

/** Waits until the place says so. */
export async function expectText(page: Page, selector: string, text: string): Promise<void> {
  const place = page.locator(selector).filter({ hasText: text });
  await place.first().waitFor({ state: "attached" });
  expect(await place.count()).toBeGreaterThan(0);
}

/** The file that a click brings. */
export async function download(page: Page, click: () => Promise<void>): Promise<string> {
  const [file] = await Promise.all([page.waitForEvent("download"), click()]);
  return readFile(await file.path(), "utf8");
}
