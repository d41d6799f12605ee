import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compareDecimals, decimal, zero } from "../../src/core/decimal.ts";
import { formatInstant } from "../../src/core/instant.ts";
import { recordHash } from "../../src/core/record-hash.ts";
import { type RunningSandbox, startSandbox } from "../../src/sandbox/server.ts";
import { createUpstream, type Upstream } from "../../src/upstream/client.ts";
import { normalisePage } from "../../src/upstream/normalise.ts";
import type { StepHandlers } from "../../src/upstream/run-steps.ts";
import { failure } from "./client-for.ts";

/** Every endpoint of both surfaces, over real HTTP, from our own client to our own server. */
let sandbox: RunningSandbox;
let upstream: Upstream;
let nowMs = Date.parse("2026-11-02T10:00:00.000Z");

const deps = { random: () => 0.5, sleep: async () => {}, now: () => nowMs };
const clientWith = (keys: { apiKey: string; apiSecret: string }) =>
  createUpstream({ ...deps, baseUrl: sandbox.url, legacyBaseUrl: sandbox.legacyUrl, ...keys });

beforeAll(async () => {
  sandbox = await startSandbox({
    port: 0,
    now: () => nowMs,
    transactions: 500,
    defaultCountry: "DE",
    timeScale: 60,
  });
  upstream = clientWith(sandbox);
});
afterAll(async () => {
  await upstream.close();
  await sandbox.close();
});

describe("the catalogue", () => {
  test("assets and fiats, for buying and selling", async () => {
    const { crypto, fiat } = await upstream.fetchSupported();
    expect(crypto.map(({ id }) => id)).toEqual(expect.arrayContaining(["btc_bitcoin", "eth_ethereum"]));
    expect(fiat.map(({ id }) => id.toLowerCase())).toEqual(expect.arrayContaining(["usd", "eur"]));
    expect((await upstream.fetchSupported({ type: "sell" })).crypto.length).toBeGreaterThan(0);
  });

  test("payment types, of all fiats and of one", async () => {
    const all = await upstream.fetchPaymentTypes({ country: "US" });
    expect(all["creditcard"]?.paymentTypeId).toBe("creditcard");
    const ofEuro = await upstream.fetchPaymentTypesOfFiat("EUR", { country: "DE", type: "buy" });
    expect(ofEuro.length).toBeGreaterThan(0);
  });

  test("defaults, of our country and of each", async () => {
    const { recommended, defaults } = await upstream.fetchDefaults();
    expect(recommended).toEqual(defaults["DE"]);
  });

  test("assets by fiat", async () => {
    const { assets, country } = await upstream.fetchAssets({ source: "EUR" });
    expect(country).toBe("DE");
    expect(assets.map(({ fiat }) => fiat.toLowerCase())).toEqual(["eur"]);
  });

  test("providers, and where they serve", async () => {
    const providers = await upstream.fetchProviders();
    const asked = { source: "EUR", destination: "btc", recommendations: true };
    const available = await upstream.fetchProviderAvailability(asked);
    expect(available.length).toBeGreaterThan(0);
    expect(providers.map(({ id }) => id)).toEqual(
      expect.arrayContaining(available.map(({ onramp }) => onramp)),
    );
  });
});

describe("from a quote to a transaction", () => {
  test("a checkout begins a transaction that can be read singly", async () => {
    const asked = { fiat: "EUR", crypto: "BTC", amount: decimal("123.45"), paymentMethod: "creditcard" };
    const { quotes } = await upstream.fetchBuyQuotes(asked);
    const best = quotes.find(({ recommendations }) => recommendations.includes("BestPrice"));
    if (!best?.quoteId) throw new Error("no best price");
    for (const { payout } of quotes) expect(compareDecimals(best.payout, payout)).not.toBe(-1);
    const checkout = await upstream.createCheckout({
      onramp: best.ramp,
      source: "EUR",
      destination: "BTC",
      amount: asked.amount,
      type: "buy",
      paymentMethod: "creditcard",
      network: "bitcoin",
      uuid: "7c2b2b1e-7f2f-4c8e-9d0f-0d7a4f6f2f11",
      originatingHost: "shop.example.com",
      partnerContext: "order 7",
      metaData: { quoteId: best.quoteId },
      wallet: { address: "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq" },
    });
    expect(checkout.sessionInformation.amount).toBe("123.45");
    const outcome = await upstream.fetchTransaction(checkout.transactionInformation.transactionId);
    expect(outcome).toMatchObject({
      kind: "record",
      record: { status: "new", inAmount: "123.45", provider: best.ramp, transactionType: "buy" },
    });
  });

  test("sell quotes list no payment methods", async () => {
    const asked = { fiat: "EUR", crypto: "BTC", amount: decimal("0.05"), paymentMethod: "sepainstant" };
    const { quotes } = await upstream.fetchSellQuotes(asked);
    for (const quote of quotes) {
      expect(quote.availablePaymentMethods).toBeNull();
      expect(compareDecimals(quote.payout, zero)).toBe(1);
    }
  });
});

describe("the records", () => {
  test("every page to the end: no record is refused, none comes twice", async () => {
    const hashes: string[] = [];
    let cursor: string | null = null;
    for (let pages = 0; pages < 200; pages++) {
      const page = await upstream.fetchPage({ cursor });
      const { records, rejections } = normalisePage(page.rawRecords);
      expect(rejections).toEqual([]);
      hashes.push(...records.map(({ record }) => recordHash(record)));
      cursor = page.nextCursor;
      if (cursor === null) break;
    }
    expect(cursor).toBeNull();
    expect(hashes.length).toBeGreaterThanOrEqual(500);
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  test("by id: the list and the single answer are one record", async () => {
    const { rawRecords } = await upstream.fetchPage({ limit: 3 });
    const [first] = normalisePage(rawRecords).records;
    if (first === undefined) throw new Error("no records");
    const { transactionId } = first.record;
    const byId = normalisePage((await upstream.fetchPage({ ids: [transactionId] })).rawRecords).records;
    expect(new Set(byId.map(({ record }) => record.transactionId))).toEqual(new Set([transactionId]));
    const single = await upstream.fetchTransaction(transactionId);
    expect(byId).toContainEqual(single);
  });

  test("a wrong key, a wrong secret, an unknown id", async () => {
    const { apiKey, apiSecret } = sandbox;
    const strangers = [
      clientWith({ apiKey: "pk_other", apiSecret }),
      clientWith({ apiKey, apiSecret: "sk_other" }),
    ];
    for (const stranger of strangers) {
      expect((await failure(stranger.fetchPage())).code).toMatch(/^(unauthorized|forbidden)$/);
      await stranger.close();
    }
    expect(await failure(upstream.fetchTransaction("01H6DQWMRC0000000000000000"))).toMatchObject({
      code: "not_found",
    });
  });

  test("a window that ends before it begins is refused with the name of the field", async () => {
    const [from, to] = [formatInstant(Date.UTC(2026, 1, 2)), formatInstant(Date.UTC(2026, 1, 1))];
    expect(await failure(upstream.fetchPage({ from, to }))).toMatchObject({
      code: "bad_request",
      field: "endDateTime",
    });
  });

  test("a cursor of our own making is rejected as one", async () => {
    expect(await failure(upstream.fetchPage({ cursor: "nonsense" }))).toMatchObject({
      code: "cursor_rejected",
    });
  });
});

describe("the legacy surface", () => {
  const customer = {
    email: "ada@example.org",
    cryptocurrencyAddress: "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
  };

  const handlers: StepHandlers = {
    form: (_step, problems) => (problems.length === 0 ? { ...customer, email: "nobody" } : customer),
    iframe: payOn,
    redirect: payOn,
    pickOne: () => 0,
    file: () => ({ bytes: Buffer.from("a picture"), contentType: "image/png" }),
    wait: () => {},
    completed: () => {},
    requestBankTransaction: () => {},
    unknown: async () => null,
  };

  test("gateways of all countries", async () => {
    const { gateways, localization } = await upstream.fetchGateways({ country: "all", includeIcons: true });
    expect(gateways.length).toBeGreaterThan(0);
    expect(localization).not.toBeNull();
  });

  test("a small amount is below the minimum of a gateway, which says how much it wants", async () => {
    const asked = { fromCurrency: "EUR", toCurrency: "BTC", paymentMethod: "creditCard", amount: 1 };
    const errors = (await upstream.fetchRates(asked)).flatMap((rate) => (rate.available ? [] : [rate.error]));
    const tooSmall = errors.find((error) => error?.type === "MIN");
    expect(compareDecimals(tooSmall?.limit ?? zero, decimal(1))).toBe(1);
  });

  test.each(["creditCard", "applePay", "bankTransfer"])(
    "a purchase by %s runs to its end",
    async (paymentMethod) => {
      const asked = { fromCurrency: "EUR", toCurrency: "BTC", paymentMethod, amount: 100 };
      const available = (await upstream.fetchRates(asked)).filter((rate) => rate.available);
      expect(available.length).toBeGreaterThan(0);
      for (const { nextStep } of available) {
        const { end } = await upstream.runSteps(nextStep, handlers);
        expect(end).toBe(paymentMethod === "bankTransfer" ? "bank_transaction_requested" : "completed");
      }
      nowMs += 60_000;
    },
  );
});

/** Pays as a person would: the page is asked for, its button pressed, and its message handed on. */
async function payOn(page: { url: string }): Promise<unknown> {
  const pressed = await fetch(page.url, { method: "POST", body: new URLSearchParams({ decision: "pay" }) });
  const attribute = /data-message="([^"]*)"/.exec(await pressed.text())?.[1] ?? "";
  return JSON.parse(attribute.replaceAll("&quot;", '"').replaceAll("&amp;", "&"));
}
