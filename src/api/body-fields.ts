import { z } from "@hono/zod-openapi";
import { type Decimal, parseDecimal } from "../core/decimal.ts";
import { type DayOrInstant, parseDayOrInstant } from "../core/period.ts";

/** Fields of bodies that several nouns take. */

export function textField(lengthMax: number) {
  return z
    .string()
    .trim()
    .min(1)
    .max(lengthMax)
    .regex(/^[^\0]*$/, "holds a NUL character");
}

/** Why someone did it: kept for good, beside what was done. */
export const reasonField = textField(1_000).openapi({ example: "confirmed by mail of 12 November" });

export const accountNames = z
  .array(z.string().regex(/^[^\0]+$/))
  .min(1)
  .max(100);

export const providerName = z
  .string()
  .toLowerCase()
  .regex(/^[a-z0-9_.-]{1,60}$/, "is not a provider, such as moonpay")
  .openapi({ example: "moonpay" });

/** An exact amount; `what` says which are meant, where not all of them are. */
export function amountField(
  example: string,
  { what = "amount", isMeant = () => true }: { what?: string; isMeant?: (amount: Decimal) => boolean } = {},
) {
  return z
    .string()
    .transform((text, context): Decimal => {
      const amount = parseDecimal(text);
      if (amount !== null && isMeant(amount)) return amount;
      const message = `is not an ${what}, such as ${example}`;
      context.addIssue({ code: "custom", message, params: { code: "invalid_amount" } });
      return z.NEVER;
    })
    .openapi({ type: "string", example });
}

/** From when a match by hand or a decision counts. */
export const bookedAtField = z
  .string()
  .transform((text, context): DayOrInstant => {
    const time = parseDayOrInstant(text);
    if (time !== null) return time;
    context.addIssue({ code: "custom", message: "is not a day or time, such as 2026-10-31" });
    return z.NEVER;
  })
  .optional()
  .openapi({
    type: "string",
    description:
      "When it starts to count in the books: a day in the zone of the account's months, or a time; in an open period, and not in the future. If left out: now.",
    example: "2026-10-31",
  });
