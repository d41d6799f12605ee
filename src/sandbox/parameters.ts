import { z } from "@hono/zod-openapi";
import { compareDecimals, decimal, parseDecimal, zero, type Decimal } from "../core/decimal.ts";
import { isIsoCountry } from "./world/iso-countries.ts";

/** The parameters that several endpoints share, each with the words of its refusal. */

export const sideParameter = z
  .enum(["buy", "sell"], { error: "expected buy or sell" })
  .default("buy")
  .openapi({ type: "string", enum: ["buy", "sell"], default: "buy" });

export const countryParameter = z
  .string()
  .transform((code) => code.toUpperCase())
  .refine(isIsoCountry, "expected a two-letter ISO 3166-1 code such as US or GB")
  .optional()
  .openapi({ type: "string", example: "US", description: "Left out: the country of the request's address" });

export const booleanParameter = z
  .enum(["true", "false"], { error: "expected true or false" })
  .default("false")
  .transform((word) => word === "true")
  .openapi({ type: "boolean", default: false });

/** No honest order is larger, and no sum of them overflows anything. */
const amountMax = decimal("1000000000000");

export const amountParameter = z
  .string({ error: "is required: a positive number such as 100" })
  .transform((text, issues): Decimal => {
    const amount = parseDecimal(text);
    const problem = amountProblem(amount);
    if (amount !== null && problem === null) return amount;
    issues.addIssue(problem ?? notPositive);
    return z.NEVER;
  })
  .openapi({ type: "number", example: 100 });

/** Why this cannot be the amount of an order; `null` when it can. */
export function amountProblem(amount: Decimal | null): string | null {
  if (amount === null || compareDecimals(amount, zero) <= 0) return notPositive;
  return compareDecimals(amount, amountMax) > 0 ? `expected at most ${amountMax}` : null;
}

const notPositive = "expected a positive number such as 100";
