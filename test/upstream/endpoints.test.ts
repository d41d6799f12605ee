import { describe, expect, test } from "vitest";
import { decimal } from "../../src/core/decimal.ts";
import { createUpstream } from "../../src/upstream/client.ts";
import type { StepHandlers } from "../../src/upstream/run-steps.ts";
import { failure, scripted } from "./client-for.ts";

const paymentType = { paymentTypeId: "creditcard", name: "Card", icon: "https://x/i.svg" };
const entry = { source: "USD", target: "BTC", amount: 300, paymentMethod: "creditcard", provider: "banxa" };

describe("the catalogue", () => {
  test("GET /supported", async () => {
    const btc = {
      id: "btc",
      code: "BTC",
      name: "Bitcoin",
      symbol: "btc",
      network: "bitcoin",
      decimals: 8,
      rank: 1,
    };
    const usd = { id: "usd", code: "USD", name: "US dollar", symbol: "$", icon: "https://x/usd.svg" };
    const { upstream, server } = await scripted([{ body: { message: { crypto: [btc], fiat: [usd] } } }]);
    const supported = await upstream.fetchSupported({ type: "sell" });
    expect(server.requests[0]?.path).toBe("/supported?type=sell");
    // `rank` is unknown and kept; what is shown but absent is null.
    expect(supported.crypto).toEqual([
      { ...btc, address: null, chainId: null, icon: null, networkDisplayName: null },
    ]);
    expect(supported.fiat).toEqual([usd]);
  });

  test("GET /supported/payment-types, all and of one fiat", async () => {
    const { upstream, server } = await scripted([
      { body: { message: { creditcard: paymentType } } },
      { body: { message: [paymentType] } },
    ]);
    expect(await upstream.fetchPaymentTypes({ country: "GB" })).toEqual({ creditcard: paymentType });
    expect(await upstream.fetchPaymentTypesOfFiat("e/r", { type: "buy" })).toEqual([paymentType]);
    expect(server.requests.map(({ path }) => path)).toEqual([
      "/supported/payment-types?country=GB",
      "/supported/payment-types/e%2Fr?type=buy",
    ]);
  });

  test("GET /supported/defaults/all", async () => {
    const { upstream } = await scripted([
      { body: { message: { recommended: entry, defaults: { US: entry } } } },
    ]);
    const defaults = await upstream.fetchDefaults();
    expect(defaults.recommended?.amount).toBe("300");
    expect(defaults.defaults["US"]).toEqual({ ...entry, amount: "300" });
  });

  test("GET /supported/assets", async () => {
    const asset = { fiat: "usd", paymentMethods: ["ach"], crypto: ["usdc_base", "btc"] };
    const { upstream, server } = await scripted([{ body: { message: { assets: [asset], country: "US" } } }]);
    expect(await upstream.fetchAssets({ source: "usd" })).toEqual({ assets: [asset], country: "US" });
    expect(server.requests[0]?.path).toBe("/supported/assets?source=usd");
  });

  test("GET /supported/onramps/all and /supported/onramps", async () => {
    const look = {
      displayName: "Banxa",
      icon: "i",
      icons: { svg: "s", png: { "32x32": "a", "160x160": "b" } },
    };
    const recommendations = [{ type: "SuccessRate", paymentMethods: ["ach"] }];
    const available = {
      onramp: "banxa",
      ...look,
      country: "US",
      paymentMethods: ["ach"],
      recommendedPaymentMethod: "ach",
    };
    const { upstream, server } = await scripted([
      { body: { message: [{ id: "banxa", ...look }] } },
      { body: { message: [{ ...available, recommendations }, available] } },
    ]);
    expect(await upstream.fetchProviders()).toEqual([{ id: "banxa", ...look }]);
    const asked = { source: "usd", destination: "btc", recommendations: true };
    expect(await upstream.fetchProviderAvailability(asked)).toEqual([
      { ...available, recommendations },
      { ...available, recommendations: [] },
    ]);
    expect(server.requests[1]?.path).toBe(
      "/supported/onramps?source=usd&destination=btc&recommendations=true",
    );
  });
});

describe("quotes", () => {
  const quote =
    '{"rate":78240.281234567890123,"networkFee":0.5,"transactionFee":3.99,"payout":0.012781140000000001,' +
    '"ramp":"moonpay","quoteId":"q1","paymentMethod":"creditcard","recommendations":["BestPrice"],"score":0.5';
  const refusal = {
    ramp: "banxa",
    paymentMethod: "ach",
    quoteId: "q2",
    errors: [{ type: "LimitMismatch", errorId: 6103, message: "too little", minAmount: 20.5 }],
  };

  test("to buy: exact digits, and refusals apart", async () => {
    const body = `[${quote},"availablePaymentMethods":[${JSON.stringify(paymentType)}]},${JSON.stringify(refusal)}]`;
    const { upstream, server } = await scripted([{ body }]);
    const asked = { fiat: "USD", crypto: "BTC", amount: decimal("1000.50"), country: "US", uuid: "u" };
    const { quotes, refusals } = await upstream.fetchBuyQuotes(asked);
    expect(server.requests[0]?.path).toBe("/quotes/USD/BTC?amount=1000.5&uuid=u&country=US");
    expect(quotes).toEqual([
      {
        rate: "78240.281234567890123",
        networkFee: "0.5",
        transactionFee: "3.99",
        payout: "0.012781140000000001",
        ramp: "moonpay",
        quoteId: "q1",
        paymentMethod: "creditcard",
        recommendations: ["BestPrice"],
        availablePaymentMethods: [paymentType],
        score: 0.5,
      },
    ]);
    expect(refusals).toEqual([
      {
        ...refusal,
        errors: [
          {
            type: "LimitMismatch",
            errorId: "6103",
            message: "too little",
            minAmount: "20.5",
            maxAmount: null,
          },
        ],
      },
    ]);
  });

  test("to sell: the crypto first, and type=sell", async () => {
    const { upstream, server } = await scripted([{ body: `[${quote}}]` }]);
    const { quotes } = await upstream.fetchSellQuotes({
      fiat: "EUR",
      crypto: "usdc_base",
      amount: decimal("1e-7"),
    });
    expect(server.requests[0]?.path).toBe("/quotes/usdc_base/EUR?amount=0.0000001&type=sell");
    expect(quotes[0]?.availablePaymentMethods).toBeNull();
  });

  test.each([
    ["[1].payout", `${quote.replace("0.012781140000000001", '"much"')}}`],
    ["[1].errors[0].minAmount", JSON.stringify({ ramp: "banxa", errors: [{ minAmount: "little" }] })],
    ["[1].ramp", "{}"],
  ])("an error names the field: %s", async (field, second) => {
    const { upstream } = await scripted([{ body: `[${quote}},${second}]` }]);
    const error = await failure(upstream.fetchBuyQuotes({ fiat: "USD", crypto: "BTC", amount: decimal(1) }));
    expect(error).toMatchObject({ code: "body_unexpected", field });
  });
});

describe("checkout", () => {
  const message = {
    validationInformation: true,
    status: "in_progress",
    sessionInformation: {
      onramp: "banxa",
      amount: 100.5,
      expiringTime: 1_700_000_000,
      sessionId: "s1",
      country: "US",
    },
    transactionInformation: {
      transactionId: "t1",
      url: "https://pay/x",
      type: "iframe",
      params: { permissions: "camera" },
    },
  };

  test("a URL to come back to is sent URL-encoded, a wallet with all that it holds", async () => {
    const { upstream, server } = await scripted([{ body: { message } }]);
    const success = new URL("https://shop.example/done?order=7");
    await upstream.createCheckout({
      onramp: "banxa",
      source: "USD",
      destination: "XRP",
      amount: decimal(1),
      wallet: { address: "r1", memo: "42", tag: 7 },
      supportedParams: { theme: { isDark: true }, partnerData: { redirectUrl: { success } } },
    });
    expect(JSON.parse(String(server.requests[0]?.body))).toMatchObject({
      wallet: { address: "r1", memo: "42", tag: 7 },
      supportedParams: {
        theme: { isDark: true },
        partnerData: { redirectUrl: { success: "https%3A%2F%2Fshop.example%2Fdone%3Forder%3D7" } },
      },
    });
  });

  test("POST /checkout/intent sends the amount as a number with all its digits", async () => {
    const { upstream, server } = await scripted([{ body: { message } }]);
    const checkout = await upstream.createCheckout({
      onramp: "banxa",
      source: "USD",
      destination: "BTC",
      amount: decimal("0.123456789012345678"),
      type: "buy",
      partnerContext: "order 7",
      metaData: { quoteId: "q1" },
      wallet: { address: "bc1q" },
      supportedParams: {
        theme: { isDark: true, borderRadius: null },
        partnerData: { redirectUrl: { success: "x" } },
      },
    });
    expect(server.requests[0]).toMatchObject({ method: "POST", path: "/checkout/intent" });
    expect(server.requests[0]?.headers["content-type"]).toBe("application/json");
    expect(server.requests[0]?.body).toBe(
      '{"onramp":"banxa","source":"USD","destination":"BTC","amount":0.123456789012345678,"type":"buy",' +
        '"partnerContext":"order 7","metaData":{"quoteId":"q1"},"wallet":{"address":"bc1q"},' +
        '"supportedParams":{"theme":{"isDark":true,"borderRadius":null},"partnerData":{"redirectUrl":{"success":"x"}}}}',
    );
    expect(checkout).toMatchObject({
      status: "in_progress",
      sessionInformation: { amount: "100.5", expiringTime: 1_700_000_000, sessionId: "s1" },
      transactionInformation: { transactionId: "t1", url: "https://pay/x" },
    });
  });

  test("an answer without a transaction is an error that names it", async () => {
    const { transactionInformation: _, ...without } = message;
    const { upstream } = await scripted([{ body: { message: without } }]);
    const request = { onramp: "banxa", source: "USD", destination: "BTC", amount: decimal(1) };
    expect(await failure(upstream.createCheckout(request))).toMatchObject({
      code: "body_unexpected",
      field: "message.transactionInformation",
      endpoint: "POST /checkout/intent",
    });
  });
});

describe("the legacy surface", () => {
  test("GET /gateways, below its own path", async () => {
    const gateway = {
      identifier: "Banxa",
      paymentMethods: ["creditCard"],
      fiatCurrencies: [{ code: "EUR", precision: 2 }],
      cryptoCurrencies: [{ code: "BTC", precision: 5, network: "bitcoin" }],
    };
    const localization = { country: "GB", state: null, currency: "GBP" };
    const { upstream, server } = await scripted([{ body: { gateways: [gateway, gateway], localization } }]);
    const answer = await upstream.fetchGateways({ country: "all", includeIcons: false });
    expect(server.requests[0]?.path).toBe("/legacy/gateways?country=all&includeIcons=false");
    expect(answer).toEqual({ gateways: [gateway, gateway], localization });
  });

  test("GET /rate, available and unavailable gateways mixed", async () => {
    const duration = { seconds: 60, message: "a minute" };
    const nextStep = {
      type: "form",
      url: "https://x/f",
      data: [{ type: "string", name: "email", humanName: "E-mail" }],
    };
    const requiredKYC = ["phone", ["passport", "idCard"]];
    const available = {
      identifier: "A",
      duration,
      available: true,
      rate: 9377.48125,
      fees: 4.99,
      requiredKYC,
      receivedCrypto: 0.01013,
      nextStep,
    };
    const unavailable = {
      identifier: "B",
      duration,
      available: false,
      error: { type: "MIN", message: "more", limit: 20 },
    };
    const { upstream, server } = await scripted([{ body: [available, unavailable] }]);
    const asked = {
      fromCurrency: "EUR",
      toCurrency: "BTC",
      paymentMethod: "creditCard",
      amount: 100,
      amountInCrypto: false,
    };
    expect(await upstream.fetchRates(asked)).toEqual([
      { ...available, rate: "9377.48125", fees: "4.99", receivedCrypto: "0.01013" },
      { ...unavailable, error: { type: "MIN", message: "more", limit: "20" } },
    ]);
    expect(server.requests[0]?.path).toBe("/legacy/rate/EUR/BTC/creditCard/100?amountInCrypto=false");
  });

  test.each([0, -1, 1.5, Number.NaN])("an amount of %s is our own mistake", async (amount) => {
    const { upstream } = await scripted([{ body: [] }]);
    const asked = { fromCurrency: "EUR", toCurrency: "BTC", paymentMethod: "creditCard", amount };
    await expect(upstream.fetchRates(asked)).rejects.toThrow(RangeError);
  });

  test("without its address it cannot be called, and says so", async () => {
    const { server } = await scripted([]);
    const settings = { baseUrl: server.url, apiKey: "k", apiSecret: "s" };
    const alone = createUpstream({ ...settings, now: () => 0, random: () => 0, sleep: async () => {} });
    await expect(alone.fetchGateways()).rejects.toThrow(/legacyBaseUrl/);
    await expect(alone.runSteps({ type: "completed" }, {} as StepHandlers)).rejects.toThrow(/legacyBaseUrl/);
    await alone.close();
  });
});
