import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { decimal } from "../../src/core/decimal.ts";
import { type RunningSandbox, startSandbox } from "../../src/sandbox/server.ts";
import { createBrowserClient } from "../../src/upstream/browser-library.ts";
import { nextStepMessage, type WindowMessage } from "../../src/upstream/window-messages.ts";
import { freePort } from "../support/free-port.ts";
import { startHttpServer } from "../support/http-server.ts";
import { canaryKey, failure } from "./client-for.ts";

let sandbox: RunningSandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ port: 0, now: Date.now, transactions: 10, defaultCountry: "DE" });
});
afterAll(() => sandbox.close());

const clientOf = (url: string) =>
  createBrowserClient({ baseUrl: url, legacyBaseUrl: `${url}/legacy`, apiKey: sandbox.apiKey });

test("nothing that it is made of knows Node", () => {
  const files = reachable("src/upstream/browser-library.ts");
  expect(files.size).toBeGreaterThan(15);
  const texts = [...files].map((file) => readFileSync(file, "utf8"));
  const packages = texts.flatMap((text) =>
    [...text.matchAll(/from "([^."][^"]*)"/g)].map((found) => found[1]),
  );
  expect(new Set(packages)).toEqual(new Set(["zod", "lossless-json"]));
  expect(texts.filter((text) => /\b(Buffer|process|__dirname|require)\b[.(]/.test(text))).toEqual([]);
});

test("it has no function that would need the secret", () => {
  const names = Object.keys(clientOf(sandbox.url));
  expect(names).toContain("createCheckout");
  expect(names.filter((name) => /transaction|page/i.test(name))).toEqual([]);
});

describe("over fetch", () => {
  test("from a quote to a checkout, and from a rate to the end of its steps", async () => {
    const client = clientOf(sandbox.url);
    const amount = decimal("100.50");
    const { quotes } = await client.fetchBuyQuotes({ fiat: "EUR", crypto: "BTC", amount });
    const [best] = quotes;
    if (!best?.quoteId) throw new Error("nobody quotes");
    const { sessionInformation } = await client.createCheckout({
      onramp: best.ramp,
      source: "EUR",
      destination: "BTC",
      amount,
      type: "buy",
      metaData: { quoteId: best.quoteId },
      wallet: { address: "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", memo: "42" },
    });
    expect(sessionInformation).toMatchObject({ amount: "100.5", wallet: { memo: "42" } });
    const asked = { fromCurrency: "EUR", toCurrency: "BTC", paymentMethod: "bankTransfer", amount: 100 };
    const rate = (await client.fetchRates(asked)).find(({ available }) => available);
    const never = () => Promise.reject(new Error("no such step is expected"));
    const { end } = await client.runSteps(rate?.available ? rate.nextStep : null, {
      form: () => ({
        email: "ada@example.org",
        cryptocurrencyAddress: "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
      }),
      pickOne: () => 0,
      file: () => ({ bytes: new Uint8Array([1]), contentType: "image/png" }),
      iframe: never,
      redirect: never,
      unknown: never,
      wait: () => {},
      completed: () => {},
      requestBankTransaction: () => {},
    });
    expect(end).toBe("bank_transaction_requested");
  });

  test.each([
    ["a redirect", { status: 302, headers: { location: "/elsewhere" }, body: "" }, "redirect_refused"],
    ["a body that is too large", { body: { message: "x".repeat(2_000) } }, "body_too_large"],
    ["a wrong key", { status: 401, body: { message: `no ${canaryKey}` } }, "unauthorized"],
    ["no JSON", { body: "<html>" }, "body_not_json"],
  ])("%s has its code", async (_name, reply, code) => {
    const server = await startHttpServer(() => reply);
    onTestFinished(() => server.close());
    const client = createBrowserClient({
      baseUrl: server.url,
      apiKey: canaryKey,
      attemptsMax: 1,
      limits: { bodyBytesMax: 1_000 },
    });
    const error = await failure(client.fetchSupported());
    expect(error.code).toBe(code);
    expect(JSON.stringify(error) + error.message).not.toContain(canaryKey);
  });

  test("nobody there, and a page that is not allowed to ask", async () => {
    const options = { baseUrl: `http://127.0.0.1:${await freePort()}`, apiKey: "k", attemptsMax: 1 };
    expect((await failure(createBrowserClient(options).fetchSupported())).code).toBe("unreachable");
    const fetch = () => Promise.reject(new TypeError("Failed to fetch"));
    const error = await failure(createBrowserClient({ ...options, fetch }).fetchSupported());
    expect(error).toMatchObject({ code: "unreachable", retry: true });
  });
});

describe("the message of a step's page", () => {
  const url = "https://pay.example/step/1";
  const step = { nextStep: { type: "completed" } };

  test("is heard when it is about the step, and comes from the step's own origin", async () => {
    const window = aWindow();
    const heard = nextStepMessage(window, url);
    window.say({
      origin: "https://evil.example",
      data: { nextStep: { type: "completed", trackingUrl: "x" } },
    });
    window.say({ origin: "https://pay.example", data: { height: 400 } });
    window.say({ origin: "https://pay.example", data: step });
    expect(await heard).toBe(step);
    expect(window.listeners.size).toBe(0);
  });

  test("may say that the payment came to nothing", async () => {
    const window = aWindow();
    const heard = nextStepMessage(window, url);
    window.say({ origin: "https://pay.example", data: { error: { message: "Cancelled." } } });
    expect(await heard).toEqual({ error: { message: "Cancelled." } });
  });

  test("is not waited for by a caller that gave up", async () => {
    const window = aWindow();
    const stop = new AbortController();
    const heard = nextStepMessage(window, url, stop.signal);
    stop.abort();
    await expect(heard).rejects.toThrow("the wait for the message has ended");
    await expect(nextStepMessage(window, url, stop.signal)).rejects.toThrow(
      "the wait for the message has ended",
    );
    expect(window.listeners.size).toBe(0);
  });
});

function aWindow() {
  const listeners = new Set<(event: WindowMessage) => void>();
  return {
    listeners,
    addEventListener: (_type: "message", listener: (event: WindowMessage) => void) =>
      void listeners.add(listener),
    removeEventListener: (_type: "message", listener: (event: WindowMessage) => void) =>
      void listeners.delete(listener),
    say: (event: WindowMessage) => {
      for (const listener of listeners) listener(event);
    },
  };
}

/** What a file imports, and what that imports; types are gone by the time a browser sees it. */
function reachable(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = readFileSync(file, "utf8").replaceAll(/^(import|export) type .*$/gm, "");
  for (const [, path = ""] of text.matchAll(/from "(\.[^"]+)"/g))
    reachable(normalize(join(dirname(file), path)), seen);
  return seen;
}
