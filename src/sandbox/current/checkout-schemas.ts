import { z } from "@hono/zod-openapi";
import type { Decimal } from "../../core/decimal.ts";
import { themeSchema } from "../checkout/theme.ts";
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

const text = (charactersMax: number) =>
  z.string({ error: "expected a text" }).max(charactersMax, `expected at most ${charactersMax} characters`);

/** Programs that have no value for a field leave it out or send null. */
const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? undefined);

const anObject = { error: "expected an object" };

/** On some chains an address needs a tag or memo beside it, and servers call it by different names. */
const wallet = z
  .looseObject(
    {
      address: words("bc1q…"),
      memo: text(200).nullish(),
      tag: text(200).nullish(),
    },
    { error: "expected an object with the address to deliver to" },
  )
  .refine((value) => Object.keys(value).length <= 10, "expected at most 10 members");

/** Which fields are required is not shown: what an order cannot be made without is. */
export const checkoutIntentRequest = z
  .object({
    onramp: words("moonpay"),
    source: words("usd"),
    destination: words("btc"),
    amount,
    type: z
      .enum(["buy", "sell"], { error: "expected buy or sell" })
      .nullish()
      .transform((side) => side ?? "buy")
      .openapi({ type: ["string", "null"], enum: ["buy", "sell", null], default: "buy" }),
    paymentMethod: words("creditcard")
      .nullish()
      .transform((method) => method ?? "creditcard")
      .openapi({ type: ["string", "null"], example: "creditcard", default: "creditcard" }),
    network: optional(words("bitcoin")),
    uuid: optional(z.uuid({ error: "expected a UUID" })),
    partnerContext: optional(text(1000)),
    originatingHost: optional(text(255)),
    metaData: optional(z.object({ quoteId: optional(words("01J8Z6…moonpay")) }, anObject)),
    wallet,
    supportedParams: optional(
      z.object(
        {
          theme: optional(themeSchema),
          partnerData: optional(
            z.object(
              { redirectUrl: optional(z.object({ success: optional(text(2000)) }, anObject)) },
              anObject,
            ),
          ),
        },
        anObject,
      ),
    ),
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
        wallet: z.looseObject({ address: z.string() }),
        supportedParams: z.strictObject({ theme: themeSchema.optional() }).optional(),
        country: z.string().regex(/^[A-Z]{2}$/),
        expiringTime: z.int().describe("Unix seconds; see the dialects"),
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
