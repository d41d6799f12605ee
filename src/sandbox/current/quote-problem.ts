import type { SandboxDeps } from "../context.ts";
import { exactNumber } from "../wire.ts";
import { makeQuoteId } from "./quote-id.ts";
import type { QuoteRefusal, QuoteWish } from "./offers.ts";

/** A provider that cannot quote, in the shape seen in practice: an element of the list, with HTTP 200. */
export function presentProblem(deps: SandboxDeps, wish: QuoteWish, refusal: QuoteRefusal) {
  return {
    ramp: refusal.provider.id,
    paymentMethod: wish.method.id,
    errors: [describe(wish, refusal)],
    quoteId: makeQuoteId(deps.world, refusal.provider, wish),
  };
}

function describe({ method, fiat }: QuoteWish, { provider, reason }: QuoteRefusal) {
  const name = provider.displayName;
  switch (reason) {
    case "payment-method":
      return {
        type: "NoSupportedPaymentFound",
        errorId: 6101,
        message: `${name} does not take ${method.name} for ${fiat.code}`,
      };
    case "outage":
      return { type: "ProviderUnavailable", errorId: 6105, message: `${name} does not answer` };
    default:
      return {
        type: "LimitMismatch",
        errorId: 6103,
        message: `${name} accepts ${reason.type === "MIN" ? "at least" : "at most"} ${reason.limit} ${fiat.code}`,
        [reason.type === "MIN" ? "minAmount" : "maxAmount"]: exactNumber(reason.limit),
      };
  }
}
