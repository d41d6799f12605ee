import { z, type OpenAPIHono } from "@hono/zod-openapi";
import { compareDecimals } from "../../core/decimal.ts";
import { preferredProvider } from "../accounts/account.ts";
import { resolveCountry, type Caller, type SandboxDeps, type SandboxEnv } from "../context.ts";
import { addEndpoint } from "../endpoint.ts";
import { amountParameter, countryParameter, sideParameter } from "../parameters.ts";
import { RefusedError } from "../refusal.ts";
import { exactNumber } from "../wire.ts";
import { findPaymentType } from "../world/lookup.ts";
import { methodsOf, successPerMille } from "../world/market.ts";
import { hash32 } from "../world/random.ts";
import { collectOffers, type Offer, type QuoteWish } from "./offers.ts";
import { readPair, type Pair } from "./pair.ts";
import { presentProblem } from "./quote-problem.ts";
import { makeQuoteId } from "./quote-id.ts";
import { quotesResponse } from "./schemas.ts";
import { presentPaymentType } from "./supported.ts";

/** Offers of all available providers for one amount, one pair and one payment method. */
export function addQuotes(app: OpenAPIHono<SandboxEnv>, deps: SandboxDeps): void {
  const { world } = deps;
  addEndpoint(
    app,
    deps,
    {
      method: "get",
      path: "/quotes/{source}/{destination}",
      operationId: "listQuotes",
      summary: "Quotes to buy (fiat/crypto) or, with type=sell, to sell (crypto/fiat)",
      tag: "current",
      auth: "optional",
      params: z.object({
        source: z.string().openapi({ example: "usd" }),
        destination: z.string().openapi({ example: "btc" }),
      }),
      query: z.object({
        amount: amountParameter,
        paymentMethod: z.string().default("creditcard"),
        uuid: z.string().optional().describe("The unique user id of the widget"),
        clientName: z.string().optional().describe("Adds the client's preferred provider"),
        type: sideParameter,
        country: countryParameter,
      }),
      response: quotesResponse,
    },
    ({ c, caller, params, query }) => {
      const pair = readPathPair(deps, params, query.type);
      const method = findPaymentType(world, query.paymentMethod);
      if (!method) {
        throw new RefusedError(
          "UNKNOWN_PAYMENT_METHOD",
          `paymentMethod: no such method as ${JSON.stringify(query.paymentMethod.slice(0, 40))}`,
          "paymentMethod",
        );
      }
      const country = resolveCountry(deps, c, query.country);
      const { amount, uuid: user } = query;
      const wish: QuoteWish = { ...pair, country, method, amount, atMs: deps.now(), user };
      const { offers, refusals } = collectOffers(deps, caller, wish);
      const preferred = preferredOffer(deps, caller, offers, query.clientName);
      return [
        ...offers.map((offer) =>
          presentOffer(deps, wish, offer, recommend(deps, wish, offers, { offer, preferred })),
        ),
        ...(deps.settings.quoteErrors ? refusals.map((each) => presentProblem(deps, wish, each)) : []),
      ];
    },
  );
}

/** Each word holds within this list: nobody in it pays out more, nobody in it succeeds more often. */
function recommend(
  deps: SandboxDeps,
  { method }: QuoteWish,
  offers: readonly Offer[],
  { offer, preferred }: { offer: Offer; preferred: Offer | undefined },
): string[] {
  const success = ({ provider }: Offer) => successPerMille(deps.world, provider, method.id);
  return [
    ...(offers.every((other) => compareDecimals(other.payout, offer.payout) <= 0) ? ["BestPrice"] : []),
    ...(offers.every((other) => success(other) <= success(offer)) ? ["SuccessRate"] : []),
    ...(offer.provider.kyc === "low" ? ["LowKyc"] : []),
    ...(preferred === offer ? ["ClientPreferred"] : []),
  ];
}

/** The one that the account's file prefers for this client; without such a line, every client has some favourite. */
function preferredOffer(
  deps: SandboxDeps,
  caller: Caller,
  offers: readonly Offer[],
  clientName: string | undefined,
): Offer | undefined {
  if (clientName === undefined) return undefined;
  const chosen = preferredProvider(caller, clientName);
  if (chosen !== undefined) return offers.find(({ provider }) => provider.id === chosen);
  return offers[hash32(deps.world.seed, "client", clientName) % offers.length];
}

function presentOffer(deps: SandboxDeps, wish: QuoteWish, offer: Offer, recommendations: string[]) {
  const methods = wish.side === "sell" ? null : methodsOf(deps.world, [offer.provider], wish);
  return {
    rate: exactNumber(offer.rate),
    networkFee: exactNumber(offer.networkFee),
    transactionFee: exactNumber(offer.transactionFee),
    payout: exactNumber(offer.payout),
    ...(methods && {
      availablePaymentMethods: methods.map((each) => presentPaymentType(deps.origin(), each)),
    }),
    ramp: offer.provider.id,
    quoteId: makeQuoteId(deps.world, offer.provider, wish),
    paymentMethod: wish.method.id,
    recommendations,
  };
}

function readPathPair(
  deps: SandboxDeps,
  params: { source: string; destination: string },
  side: string,
): Pair {
  const pair = inPath(() => readPair(deps.world, params.source, params.destination));
  if (pair.side === side) return pair;
  throw new RefusedError(
    "INVALID_PARAMETER",
    side === "buy"
      ? "type: selling crypto needs type=sell; to buy, put the fiat currency first"
      : "type: to sell, put the crypto asset first",
    "type",
  );
}

/** A currency in the path is part of what is asked for: not found, rather than a wrong parameter. */
function inPath<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    throw new RefusedError("CURRENCY_NOT_FOUND", error.message, error.field);
  }
}
