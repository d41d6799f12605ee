import type { SandboxDeps } from "../context.ts";
import { exactNumber } from "../wire.ts";
import { makeQuoteId } from "./quote-id.ts";
import type { QuoteRefusal, QuoteWish } from "./offers.ts";

/** A provider that cannot quote, in the shape met in practice: an element of the list, with HTTP 200. */
export function presentProblem(deps: SandboxDeps, wish: QuoteWish, { provider, limit }: QuoteRefusal) {
  return {
    ramp: provider.id,
    paymentMethod: wish.method.id,
    errors: [
      limit
        ? {
            type: "LimitMismatch",
            errorId: 6103,
            message: `${provider.displayName} accepts ${limit.type === "MIN" ? "at least" : "at most"} ${limit.limit} ${wish.fiat.code}`,
            [limit.type === "MIN" ? "minAmount" : "maxAmount"]: exactNumber(limit.limit),
          }
        : {
            type: "NoSupportedPaymentFound",
            errorId: 6101,
            message: `${provider.displayName} does not take ${wish.method.name} for ${wish.fiat.code}`,
          },
    ],
    quoteId: makeQuoteId(deps.world, provider, wish),
  };
}
