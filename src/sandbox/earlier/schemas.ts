import { z } from "@hono/zod-openapi";

/** The shapes of the legacy surface. Fields beyond the specification are those seen in practice. */

const currency = z.strictObject({ code: z.string(), precision: z.int() });

const gateway = z
  .strictObject({
    identifier: z.string(),
    paymentMethods: z.array(z.string().openapi({ example: "creditCard" })),
    fiatCurrencies: z.array(currency),
    cryptoCurrencies: z.array(currency),
  })
  .openapi("Gateway");

const iconsByCode = z.record(z.string(), z.url());

export const gatewaysResponse = z.strictObject({
  gateways: z.array(gateway),
  localization: z.strictObject({
    country: z.string(),
    state: z.string().nullable(),
    currency: z.string(),
  }),
  icons: z
    .strictObject({
      cryptoCurrencies: iconsByCode,
      fiatCurrencies: iconsByCode,
      paymentMethods: iconsByCode,
    })
    .optional()
    .describe("With includeIcons=true"),
});

const fieldDescriptor = z.strictObject({
  type: z.string(),
  name: z.string(),
  humanName: z.string(),
  hint: z.string().optional(),
});

const followUrl = z.url().describe("Target of the step");

export const formStep = z.strictObject({
  type: z.literal("form"),
  url: followUrl,
  data: z.array(fieldDescriptor),
});
export const fileStep = z.strictObject({
  type: z.literal("file"),
  url: followUrl,
  acceptedContentTypes: z.array(z.string()),
});

/** Every step the sandbox sends. */
export const step = z
  .union([
    formStep,
    fileStep,
    z.strictObject({ type: z.enum(["iframe", "redirect"]), url: followUrl }),
    z.strictObject({
      type: z.literal("pickOne"),
      options: z.array(z.strictObject({ title: z.string(), description: z.string(), nextStep: fileStep })),
    }),
    z.strictObject({ type: z.literal("completed"), trackingUrl: z.url() }),
    z.strictObject({
      type: z.literal("requestBankTransaction"),
      depositBankAccount: z.strictObject({
        iban: z.string(),
        bic: z.string(),
        bankName: z.string(),
        bankAddress: z.string(),
        accountName: z.string(),
        accountAddress: z.string(),
      }),
      reference: z.string(),
      hint: z.string(),
    }),
  ])
  .openapi("Step");
export type Step = z.output<typeof step>;

const always = {
  identifier: z.string(),
  duration: z.strictObject({ seconds: z.int(), message: z.string() }),
  icons: z
    .strictObject({ fromCurrency: z.url(), toCurrency: z.url(), paymentMethod: z.url() })
    .optional()
    .describe("With includeIcons=true"),
};

export const ratesResponse = z.array(
  z
    .union([
      z.strictObject({
        ...always,
        available: z.literal(true),
        rate: z.number(),
        fees: z.number(),
        requiredKYC: z.array(z.union([z.string(), z.array(z.string())])),
        receivedCrypto: z.number(),
        nextStep: step,
      }),
      z.strictObject({
        ...always,
        available: z.literal(false),
        error: z.strictObject({
          type: z.string().openapi({ example: "MIN" }),
          message: z.string(),
          limit: z.number().describe("0 where no amount would help"),
        }),
      }),
    ])
    .openapi("RateEntry"),
);
