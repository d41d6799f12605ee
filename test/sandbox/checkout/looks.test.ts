import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSandbox, type RunningSandbox } from "../../../src/sandbox/server.ts";
import { findChromium, keepPicture, openBrowser, rulesOfColour } from "../../support/chromium.ts";
import {
  cardFields,
  createCheckout,
  expectAccessible,
  expectTitle,
  fillIn,
  introduceIn,
  personFields,
} from "./a-shop.ts";
import { buyOrder, sellOrder } from "./a-visitor.ts";

const chromium = findChromium();

/** Looked at in light and dark, narrow and wide. */
async function keep(page: Page, name: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    // In the dark it is the same page in other colours.
    await expectAccessible(
      page,
      `${name}, ${colorScheme}`,
      colorScheme === "dark" ? rulesOfColour : undefined,
    );
    for (const width of [390, 1024]) {
      await page.setViewportSize({ width, height: 800 });
      const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
      expect({ on: name, width, overflow }).toEqual({ on: name, width, overflow: 0 });
      await keepPicture(page, `checkout/${name}-${width}-${colorScheme}`);
    }
  }
  await page.setViewportSize({ width: 390, height: 800 });
}

describe.runIf(chromium !== null)("the pages of a checkout", () => {
  let browser: Browser;
  let sandbox: RunningSandbox;
  /** The clock is moved by hand, so that a page stays until it has been looked at. */
  let aheadMs = 0;
  beforeAll(async () => {
    sandbox = await startSandbox({
      port: 0,
      now: () => Date.now() + aheadMs,
      transactions: 0,
      timeScale: 1,
      defaultCountry: "DE",
    });
    browser = await openBrowser(chromium ?? "");
  });
  afterAll(async () => {
    await browser?.close();
    await sandbox?.close();
  });

  async function withPage(
    options: Parameters<Browser["newContext"]>[0],
    use: (page: Page) => Promise<void>,
  ): Promise<void> {
    const context = await browser.newContext(options);
    try {
      const page = await context.newPage();
      page.setDefaultTimeout(15_000);
      await use(page);
    } finally {
      await context.close();
    }
  }

  test("of a purchase keep nobody out and fit the screen", async () => {
    await withPage({ viewport: { width: 390, height: 800 } }, async (page) => {
      await page.goto((await createCheckout(sandbox.url, buyOrder)).url);
      await keep(page, "buy-01-contact");
      await fillIn(page, { "E-mail address": "ada" }, "Continue");
      await page.getByRole("alert").waitFor();
      await keep(page, "buy-02-contact-wrong");
      await fillIn(page, { "E-mail address": "ada@example.org" }, "Continue");
      await expectTitle(page, "Confirm your e-mail address");
      await keep(page, "buy-03-code");
      await fillIn(page, { Code: "123456" }, "Confirm");
      await expectTitle(page, "Confirm your identity");
      await keep(page, "buy-04-identity");
      await fillIn(page, { ...personFields, "Family name": "Review" }, "Continue");
      await expectTitle(page, "We are checking your documents");
      await keep(page, "buy-05-review");
      aheadMs += 300_000;
      await expectTitle(page, "The price has been updated");
      await keep(page, "buy-06-price");
      await page.getByRole("button", { name: "Continue with the new price" }).click();
      await expectTitle(page, "Pay by card");
      await fillIn(page, { ...cardFields, "Card number": "4000000000000002" }, /^Pay /);
      await page.getByRole("alert").waitFor();
      await keep(page, "buy-07-card-declined");
      await fillIn(page, { ...cardFields, "Card number": "4000000000003220" }, /^Pay /);
      await expectTitle(page, /^Your bank/);
      await keep(page, "buy-08-challenge");
      await fillIn(page, { Code: "123456" }, "Confirm");
      await expectTitle(page, "Waiting for your payment");
      aheadMs += 20_000;
      await expectTitle(page, "Paid, delivery is under way");
      await keep(page, "buy-09-processing");
      aheadMs += 400_000;
      await expectTitle(page, "Completed");
      await keep(page, "buy-10-completed");

      const byTransfer = { ...buyOrder, onramp: "guardarian", paymentMethod: "banktransfer" };
      await page.goto((await createCheckout(sandbox.url, byTransfer)).url);
      await fillIn(page, { "E-mail address": "ada@example.org" }, "Continue");
      await fillIn(page, { Code: "123456" }, "Confirm");
      await expectTitle(page, "Pay by bank transfer");
      await page.getByText("Skip to the end").click();
      await keep(page, "buy-11-transfer");
      await page.getByRole("button", { name: "Cancel" }).click();
      await expectTitle(page, "Cancelled");
      await keep(page, "buy-12-cancelled");

      const byWallet = { ...buyOrder, onramp: "ramp", paymentMethod: "applepay" };
      await page.goto((await createCheckout(sandbox.url, byWallet)).url);
      await fillIn(page, { "E-mail address": "ada@example.org" }, "Continue");
      await fillIn(page, { Code: "123456" }, "Confirm");
      await expectTitle(page, "Pay with Apple Pay");
      await keep(page, "buy-13-approval");
      await page.getByText("Skip to the end").click();
      await page.getByRole("button", { name: "Let the payment fail" }).click();
      await expectTitle(page, "Waiting for your payment");
      aheadMs += 15_000;
      await expectTitle(page, "The payment failed");
      await keep(page, "buy-14-failed");
      expect(await page.getByRole("button").count()).toBe(0);
    });
  });

  test("of a sale keep nobody out and fit the screen", async () => {
    await withPage({ viewport: { width: 390, height: 800 } }, async (page) => {
      await page.goto((await createCheckout(sandbox.url, sellOrder)).url);
      await introduceIn(page);
      await expectTitle(page, "Where should we send the money?");
      await keep(page, "sell-1-payout-account");
      await fillIn(page, { "Account holder": "Ada Lovelace", IBAN: "DE89370400440532013000" }, "Continue");
      await expectTitle(page, "Send your BTC");
      await keep(page, "sell-2-deposit");
      await page.getByRole("button", { name: /^more / }).click();
      await expectTitle(page, "More arrived than agreed");
      await keep(page, "sell-3-difference");
      await page.getByRole("button", { name: /^Sell 0.011 / }).click();
      await expectTitle(page, "Waiting for confirmations");
      aheadMs += 61_000;
      // Counted without being loaded again.
      await page.getByText("Deposit seen: 1 of 3 confirmations.").waitFor();
      await keep(page, "sell-4-confirmations");
      expect(await page.getByRole("button").count()).toBe(0);
    });
  });

  test.each([
    [
      "a dark one",
      {
        isDark: true,
        primaryColor: "#ffe600",
        secondaryColor: "#2a2a3d",
        primaryTextColor: "#f2f2f7",
        secondaryTextColor: "#b3b3c6",
        cardColor: "#1a1a2e",
        borderRadius: 0,
      },
      {
        button: ["rgb(255, 230, 0)", "rgb(0, 0, 0)", "0px"],
        card: ["rgb(26, 26, 46)", "rgb(242, 242, 247)"],
        input: "rgb(42, 42, 61)",
        muted: "rgb(179, 179, 198)",
      },
    ],
    [
      "one whose texts could not be read",
      {
        isDark: false,
        primaryColor: "#7c3aed",
        secondaryColor: "#ede9fe",
        primaryTextColor: "#fafafa",
        secondaryTextColor: "#fefefe",
        cardColor: "#ffffff",
        borderRadius: "20px",
      },
      {
        button: ["rgb(124, 58, 237)", "rgb(255, 255, 255)", "20px"],
        card: ["rgb(255, 255, 255)", "rgb(0, 0, 0)"],
        input: "rgb(237, 233, 254)",
        muted: "rgb(0, 0, 0)",
      },
    ],
  ])("wear the client's theme: %s", async (name, theme, expected) => {
    await withPage({ viewport: { width: 390, height: 844 }, colorScheme: "light" }, async (page) => {
      await page.goto((await createCheckout(sandbox.url, { ...buyOrder, supportedParams: { theme } })).url);
      const look = (selector: string, property: string) =>
        page.evaluate(
          `getComputedStyle(document.querySelector("${selector}")).getPropertyValue("${property}")`,
        );
      expect({
        button: [
          await look("button.main", "background-color"),
          await look("button.main", "color"),
          await look("button.main", "border-top-left-radius"),
        ],
        card: [await look(".card", "background-color"), await look("h1", "color")],
        input: await look("input", "background-color"),
        muted: await look(".hint", "color"),
      }).toEqual(expected);
      expect(await look("html", "color-scheme")).toBe(theme.isDark ? "dark" : "light");
      await expectAccessible(page, name);
      await keepPicture(page, `checkout/theme-${name.replaceAll(" ", "-")}`);
    });
  });
});
