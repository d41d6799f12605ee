import { type Change, list, setting } from "./changes.ts";
import { lie } from "./lie.ts";
import { type Fault, type Json, proxyOrigin } from "./wrong-server.ts";

const quotes = /^\/quotes\//;
const intent = /^\/checkout\/intent$/;
const onramps = /^\/supported\/onramps$/;
const single = /^\/transactions\/./;

/** Lies of the right shape about prices and checkouts. */
export const tradeLies: readonly Fault[] = [
  ...(["buy", "sell"] as const).flatMap((side) => [
    told(side, "rate-is-positive", "the rate is 0", setting({ rate: 0 })),
    told(side, "fees-are-not-negative", "fees are paid to the customer", setting({ networkFee: -3 })),
    told(side, "payout-is-positive", "the customer owes something", setting({ payout: -5 })),
    told(side, "figures-belong-together", "the rate has nothing to do with the payout", scaled("rate", 1.2)),
    told(side, "quote-ids-are-distinct", "all quotes have one id", setting({ quoteId: "q" })),
    told(
      side,
      "best-price-is-the-best",
      "everything is the best price",
      setting({ recommendations: ["BestPrice"] }),
    ),
    told(side, "ramps-are-distinct", "every quote is moonpay's", setting({ ramp: "moonpay" })),
  ]),
  lie("buy-quotes.come-from-all-available-providers", "one provider quotes for all", quotes, {
    answer: (json, { query }) => (query.has("type") ? json : list(json).slice(0, 1)),
  }),
  lie(
    "buy-quotes.come-from-available-providers-only",
    "a provider quotes that does not serve the pair",
    onramps,
    {
      answer: ({ message }) => ({ message: list(message).slice(1) }),
    },
  ),
  told(
    "buy",
    "available-payment-methods-hold-the-quoted-one",
    "the quoted method is not available",
    setting({ availablePaymentMethods: [] }),
  ),
  lie("buy-quotes.small-amounts-bring-something", "small amounts are eaten by fees", quotes, {
    answer: (json, { query }) =>
      Number(query.get("amount")) <= 50 ? list(json).map(setting({ payout: 0 })) : json,
  }),
  lie("buy-quotes.amount.is-positive", "there are quotes for nothing", quotes, {
    ask: ({ query }) => Number(query.get("amount")) <= 0 && query.set("amount", "100"),
  }),
  lie("sell-quotes.amount.is-positive", "there is money for nothing", quotes, {
    ask: ({ query }) =>
      query.get("type") === "sell" && Number(query.get("amount")) <= 0 && query.set("amount", "0.004"),
  }),
  lie("sell-quotes.type.is-buy-or-sell", "any type is a sale", quotes, {
    ask: ({ query }) => query.get("type") === "swap" && query.set("type", "sell"),
  }),
  lie("buy-quotes.amount.counts", "the amount bought is always the same", quotes, {
    ask: ({ query }) => query.has("amount") && !query.has("type") && query.set("amount", "300"),
  }),
  lie("sell-quotes.amount.counts", "the amount sold is always the same", quotes, {
    ask: ({ query }) => query.get("type") === "sell" && query.set("amount", "0.004"),
  }),
  lie("buy-quotes.optional-parameters-change-no-price", "a known customer sees one provider", quotes, {
    answer: (json, { query }) => (query.has("uuid") ? list(json).slice(0, 1) : json),
  }),
  lie("buy-quotes.country-selects", "quotes are those of Germany everywhere", quotes, {
    ask: ({ query }) => query.set("country", "DE"),
  }),
  lie("sell-quotes.optional-parameters-are-accepted", "a client name breaks the sale", quotes, {
    serve: async (request, forward) =>
      request.query.has("clientName") ? { status: 500, text: "{}" } : forward(request),
  }),
  lie("sell-quotes.type.default-is-buy", "crypto first means a sale", quotes, {
    ask: ({ path, query }) =>
      /^\/quotes\/(btc|eth|usdc)/i.test(path) && !query.has("type") && query.set("type", "sell"),
  }),
  lie("sell-quotes.pay-less-than-the-coins-cost", "sales pay half as much again", quotes, {
    answer: (json, { query }) =>
      query.get("type") === "sell"
        ? list(json).map((quote) => scaled("rate", 1.5)(scaled("payout", 1.5)(quote) as Json))
        : json,
  }),

  session("wallet-comes-back-as-sent", "the memo of a wallet is dropped", ({ wallet, ...rest }) => ({
    ...rest,
    wallet: { address: wallet?.["address"] },
  })),
  session("expires-soon", "the session expired in 1970", setting({ expiringTime: 1 })),
  session("expires-soon", "the session never expires", setting({ expiringTime: 99_999_999_999 })),
  session(
    "keeps-to-itself-what-is-not-shown",
    "the client's reference is repeated",
    setting({ partnerContext: "conformance" }),
  ),
  session("keeps-to-itself-what-is-not-shown", "the way back to the shop is repeated", (item) => ({
    ...item,
    supportedParams: { ...item["supportedParams"], partnerData: {} },
  })),
  session(
    "keeps-to-itself-what-is-not-shown",
    "the quote is repeated",
    setting({ metaData: { quoteId: "q" } }),
  ),
  transaction(
    "url-opens",
    "the page to present is not found",
    setting({ url: `${proxyOrigin}/no-such-page` }),
  ),
  transaction(
    "can-be-read",
    "the transaction does not exist",
    setting({ transactionId: "01H6DQWMRC0000000000000000" }),
  ),
  lie("checkout.transaction.keeps-the-wallet", "coins go to another wallet", single, {
    answer: setting({ walletAddress: "bc1qother" }),
  }),
  lie("checkout.transaction.can-be-read", "a purchase is recorded as a sale", single, {
    answer: setting({ transactionType: "sell" }),
  }),
  lie("checkout.ids-are-of-one-checkout", "all checkouts are one session", intent, {
    answer: ({ message }) => ({
      message: { ...message, sessionInformation: { ...message?.["sessionInformation"], sessionId: "s" } },
    }),
  }),
  lie("checkout.quote-id.is-taken-back", "quotes are forgotten at once", intent, {
    serve: async (request, forward) =>
      request.body.includes('"metaData"')
        ? { status: 400, text: '{"message":"no such quote"}' }
        : forward(request),
  }),
  lie("checkout.quote-id.must-be-one", "any quote id will do", intent, {
    ask: (request) =>
      void (request.body = request.body
        .replace(/"metaData":\{"quoteId":"conformance[^}]*\},?/, "")
        .replace(",}", "}")),
  }),
  lie("checkout.quote-id.keeps-its-country", "the country of a quote is forgotten", intent, {
    answer: ({ message }) => ({
      message: { ...message, sessionInformation: { ...message?.["sessionInformation"], country: "US" } },
    }),
  }),
  lie("checkout.sell-is-accepted", "sales cannot be checked out", intent, {
    serve: async (request, forward) =>
      request.body.includes('"type":"sell"')
        ? { status: 400, text: '{"message":"buy only"}' }
        : forward(request),
  }),
  swallows("type-is-buy-or-sell", "any type is checked out", /"type":"swap"/, '"type":"buy"'),
  swallows(
    "onramp-is-a-provider",
    "any provider is checked out",
    /"onramp":"conformance-nobody"/,
    '"onramp":"moonpay"',
  ),
  swallows("amount-is-a-number", "an amount may be words", /"amount":"a lot"/, '"amount":100'),
  swallows(
    "network-is-the-assets",
    "any network will do",
    /"network":"conformance-no-such-network"/,
    '"network":"bitcoin"',
  ),
  swallows(
    "uuid-is-one",
    "a uuid may be anything",
    /"uuid":"u1"/,
    '"uuid":"1b0e9a52-52c5-4b5b-8d0f-3f7d6c1c2a77"',
  ),
  swallows(
    "wallet-is-an-address",
    "a wallet may be anything",
    /"address":"not an address !!!"/,
    '"address":"bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"',
  ),
  swallows("theme-is-typed", "a theme may be anything", /"isDark":"yes"/, '"isDark":true'),
];

function told(side: "buy" | "sell", check: string, name: string, change: Change): Fault {
  return lie(`${side}-quotes.${check}`, `${name} (${side})`, quotes, {
    answer: (json, { query }) =>
      (query.get("type") === "sell") === (side === "sell") ? list(json).map(change) : json,
  });
}

function scaled(field: string, factor: number): Change {
  return (item) => ({ ...item, [field]: Number(item[field]) * factor });
}

function session(check: string, name: string, change: Change): Fault {
  return lie(`checkout.session.${check}`, name, intent, {
    answer: ({ message }) => ({
      message: { ...message, sessionInformation: change(message?.["sessionInformation"] ?? {}) },
    }),
  });
}

function transaction(check: string, name: string, change: Change): Fault {
  return lie(`checkout.transaction.${check}`, name, intent, {
    answer: ({ message }) => ({
      message: { ...message, transactionInformation: change(message?.["transactionInformation"] ?? {}) },
    }),
  });
}

/** A checkout that takes what it should refuse. */
function swallows(check: string, name: string, wrong: RegExp, right: string): Fault {
  return lie(`checkout.${check}`, name, intent, {
    ask: (request) => void (request.body = request.body.replace(wrong, right)),
  });
}
