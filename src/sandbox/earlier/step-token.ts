import { createHmac, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import type { SandboxDeps } from "../context.ts";
import { RefusedError } from "../refusal.ts";
import { decimalText } from "../decimal-text.ts";

/**
 * The address of a step carries what the step needs, signed. So listing rates keeps nothing, however often it is
 * done, and a step still works after a restart.
 */
export const offerToken = z.object({
  step: z.literal("form"),
  transactionId: z.string(),
  /** Of the account that asked for the rate. */
  apiKey: z.string(),
  providerId: z.string(),
  fiat: z.string(),
  asset: z.string(),
  method: z.string(),
  country: z.string(),
  inAmount: decimalText,
  outAmount: decimalText,
  atMs: z.int(),
});
export type OfferToken = z.output<typeof offerToken>;

/** After the first form the order is in the journal, and its id is enough. */
export const documentToken = z.object({ step: z.literal("file"), transactionId: z.string() });
export const paymentToken = z.object({ step: z.literal("page"), transactionId: z.string() });

export function sealToken(
  deps: SandboxDeps,
  token: OfferToken | z.output<typeof documentToken> | z.output<typeof paymentToken>,
): string {
  const text = Buffer.from(JSON.stringify(token)).toString("base64url");
  return `${text}.${sign(deps, text).toString("base64url")}`;
}

/** Reads a token of that kind; one that we did not seal, or sealed for another step, is not a step. */
export function openToken<Kind extends z.ZodType>(
  deps: SandboxDeps,
  kind: Kind,
  sealed: string,
): z.output<Kind> {
  const [text = "", signature = "", more] = sealed.split(".");
  // As text: reading base64 forgives what does not belong there, and the address would have many spellings.
  const given = Buffer.from(signature);
  const right = Buffer.from(sign(deps, text).toString("base64url"));
  if (more !== undefined || given.length !== right.length || !timingSafeEqual(given, right))
    throw unknownStep();
  const token = kind.safeParse(JSON.parse(Buffer.from(text, "base64url").toString()));
  if (!token.success) throw unknownStep();
  return token.data;
}

function sign(deps: SandboxDeps, text: string): Buffer {
  return createHmac("sha256", `steps:${deps.accounts.first.apiSecret}`).update(text).digest().subarray(0, 12);
}

function unknownStep(): RefusedError {
  return new RefusedError("NOT_FOUND", "There is no such step; ask for rates again.");
}
