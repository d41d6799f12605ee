import { readFile } from "node:fs/promises";
import type { Browser, FrameLocator, Page } from "playwright-core";
import { expect } from "vitest";
import { checkoutIntentResponse } from "../../../src/sandbox/current/checkout-schemas.ts";
import { startHttpServer } from "../../support/http-server.ts";
import { ask, withKey } from "../use-sandbox.ts";

/** A message as the shop's page received it: its origin, and the parts that tests look at. */
export interface Told {
  readonly origin: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface ShopVisit {
  /** The shop's page, on another host than the sandbox. */
  readonly page: Page;
  /** The checkout inside it. */
  readonly frame: FrameLocator;
  /** What the browser complained about: blocked scripts, missing files, broken markup. */
  readonly complaints: readonly string[];
  /** Every message so far, in order. */
  readonly messages: () => Promise<readonly Told[]>;
  /** The steps that the messages named so far, in order. */
  readonly steps: () => Promise<readonly string[]>;
}

/** Opens a shop's page at `localhost` with the checkout, which is at 127.0.0.1, in a frame. */
export async function withShop(
  browser: Browser,
  url: string,
  use: (visit: ShopVisit) => Promise<void>,
  options: Parameters<Browser["newContext"]>[0] = {},
): Promise<void> {
  const shop = await startHttpServer(() => ({
    headers: { "content-type": "text/html" },
    body: shopHtml(url),
  }));
  const context = await browser.newContext(options);
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    const complaints: string[] = [];
    // A form that is shown again has status 422, which the browser mentions.
    page.on("console", (message) => {
      if (!message.text().includes("422")) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    await page.goto(shop.url.replace("127.0.0.1", "localhost"));
    const messages = () => page.evaluate("window.received") as Promise<Told[]>;
    const steps = async () => (await messages()).map(({ data }) => String(data["step"]));
    await use({ page, frame: page.frameLocator("iframe"), complaints, messages, steps });
  } finally {
    await context.close();
    await shop.close();
  }
}

function shopHtml(url: string): string {
  const listen =
    "window.received = []; addEventListener('message', ({ origin, data }) => window.received.push({ origin, data }))";
  return `<!doctype html><html lang="en"><title>shop</title><link rel="icon" href="data:,"><script>${listen}</script>
    <iframe src="${url}" title="checkout" width="390" height="900"></iframe>`;
}

export async function createCheckout(
  baseUrl: string,
  order: object,
): Promise<{ transactionId: string; url: string }> {
  const answer = await ask(`${baseUrl}/checkout/intent`, {
    method: "POST",
    headers: { ...withKey, "content-type": "application/json" },
    body: JSON.stringify(order),
  });
  return checkoutIntentResponse.parse(answer.json).message.transactionInformation;
}

/** Fills in fields by their labels and presses the button. */
export async function fillIn(
  place: FrameLocator | Page,
  fields: Readonly<Record<string, string>>,
  button: string | RegExp,
): Promise<void> {
  for (const [label, value] of Object.entries(fields))
    await place.getByLabel(label, { exact: true }).fill(value);
  await place.getByRole("button", { name: button }).click();
}

export const personFields = {
  "Given name": "Ada",
  "Family name": "Lovelace",
  "Date of birth": "1985-12-10",
  "Document number": "C01X00T47",
};
export const cardFields = {
  "Card number": "4242 4242 4242 4242",
  "Valid until": "12/30",
  "Security code": "123",
};

/** Contact, code and identity. */
export async function introduceIn(place: FrameLocator | Page, person: object = {}): Promise<void> {
  await fillIn(place, { "E-mail address": "ada@example.org" }, "Continue");
  await fillIn(place, { Code: "123456" }, "Confirm");
  await fillIn(place, { ...personFields, ...person }, "Continue");
}

export async function expectTitle(place: FrameLocator | Page, title: string | RegExp): Promise<void> {
  await place.getByRole("heading", { level: 1, name: title }).waitFor();
}

const axe = await readFile("node_modules/axe-core/axe.min.js", "utf8");

/** Axe's findings on a page of the checkout, of any weight, the order of headings and regions included. */
export async function expectAccessible(page: Page, name: string, only?: readonly string[]): Promise<void> {
  await page.evaluate(axe);
  const rules = only === undefined ? "" : `, runOnly: ${JSON.stringify(only)}`;
  const found = (await page.evaluate(
    `axe.run({ resultTypes: ["violations"], preload: false${rules} }).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html.slice(0, 160)).join(" | ")))`,
  )) as string[];
  expect({ on: name, found }).toEqual({ on: name, found: [] });
}
