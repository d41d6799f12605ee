import type { Browser, BrowserContext, FrameLocator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkoutIntentResponse } from "../../src/sandbox/current/checkout-schemas.ts";
import { formStep, ratesResponse, step } from "../../src/sandbox/earlier/schemas.ts";
import { type RunningSandbox, startSandbox } from "../../src/sandbox/server.ts";
import { findChromium, openBrowser } from "../support/chromium.ts";
import { startHttpServer } from "../support/http-server.ts";

const chromium = findChromium();
const withKey = { authorization: "pk_sandbox", "content-type": "application/json" };

describe.runIf(chromium !== null)("in a real browser", () => {
  let browser: Browser;
  let sandbox: RunningSandbox;
  beforeAll(async () => {
    sandbox = await startSandbox({
      port: 0,
      now: Date.now,
      transactions: 0,
      timeScale: 100_000,
      defaultCountry: "DE",
    });
    browser = await openBrowser(chromium ?? "");
  });
  afterAll(async () => {
    await browser?.close();
    await sandbox?.close();
  });

  test.each([
    ["Pay", "Completed", ["new", "pending", "paid", "completed"]],
    ["Let the payment fail", "The payment failed", ["new", "pending", "failed"]],
    ["Cancel", "Cancelled", ["new", "canceled"]],
  ])("a person presses %s on the checkout page, without script", async (button, headline, statuses) => {
    const { transactionId, url } = await createCheckout(sandbox.url);
    await withPage(browser, { javaScriptEnabled: false }, async (page, complaints) => {
      await page.goto(url);
      await page.getByText("Skip to the end").click();
      await page.getByRole("button", { name: button, exact: true }).click();
      // The page asks again by itself until nothing more can happen.
      await page.getByRole("heading", { name: headline }).waitFor();
      expect(await page.getByRole("button").count()).toBe(0);
      expect(complaints).toEqual([]);
    });
    expect(await statusesOf(sandbox.url, transactionId)).toEqual(statuses);
  });

  test("a page that embeds an iframe step receives the next step as a window message", async () => {
    const frame = await stepAfterForm(sandbox.legacyUrl, "creditCard");
    expect(frame.type).toBe("iframe");
    const shop = await startHttpServer(() => html(`<iframe src="${frame.url}" title="payment"></iframe>`));
    await withPage(browser, {}, async (page, complaints) => {
      await page.goto(shop.url);
      const payment = page.frameLocator("iframe");
      // The page asks for the card and nothing else; a first card is declined, which is not a step of the chain.
      await payCard(payment, "4000000000000002");
      await payment.getByRole("alert").waitFor();
      await payCard(payment, "4000000000003220");
      await payment.getByLabel("Code").fill("123456");
      await payment.getByRole("button", { name: "Confirm" }).click();
      expectCompleted(sandbox, await firstMessage(page));
      expect(complaints).toEqual([]);
    });
    await shop.close();
  });

  test("the checkout page wears the client's theme, and goes where the client wanted after success", async () => {
    const shop = await startHttpServer(() => html("<h1>Thanks</h1>"));
    const { url } = await createCheckout(sandbox.url, {
      theme: { primaryColor: "#ff0000", cardColor: "#00ff00", borderRadius: "20px", isDark: false },
      partnerData: { redirectUrl: { success: encodeURIComponent(`${shop.url}/thanks`) } },
    });
    await withPage(browser, { javaScriptEnabled: false }, async (page) => {
      await page.goto(url);
      const look = (selector: string, name: string) =>
        page.evaluate(`getComputedStyle(document.querySelector("${selector}")).getPropertyValue("${name}")`);
      expect(await look(".card", "background-color")).toBe("rgb(0, 255, 0)");
      expect(await look("button", "background-color")).toBe("rgb(255, 0, 0)");
      expect(await look("button", "border-top-left-radius")).toBe("20px");
      await page.getByText("Skip to the end").click();
      await page.getByRole("button", { name: "Pay", exact: true }).click();
      await page.waitForURL(`${shop.url}/thanks`);
      expect(await page.getByRole("heading").textContent()).toBe("Thanks");
    });
    await shop.close();
  });

  test("the start page sends its examples, and what one types", async () => {
    await withPage(browser, {}, async (page, complaints) => {
      await page.goto(sandbox.url);
      expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Aggregator sandbox");
      const answer = page.locator("#answer");
      await page
        .locator("article", { hasText: "Start a checkout" })
        .getByRole("button", { name: "Send" })
        .click();
      await expect.poll(() => answer.textContent()).toContain('"sessionId"');
      expect(await page.locator("#answer-summary").textContent()).toMatch(/^200 OK in \d+ ms/);
      await page.getByLabel("Path").fill("/transactions/none");
      await page.getByLabel("Method").selectOption("GET");
      await page.locator("#console").getByRole("checkbox", { name: "Secret" }).check();
      await page.locator("#console").getByRole("button", { name: "Send" }).click();
      await expect.poll(() => answer.textContent()).toContain("There is no such transaction.");
      expect(complaints.filter((text) => !text.includes("404"))).toEqual([]);
    });
  });

  test("a page that opens a redirect step in a window receives the next step from it", async () => {
    const redirect = await stepAfterForm(sandbox.legacyUrl, "applePay");
    expect(redirect.type).toBe("redirect");
    const shop = await startHttpServer(() =>
      html(`<a href="${redirect.url}" target="pay" rel="opener">pay</a>`),
    );
    await withPage(browser, {}, async (page) => {
      await page.goto(shop.url);
      const [window] = await Promise.all([page.waitForEvent("popup"), page.getByRole("link").click()]);
      await window.getByRole("button", { name: "Cancel" }).click();
      const message = await firstMessage(page);
      expect(message).toEqual({
        origin: sandbox.url,
        data: { error: { message: "Cancelled.", fatal: true } },
      });
    });
    await shop.close();
  });
});

async function payCard(payment: FrameLocator, number: string): Promise<void> {
  await payment.getByLabel("Card number").fill(number);
  await payment.getByLabel("Valid until").fill("12/30");
  await payment.getByLabel("Security code").fill("123");
  await payment.getByRole("button", { name: "Pay 100 EUR" }).click();
}

/** A page of its own, and what the browser complained about on it: blocked scripts, missing files, broken markup. */
async function withPage(
  browser: Browser,
  options: Parameters<Browser["newContext"]>[0],
  use: (page: Page, complaints: string[]) => Promise<void>,
): Promise<void> {
  const context: BrowserContext = await browser.newContext(options);
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    await use(page, complaints);
  } finally {
    await context.close();
  }
}

/** A shop of the client's, on another origin than the sandbox; it keeps the first message it is sent. */
function html(content: string) {
  const listen =
    "addEventListener('message', ({ origin, data }) => { window.received ??= { origin, data } })";
  const body = `<!doctype html><title>shop</title><link rel="icon" href="data:,"><script>${listen}</script>${content}`;
  return { headers: { "content-type": "text/html" }, body };
}

async function firstMessage(page: Page): Promise<unknown> {
  return (await page.waitForFunction("window.received")).jsonValue();
}

function expectCompleted(sandbox: RunningSandbox, message: unknown): void {
  expect(message).toEqual({
    origin: sandbox.url,
    data: {
      nextStep: {
        type: "completed",
        trackingUrl: expect.stringContaining(`${sandbox.url}/sandbox/checkout/`) as string,
      },
    },
  });
}

async function createCheckout(
  baseUrl: string,
  supportedParams: object = {},
): Promise<{ transactionId: string; url: string }> {
  const response = await fetch(`${baseUrl}/checkout/intent`, {
    method: "POST",
    headers: withKey,
    body: JSON.stringify({
      onramp: "moonpay",
      source: "eur",
      destination: "eth",
      amount: 100,
      wallet: { address: "0x71C7656EC7ab88b098defB751B7401B5f6d8976F" },
      supportedParams,
    }),
  });
  return checkoutIntentResponse.parse(await response.json()).message.transactionInformation;
}

/** Of a gateway that wants no document, so that the form leads straight to the page to pay on. */
async function stepAfterForm(legacyUrl: string, method: string): Promise<{ type: string; url: string }> {
  const rates = await fetch(`${legacyUrl}/rate/EUR/BTC/${method}/100`);
  const entry = ratesResponse.parse(await rates.json()).find(({ identifier }) => identifier === "ramp");
  const form = formStep.parse(entry?.available ? entry.nextStep : null);
  const response = await fetch(form.url, {
    method: "POST",
    headers: withKey,
    body: JSON.stringify({
      email: "ada@example.org",
      cryptocurrencyAddress: "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
    }),
  });
  const next = step.parse(await response.json());
  if (next.type !== "iframe" && next.type !== "redirect")
    throw new Error(`expected a page, found ${next.type}`);
  return next;
}

async function statusesOf(baseUrl: string, transactionId: string): Promise<string[]> {
  const headers = { authorization: "pk_sandbox", "x-service-secret": "sk_sandbox" };
  const response = await fetch(`${baseUrl}/transactions?transactionIds=${transactionId}`, { headers });
  const { transactions } = (await response.json()) as { transactions: { status: string }[] };
  return transactions.map(({ status }) => status);
}
