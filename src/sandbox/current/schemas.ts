import { z } from "@hono/zod-openapi";

/** The shapes of the specification's "Resources and their fields", as the sandbox sends them. */

const url = z.url();
const message = <Payload extends z.ZodType>(payload: Payload) => z.strictObject({ message: payload });

const cryptoAsset = z
  .strictObject({
    id: z.string().openapi({ example: "usdc_base" }),
    code: z.string().openapi({ example: "USDC" }),
    name: z.string(),
    symbol: z.string(),
    network: z.string().openapi({ example: "base" }),
    decimals: z.int(),
    address: z.string().describe("Token contract; empty for natives"),
    chainId: z.int().describe("0 where the network has none"),
    icon: url,
    networkDisplayName: z.string(),
  })
  .openapi("CryptoAsset");

const fiatCurrency = z
  .strictObject({ id: z.string(), code: z.string(), name: z.string(), symbol: z.string(), icon: url })
  .openapi("FiatCurrency");

const paymentType = z
  .strictObject({ paymentTypeId: z.string().openapi({ example: "creditcard" }), name: z.string(), icon: url })
  .openapi("PaymentType");

const defaultsEntry = z
  .strictObject({
    source: z.string().openapi({ example: "USD" }),
    target: z.string().openapi({ example: "BTC" }),
    amount: z.number(),
    paymentMethod: z.string(),
    provider: z.string(),
  })
  .openapi("DefaultsEntry");

const icons = z.strictObject({ svg: url, png: z.strictObject({ "32x32": url, "160x160": url }) });

const provider = z
  .strictObject({ id: z.string(), displayName: z.string(), icon: url, icons })
  .openapi("Provider");

const providerAvailability = z
  .strictObject({
    onramp: z.string(),
    icon: url,
    icons,
    displayName: z.string(),
    country: z.string().regex(/^[A-Z]{2}$/),
    paymentMethods: z.array(z.string()),
    recommendedPaymentMethod: z.string(),
    recommendations: z
      .array(z.strictObject({ type: z.string(), paymentMethods: z.array(z.string()) }))
      .optional(),
  })
  .openapi("ProviderAvailability");

export const supportedResponse = message(
  z.strictObject({ crypto: z.array(cryptoAsset), fiat: z.array(fiatCurrency) }),
);
export const paymentTypesResponse = message(z.record(z.string(), paymentType));
export const fiatPaymentTypesResponse = message(z.array(paymentType));
export const defaultsResponse = message(
  z.strictObject({ recommended: defaultsEntry, defaults: z.record(z.string(), defaultsEntry) }),
);
export const assetsResponse = message(
  z.strictObject({
    assets: z.array(
      z.strictObject({
        fiat: z.string(),
        paymentMethods: z.array(z.string()),
        crypto: z.array(z.string().openapi({ example: "btc_bitcoin" })),
      }),
    ),
    country: z.string(),
  }),
);
export const providersResponse = message(z.array(provider));
export const availabilityResponse = message(z.array(providerAvailability));

export const quote = z
  .strictObject({
    rate: z.number(),
    networkFee: z.number(),
    transactionFee: z.number(),
    payout: z.number(),
    availablePaymentMethods: z.array(paymentType).optional(),
    ramp: z.string(),
    quoteId: z.string(),
    paymentMethod: z.string(),
    recommendations: z.array(z.string()),
  })
  .openapi("Quote");

/** Only with the switch `quoteErrors`: what some servers send, with HTTP 200, for a provider that cannot quote. */
const quoteProblem = z
  .strictObject({
    ramp: z.string(),
    paymentMethod: z.string(),
    errors: z.array(
      z.strictObject({
        type: z.string(),
        errorId: z.int(),
        message: z.string(),
        minAmount: z.number().optional(),
        maxAmount: z.number().optional(),
      }),
    ),
    quoteId: z.string(),
  })
  .openapi("QuoteProblem");

export const quotesResponse = z.array(z.union([quote, quoteProblem]));
