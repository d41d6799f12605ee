import type { Browser } from "playwright-core";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type RunningSandbox, startSandbox } from "../../src/sandbox/server.ts";
import { findChromium, openBrowser } from "../support/chromium.ts";
import { startHttpServer } from "../support/http-server.ts";

const chromium = findChromium();

/** A shop on another origin: it quotes, opens a checkout, and buys over the legacy surface in a frame. */
const shop = (sandbox: RunningSandbox) => `<!doctype html><title>shop</title><iframe title="payment"></iframe>
<script type="module">
import { createBrowserClient, decimal, nextStepMessage } from "/client.js";
const client = createBrowserClient(${JSON.stringify({
  baseUrl: sandbox.url,
  legacyBaseUrl: sandbox.legacyUrl,
  apiKey: sandbox.apiKey,
})});
const frame = document.querySelector("iframe");
const inFrame = ({ url }) => {
  frame.src = url;
  return nextStepMessage(window, url);
};
const address = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq";
try {
  const amount = decimal("100");
  const { quotes } = await client.fetchBuyQuotes({ fiat: "EUR", crypto: "BTC", amount });
  const { transactionInformation } = await client.createCheckout({
    onramp: quotes[0].ramp, source: "EUR", destination: "BTC", amount, type: "buy",
    metaData: { quoteId: quotes[0].quoteId }, wallet: { address },
  });
  window.checkout = transactionInformation;
  const rates = await client.fetchRates({ fromCurrency: "EUR", toCurrency: "BTC", paymentMethod: "creditCard", amount: 100 });
  window.flow = await client.runSteps(rates.find((rate) => rate.available).nextStep, {
    form: () => ({ email: "ada@example.org", cryptocurrencyAddress: address }),
    pickOne: () => 0,
    file: () => ({ bytes: new Uint8Array([1]), contentType: "image/png" }),
    iframe: inFrame, redirect: inFrame,
    wait() {}, completed() {}, requestBankTransaction() {}, unknown: async () => null,
  });
} catch (error) {
  window.flow = { end: String(error) };
}
</script>`;

describe.runIf(chromium !== null)("the client in a page of another origin", () => {
  let browser: Browser;
  let sandbox: RunningSandbox;
  beforeAll(async () => {
    sandbox = await startSandbox({ port: 0, now: Date.now, transactions: 0, defaultCountry: "DE" });
    browser = await openBrowser(chromium ?? "");
  });
  afterAll(async () => {
    await browser?.close();
    await sandbox?.close();
  });

  test("opens a checkout, and buys in a frame to the end", async () => {
    const script = await bundle();
    const server = await startHttpServer(({ path }) =>
      path === "/client.js"
        ? { body: script, headers: { "content-type": "text/javascript" } }
        : { body: shop(sandbox), headers: { "content-type": "text/html" } },
    );
    onTestFinished(() => server.close());
    const page = await browser.newPage();
    onTestFinished(() => page.close());
    await page.goto(server.url);
    const payment = page.frameLocator("iframe");
    await payment.getByLabel("Card number").fill("4242 4242 4242 4242");
    await payment.getByLabel("Valid until").fill("12/30");
    await payment.getByLabel("Security code").fill("123");
    await payment.getByRole("button", { name: "Pay 100 EUR" }).click();
    await page.waitForFunction("window.flow !== undefined");
    expect(await page.evaluate("window.flow.end")).toBe("completed");
    expect(await page.evaluate("window.checkout.url")).toContain(sandbox.url);
  });
});

/** As a shop's own tools would: whatever of Node were left in it would stop the page. */
async function bundle(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: "silent",
    build: {
      write: false,
      minify: false,
      lib: { entry: "src/upstream/browser-library.ts", formats: ["es"] },
    },
  });
  const [first] = [built].flat();
  if (first === undefined || !("output" in first)) throw new Error("nothing was bundled");
  return first.output[0].code;
}
