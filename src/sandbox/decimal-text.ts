import { z } from "zod";
import { parseDecimal, type Decimal } from "../core/decimal.ts";

/** An amount in our own files and tokens, where it is text. */
export const decimalText = z.string().transform((text, issues): Decimal => {
  const amount = parseDecimal(text);
  if (amount !== null) return amount;
  issues.addIssue("not a decimal");
  return z.NEVER;
});
