import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSandbox, type RunningSandbox } from "../../../src/sandbox/server.ts";
import { findChromium, openBrowser } from "../../support/chromium.ts";
import { ask, withSecret } from "../use-sandbox.ts";
import { cardFields, createCheckout, expectTitle, fillIn, introduceIn, withShop } from "./a-shop.ts";
import { buyOrder, sellOrder } from "./a-visitor.ts";

const chromium = findChromium();

// Several at once: most of their time is spent in waiting for what ends by itself.
describe.runIf(chromium !== null)("a checkout in a frame of another page", { concurrent: true }, () => {
  let browser: Browser;
  let sandbox: RunningSandbox;
  /** Its reviews take five seconds, so that even a busy machine sees them. */
  let slowSandbox: RunningSandbox;
  const options = { port: 0, transactions: 0, defaultCountry: "DE", now: Date.now };
  beforeAll(async () => {
    sandbox = await startSandbox({ ...options, timeScale: 600 });
    slowSandbox = await startSandbox({ ...options, timeScale: 60 });
    browser = await openBrowser(chromium ?? "");
  });
  afterAll(async () => {
    await browser?.close();
    await sandbox?.close();
    await slowSandbox?.close();
  });

  const checkout = (order: object = buyOrder) => createCheckout(sandbox.url, order);

  async function statusesOf(transactionId: string, { url } = sandbox): Promise<string[]> {
    const answer = await ask(`${url}/transactions?transactionIds=${transactionId}`, {
      headers: withSecret,
    });
    return (answer.json as { transactions: { status: string }[] }).transactions.map(({ status }) => status);
  }

  test("by card to the end: each step is told to the embedding page, in order", async () => {
    const { url, transactionId } = await checkout();
    await withShop(browser, url, async ({ frame, complaints, messages, steps }) => {
      await introduceIn(frame);
      await fillIn(frame, cardFields, "Pay 200 EUR");
      await expectTitle(frame, "Completed");
      const told = await messages();
      expect(new Set(told.map(({ origin }) => origin))).toEqual(new Set([sandbox.url]));
      expect(told[0]?.data).toEqual({
        type: "checkout.step",
        step: "contact",
        status: "new",
        transactionId,
      });
      expect(told.at(-1)?.data).toEqual({
        type: "checkout.step",
        step: "completed",
        status: "completed",
        transactionId,
      });
      const seen = (await steps()).filter((step, at, all) => step !== all[at - 1]);
      expect(seen).toEqual(["contact", "code", "identity", "card", "processing", "completed"]);
      // No status is told twice: the page looks for changes without being loaded again.
      const states = told.map(({ data }) => `${String(data["step"])} ${String(data["status"])}`);
      expect(new Set(states).size).toBe(states.length);
      expect(complaints).toEqual([]);
    });
    expect(await statusesOf(transactionId)).toEqual(["new", "pending", "paid", "completed"]);
  });

  test("declined, then paid with another card", async () => {
    const { url, transactionId } = await checkout();
    await withShop(browser, url, async ({ frame, steps }) => {
      await introduceIn(frame);
      await fillIn(frame, { ...cardFields, "Card number": "4000000000000002" }, /^Pay /);
      await frame.getByRole("alert").filter({ hasText: "Your card was declined" }).waitFor();
      expect(await statusesOf(transactionId)).toEqual(["new"]);
      await fillIn(frame, cardFields, /^Pay /);
      await expectTitle(frame, "Completed");
      expect((await steps()).slice(2, 5)).toEqual(["identity", "card", "card"]);
    });
  });

  test("3-D Secure: the bank says no, then yes", async () => {
    const { url, transactionId } = await checkout();
    await withShop(browser, url, async ({ frame, steps }) => {
      await introduceIn(frame);
      const challenged = { ...cardFields, "Card number": "4000000000003220" };
      await fillIn(frame, challenged, /^Pay /);
      await frame.getByRole("button", { name: "Fail the challenge" }).click();
      await frame.getByRole("alert").filter({ hasText: "Your bank did not confirm" }).waitFor();
      await fillIn(frame, challenged, /^Pay /);
      await fillIn(frame, { Code: "123456" }, "Confirm");
      await expectTitle(frame, "Completed");
      expect((await steps()).slice(3, 7)).toEqual(["card", "challenge", "card", "challenge"]);
    });
    expect(await statusesOf(transactionId)).toEqual(["new", "pending", "paid", "completed"]);
  });

  test("a refused identity ends it", async () => {
    const { url, transactionId } = await checkout();
    await withShop(browser, url, async ({ frame, messages }) => {
      await introduceIn(frame, { "Family name": "Refused" });
      await expectTitle(frame, "Identity not confirmed");
      expect((await messages()).at(-1)?.data).toMatchObject({ step: "failed", reason: "identity_refused" });
      expect(await frame.getByRole("button").count()).toBe(0);
    });
    expect(await statusesOf(transactionId)).toEqual(["new", "failed"]);
  });

  test("a review ends by itself, and the payment is next", async () => {
    const { url } = await createCheckout(slowSandbox.url, buyOrder);
    await withShop(browser, url, async ({ frame, steps }) => {
      await introduceIn(frame, { "Family name": "Review" });
      await expectTitle(frame, "Pay by card");
      expect(await steps()).toEqual(["contact", "code", "identity", "review", "card"]);
    });
  });

  test("by bank transfer that arrives", async () => {
    const { url, transactionId } = await checkout({
      ...buyOrder,
      onramp: "guardarian",
      paymentMethod: "banktransfer",
    });
    await withShop(browser, url, async ({ frame }) => {
      await fillIn(frame, { "E-mail address": "ada@example.org" }, "Continue");
      await fillIn(frame, { Code: "123456" }, "Confirm");
      expect(await frame.locator(".details").textContent()).toContain(transactionId);
      await frame.getByRole("button", { name: "The money arrives now" }).click();
      await expectTitle(frame, "Completed");
    });
  });

  test.each([
    ["exactly the amount", null, 0.01],
    ["less", /^Sell 0.009 BTC for /, 0.009],
    ["more", /^Sell 0.011 BTC for /, 0.011],
  ])("a sale with a deposit of %s", async (deposit, choice, amount) => {
    const { url, transactionId } = await checkout(sellOrder);
    await withShop(browser, url, async ({ frame, complaints, steps }) => {
      await introduceIn(frame);
      await fillIn(
        frame,
        { "Account holder": "Ada Lovelace", IBAN: "DE89 3704 0044 0532 0130 00" },
        "Continue",
      );
      await frame.getByRole("img", { name: /^QR code of the address bc1/ }).waitFor();
      await frame.getByRole("button", { name: new RegExp(`^${deposit} `) }).click();
      if (choice) await frame.getByRole("button", { name: choice }).click();
      await expectTitle(frame, "Completed");
      expect((await steps()).slice(3, 5)).toEqual(["payout-account", "deposit"]);
      expect(complaints).toEqual([]);
    });
    const answer = await ask(`${sandbox.url}/transactions/${transactionId}`, { headers: withSecret });
    expect(answer.json).toMatchObject({ status: "completed", inAmount: amount });
  });

  test("with a voucher, and then to where the client wanted", async () => {
    const question = "amount=5000&country=PH&paymentMethod=7eleven";
    const quotes = await ask(`${sandbox.url}/quotes/php/btc?${question}`, { headers: withSecret });
    const quote = (quotes.json as { ramp: string; quoteId: string }[]).find(
      ({ ramp }) => ramp === "alchemypay",
    );
    const { url, transactionId } = await checkout({
      ...buyOrder,
      onramp: "alchemypay",
      source: "php",
      amount: 5000,
      paymentMethod: "7eleven",
      metaData: { quoteId: quote?.quoteId },
      supportedParams: {
        partnerData: {
          redirectUrl: { success: encodeURIComponent(`${sandbox.url}/sandbox/openapi.json`) },
        },
      },
    });
    await withShop(browser, url, async ({ page, frame, steps }) => {
      await fillIn(frame, { "E-mail address": "ada@example.org" }, "Continue");
      await fillIn(frame, { Code: "123456" }, "Confirm");
      await fillIn(frame, { "Voucher code": "TEST-GONE-0003" }, /^Pay /);
      await frame.getByRole("alert").filter({ hasText: "This voucher has expired" }).waitFor();
      await fillIn(frame, { "Voucher code": "TEST-PAID-0001" }, /^Pay /);
      await expectTitle(frame, "Completed");
      expect((await steps()).slice(2, 4)).toEqual(["voucher", "voucher"]);
      await expect.poll(() => page.frames()[1]?.url(), { timeout: 10_000 }).toContain("openapi.json");
    });
    expect(await statusesOf(transactionId)).toEqual(["new", "pending", "paid", "completed"]);
  });

  test("without script it can be walked too: review, challenge, and the end", async () => {
    const { url, transactionId } = await createCheckout(slowSandbox.url, buyOrder);
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(url);
    await introduceIn(page, { "Family name": "Review" });
    await expectTitle(page, "We are checking your documents");
    await expectTitle(page, "Pay by card");
    await fillIn(page, { ...cardFields, "Card number": "4000000000003220" }, /^Pay /);
    await fillIn(page, { Code: "123456" }, "Confirm");
    await expectTitle(page, "Completed");
    await context.close();
    expect(await statusesOf(transactionId, slowSandbox)).toEqual(["new", "pending", "paid", "completed"]);
  });

  test("cancelled on the way", async () => {
    const { url, transactionId } = await checkout();
    await withShop(browser, url, async ({ frame, steps }) => {
      await introduceIn(frame);
      await frame.getByRole("button", { name: "Cancel" }).click();
      await expectTitle(frame, "Cancelled");
      expect((await steps()).at(-1)).toBe("canceled");
    });
    expect(await statusesOf(transactionId)).toEqual(["new", "canceled"]);
  });

  test("the browser's way back shows what still counts, and cannot pay twice", async () => {
    const { url, transactionId } = await checkout();
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(url);
    await introduceIn(page);
    await expectTitle(page, "Pay by card");
    for (let times = 0; times < 3; times++) {
      await page.goBack();
      await expectTitle(page, "Pay by card");
    }
    await fillIn(page, cardFields, /^Pay /);
    await expectTitle(page, "Completed");
    await page.goBack();
    await expectTitle(page, "Completed");
    await page.goto(`${url}/card`);
    await expectTitle(page, "Completed");
    await context.close();
    expect(await statusesOf(transactionId)).toEqual(["new", "pending", "paid", "completed"]);
  });

  test("a Back link leads to the contact, and on again", async () => {
    const { url } = await checkout();
    await withShop(browser, url, async ({ frame, steps }) => {
      await introduceIn(frame);
      await frame.getByRole("link", { name: "Back" }).click();
      await fillIn(frame, { "E-mail address": "eve@example.org" }, "Continue");
      await fillIn(frame, { Code: "123456" }, "Confirm");
      await expectTitle(frame, "Pay by card");
      expect((await steps()).slice(3)).toEqual(["card", "contact", "code", "card"]);
    });
  });

  test("price and session end by themselves on the page", async ({ onTestFinished }) => {
    /** Added to the clock, for waits that nobody wants to sit through. */
    let aheadMs = 0;
    const ahead = await startSandbox({ ...options, now: () => Date.now() + aheadMs, timeScale: 600 });
    onTestFinished(() => ahead.close());
    const startMs = Date.now();
    /** So many milliseconds after the checkout was made, or hardly more. */
    const jumpTo = (ms: number) => (aheadMs = startMs + ms - Date.now());
    const { url, transactionId } = await createCheckout(ahead.url, buyOrder);
    await withShop(browser, url, async ({ page, frame, steps }) => {
      await introduceIn(frame);
      await frame.getByText("Price held for 4:").waitFor();
      jumpTo(294_000);
      // The page counts by itself; loaded again, it hears of the jump.
      await page.evaluate("document.querySelector('iframe').src += ''");
      await frame.getByText("Price held for 0:0").waitFor();
      await expectTitle(frame, "The price has been updated");
      jumpTo(594_000);
      await frame.getByRole("button", { name: "Continue with the new price" }).click();
      await frame.getByText("Checkout open for 0:0").waitFor();
      await expectTitle(frame, "This checkout has expired");
      expect((await steps()).slice(-4)).toEqual(["card", "price", "card", "expired"]);
    });
    expect((await statusesOf(transactionId, ahead)).at(-1)).toBe("canceled");
  });
});
