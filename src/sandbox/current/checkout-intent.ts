import type { OpenAPIHono } from "@hono/zod-openapi";
import { openPurchase } from "../checkout/open-purchase.ts";
import { readRedirectUrl } from "../checkout/redirect-url.ts";
import { checkoutUrl } from "../checkout/routes.ts";
import { resolveCountry, type SandboxDeps, type SandboxEnv } from "../context.ts";
import { addEndpoint } from "../endpoint.ts";
import { RefusedError } from "../refusal.ts";
import { exactNumber } from "../wire.ts";
import { findPaymentType } from "../world/lookup.ts";
import { missedLimit, serves } from "../world/market.ts";
import type { Provider } from "../world/types.ts";
import { checkoutIntentRequest, checkoutIntentResponse, type CheckoutIntent } from "./checkout-schemas.ts";
import { fiatAmountOf, quoteOf, type QuoteWish } from "./offers.ts";
import { readPair } from "./pair.ts";
import { readQuoteId } from "./quote-id.ts";

/** Starts a purchase or sale: everything is checked before anything is kept. */
export function addCheckoutIntent(app: OpenAPIHono<SandboxEnv>, deps: SandboxDeps): void {
  addEndpoint(
    app,
    deps,
    {
      method: "post",
      path: "/checkout/intent",
      operationId: "createCheckoutIntent",
      summary: "Creates a session and a transaction with a page to present to the user",
      tag: "current",
      auth: "key",
      body: checkoutIntentRequest,
      response: checkoutIntentResponse,
    },
    ({ c, body }) => {
      const { provider, wish } = readOrder(deps, body, resolveCountry(deps, c, undefined));
      const quote = quoteOf(deps, provider, wish);
      refuseMissedLimit(deps, provider, wish, fiatAmountOf(quote, wish));
      const purchase = openPurchase(deps, {
        ...wish,
        provider,
        inAmount: wish.amount,
        outAmount: quote.payout,
        walletAddress: body.wallet.address,
        partnerContext: body.partnerContext,
        redirectUrl: readRedirectUrl(body.supportedParams?.partnerData?.redirectUrl?.success),
      });
      const theme = body.supportedParams?.theme;
      return {
        message: {
          validationInformation: true,
          status: "in_progress",
          sessionInformation: {
            onramp: body.onramp,
            source: body.source,
            destination: body.destination,
            amount: exactNumber(body.amount),
            type: body.type,
            paymentMethod: body.paymentMethod,
            network: body.network ?? wish.asset.network,
            uuid: body.uuid,
            originatingHost: body.originatingHost,
            wallet: body.wallet,
            supportedParams: theme && { theme },
            country: wish.country,
            expiringTime: Math.floor(purchase.expiresMs / 1000),
            sessionId: purchase.sessionId,
          },
          transactionInformation: {
            transactionId: purchase.transactionId,
            url: checkoutUrl(deps.origin(), purchase),
            type: "iframe",
            params: { permissions: "accelerometer; autoplay; camera; gyroscope; payment; microphone" },
          },
        },
      };
    },
  );
}

function readOrder(
  deps: SandboxDeps,
  body: CheckoutIntent,
  country: string,
): { provider: Provider; wish: QuoteWish } {
  const { world } = deps;
  const provider = world.providerById.get(body.onramp.toLowerCase());
  if (!provider)
    throw new RefusedError(
      "UNKNOWN_PROVIDER",
      "onramp: no such provider; GET /supported/onramps/all lists them",
      "onramp",
    );
  const pair = readPair(world, body.source, body.destination, body.network);
  if (pair.side !== body.type) {
    throw new RefusedError(
      "INVALID_PARAMETER",
      `type: from ${body.source} to ${body.destination} is a ${pair.side}`,
      "type",
    );
  }
  const method = findPaymentType(world, body.paymentMethod);
  if (!method)
    throw new RefusedError("UNKNOWN_PAYMENT_METHOD", "paymentMethod: no such method", "paymentMethod");
  const wish: QuoteWish = { ...pair, country, method, amount: body.amount, atMs: deps.now() };
  if (!serves(provider, wish)) {
    throw new RefusedError(
      "NOT_AVAILABLE",
      `${provider.displayName} does not ${pair.side} ${pair.asset.id} for ${pair.fiat.code} by ${method.name} in ${country}; GET /quotes lists who does`,
      "onramp",
    );
  }
  const quoteId = body.metaData?.quoteId;
  // The quoted price stands, although prices have moved since.
  return quoteId === undefined
    ? { provider, wish }
    : { provider, wish: { ...wish, atMs: readQuoteId(world, provider, wish, quoteId) } };
}

function refuseMissedLimit(
  deps: SandboxDeps,
  provider: Provider,
  wish: QuoteWish,
  fiatAmount: ReturnType<typeof fiatAmountOf>,
): void {
  const missed = missedLimit(deps.world, { provider, fiat: wish.fiat, fiatAmount, atMs: wish.atMs });
  if (!missed) return;
  const bound = missed.type === "MIN" ? "at least" : "at most";
  throw new RefusedError(
    "LIMIT_MISMATCH",
    `amount: ${provider.displayName} accepts ${bound} ${missed.limit} ${wish.fiat.code}`,
    "amount",
  );
}
