import { z } from "zod";
import { decimalText } from "../decimal-text.ts";

/**
 * How far a person has come in a checkout, so that it survives a restart. Facts only: names, documents and card numbers
 * are looked at and forgotten, and of addresses and accounts no more is kept than a person needs to recognise them.
 */
export const progressSchema = z.object({
  transactionId: z.string(),
  /** `a•••@example.org` */
  emailHint: z.string().optional(),
  isEmailConfirmed: z.boolean().optional(),
  /** When the identity counts as checked; in the future while it is under review. */
  identityMs: z.int().optional(),
  /** How many payments were refused, and why the last one was. */
  refusals: z.int().optional(),
  lastRefusal: z.string().optional(),
  /** The card's bank wants to hear from its customer. */
  isChallenged: z.boolean().optional(),
  /** Where the money of a sale goes: `DE•••3000`. */
  payoutHint: z.string().optional(),
  /** What arrived for a sale, when it is not what was agreed. */
  received: decimalText.optional(),
});
export type Progress = z.output<typeof progressSchema>;
