import { z } from "@hono/zod-openapi";
import type { Decimal } from "../../core/decimal.ts";
import { amountProblem } from "../parameters.ts";
import { decimalOf } from "../wire.ts";

/** A number of the body, by its digits. */
const amount = z
  .unknown()
  .transform((value, issues): Decimal => {
    const found = decimalOf(value);
    const problem = amountProblem(found);
    if (found !== null && problem === null) return found;
    issues.addIssue(problem ?? "expected a positive number");
    return z.NEVER;
  })
  .openapi({ type: "number", example: 100 });

const words = (example: string) =>
  z
    .string({ error: `expected a text such as ${example}` })
    .min(1, "must not be empty")
    .max(200, "expected at most 200 characters")
    .openapi({ example });

const colour = z.string().max(64).optional();

const theme = z.object({
  isDark: z.boolean().optional(),
  themeName: z.string().max(64).optional(),
  primaryColor: colour,
  secondaryColor: colour,
  primaryTextColor: colour,
  secondaryTextColor: colour,
  cardColor: colour,
  // Shown as nullable, without a type: a number or a text with a unit.
  borderRadius: z
    .unknown()
    .optional()
    .openapi({ type: ["number", "string", "null"] }),
});

/** Which fields are required is not shown: what an order cannot be made without is. */
export const checkoutIntentRequest = z
  .object({
    onramp: words("moonpay"),
    source: words("usd"),
    destination: words("btc"),
    amount,
    type: z.enum(["buy", "sell"], { error: "expected buy or sell" }).default("buy"),
    paymentMethod: words("creditcard").default("creditcard"),
    network: words("bitcoin").optional(),
    uuid: z.uuid({ error: "expected a UUID" }).optional(),
    partnerContext: z.string().max(1000, "expected at most 1000 characters").optional(),
    originatingHost: z.string().max(255).optional(),
    metaData: z.object({ quoteId: words("01J8Z6…moonpay").optional() }).optional(),
    wallet: z.object(
      { address: words("bc1q…") },
      { error: "expected an object with the address to deliver to" },
    ),
    supportedParams: z
      .object({
        theme: theme.optional(),
        partnerData: z
          .object({ redirectUrl: z.object({ success: z.string().max(2000).optional() }).optional() })
          .optional(),
      })
      .optional(),
  })
  .openapi("CheckoutIntentRequest");

export type CheckoutIntent = z.output<typeof checkoutIntentRequest>;

export const checkoutIntentResponse = z
  .strictObject({
    message: z.strictObject({
      validationInformation: z.boolean(),
      status: z.string().openapi({ example: "in_progress" }),
      sessionInformation: z.strictObject({
        onramp: z.string(),
        source: z.string(),
        destination: z.string(),
        amount: z.number(),
        type: z.enum(["buy", "sell"]),
        paymentMethod: z.string(),
        network: z.string(),
        uuid: z.string().optional(),
        originatingHost: z.string().optional(),
        wallet: z.strictObject({ address: z.string() }),
        supportedParams: z.strictObject({ theme: theme.optional() }).optional(),
        country: z.string().regex(/^[A-Z]{2}$/),
        expiringTime: z.int().openapi({ description: "Unix seconds" }),
        sessionId: z.string(),
      }),
      transactionInformation: z.strictObject({
        transactionId: z.string(),
        url: z.url(),
        type: z.string().openapi({ example: "iframe" }),
        params: z.strictObject({ permissions: z.string() }),
      }),
    }),
  })
  .openapi("CheckoutIntentResponse");
