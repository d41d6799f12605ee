import type { OpenAPIHono } from "@hono/zod-openapi";
import { openPurchase } from "../checkout/open-purchase.ts";
import { readRedirectUrl } from "../checkout/redirect-url.ts";
import { checkoutUrl } from "../checkout/routes.ts";
import { isEnabled } from "../accounts/account.ts";
import { resolveCountry, type Caller, type SandboxDeps, type SandboxEnv } from "../context.ts";
import { addEndpoint } from "../endpoint.ts";
import { isDown } from "../open-providers.ts";
import { RefusedError } from "../refusal.ts";
import { refuseTooManyOrders } from "../trouble/user-limits.ts";
import { exactNumber } from "../wire.ts";
import { looksLikeAddress } from "../world/address-form.ts";
import { findPaymentType } from "../world/lookup.ts";
import { serves } from "../world/market.ts";
import type { Asset, Provider } from "../world/types.ts";
import { checkoutIntentRequest, checkoutIntentResponse, type CheckoutIntent } from "./checkout-schemas.ts";
import { fiatAmountOf, missedBy, quoteOf, type QuoteWish } from "./offers.ts";
import { readPair } from "./pair.ts";
import { quotedCountry, readQuoteId } from "./quote-id.ts";

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
    ({ c, caller, body }) => {
      const country = quotedCountry(body.metaData?.quoteId ?? "") ?? resolveCountry(deps, c, undefined);
      const { provider, wish } = readOrder(deps, caller, body, country);
      const quote = quoteOf(deps, provider, wish);
      refuseMissedLimit(deps, caller, provider, wish, fiatAmountOf(quote, wish));
      const theme = body.supportedParams?.theme;
      const purchase = openPurchase(deps, caller, {
        ...wish,
        provider,
        inAmount: wish.amount,
        outAmount: quote.payout,
        walletAddress: body.wallet.address,
        walletMemo: body.wallet.memo ?? body.wallet.tag ?? undefined,
        partnerContext: body.partnerContext,
        redirectUrl: readRedirectUrl(body.supportedParams?.partnerData?.redirectUrl?.success),
        theme,
        quotedMs: wish.atMs,
      });
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
            expiringTime:
              deps.switches.dialect.expiring === "seconds"
                ? Math.floor(purchase.expiresMs / 1000)
                : purchase.expiresMs,
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
  caller: Caller,
  body: CheckoutIntent,
  country: string,
): { provider: Provider; wish: QuoteWish } {
  const { world } = deps;
  const provider = readProvider(deps, caller, body.onramp);
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
  refuseWrongAddress(deps, pair.asset, body.wallet.address);
  const { amount, uuid: user } = body;
  const wish: QuoteWish = { ...pair, country, method, amount, atMs: deps.now(), user };
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

function readProvider(deps: SandboxDeps, caller: Caller, id: string): Provider {
  const provider = deps.world.providerById.get(id.toLowerCase());
  if (!provider) {
    throw new RefusedError(
      "UNKNOWN_PROVIDER",
      "onramp: no such provider; GET /supported/onramps/all lists them",
      "onramp",
    );
  }
  if (!isEnabled(caller, provider.id)) {
    throw new RefusedError(
      "PROVIDER_NOT_ENABLED",
      `onramp: ${provider.displayName} is not enabled for this key; GET /supported/onramps/all lists those that are`,
      "onramp",
    );
  }
  if (isDown(deps, provider)) {
    throw new RefusedError(
      "PROVIDER_UNAVAILABLE",
      `${provider.displayName} does not answer; choose another or try again later.`,
      "onramp",
      30,
    );
  }
  return provider;
}

/** The form only, as a wallet would: coins sent to an address of another chain are gone. */
function refuseWrongAddress({ world }: SandboxDeps, asset: Asset, address: string): void {
  const network = world.networkById.get(asset.network);
  if (!network || looksLikeAddress(network, address)) return;
  throw new RefusedError(
    "INVALID_PARAMETER",
    `wallet.address: that is not an address on ${network.displayName}`,
    "wallet.address",
  );
}

function refuseMissedLimit(
  deps: SandboxDeps,
  caller: Caller,
  provider: Provider,
  wish: QuoteWish,
  fiatAmount: ReturnType<typeof fiatAmountOf>,
): void {
  refuseTooManyOrders(deps, caller, wish.user);
  const missed = missedBy(deps, caller, provider, wish, fiatAmount);
  if (!missed) return;
  const bound = missed.type === "MIN" ? "at least" : "at most";
  throw new RefusedError(
    "LIMIT_MISMATCH",
    `amount: ${provider.displayName} accepts ${bound} ${missed.limit} ${wish.fiat.code}`,
    "amount",
  );
}
