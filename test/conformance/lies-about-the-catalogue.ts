import { type Change, list, setting } from "./changes.ts";
import { credentials } from "./good-server.ts";
import { keyed, lie, listed } from "./lie.ts";
import { type Fault, type Json, proxyOrigin } from "./wrong-server.ts";

const nowhere = `${proxyOrigin}/no-such-icon.svg`;
const supported = /^\/supported$/;
const types = /^\/supported\/payment-types$/;
const typesOfFiat = /^\/supported\/payment-types\/./;
const defaults = /^\/supported\/defaults\/all$/;
const assets = /^\/supported\/assets$/;
const all = /^\/supported\/onramps\/all$/;
const pair = /^\/supported\/onramps$/;

/** Lies of the right shape about what there is: every field is there, and what it says is not so. */
export const catalogueLies: readonly Fault[] = [
  ...(["crypto", "fiat"] as const).flatMap((kind) => [
    lie(`supported.${kind}.ids-are-distinct`, `every ${kind} has one id`, supported, {
      answer: ({ message }) => ({
        message: { ...message, [kind]: list(message?.[kind]).map(setting({ id: "x" })) },
      }),
    }),
    lie(`supported.${kind}.icon-opens`, `icons of ${kind} lead nowhere`, supported, {
      answer: ({ message }) => ({
        message: { ...message, [kind]: list(message?.[kind]).map(setting({ icon: nowhere })) },
      }),
    }),
  ]),
  asset("supported.crypto.decimals-make-sense", "a coin has −8 decimals", setting({ decimals: -8 })),
  asset(
    "supported.crypto.address-is-of-one-token",
    "all tokens have one contract",
    setting({ address: "0x1", network: "base" }),
  ),
  lie("supported.crypto.chain-id-is-that-of-the-network", "one network has many chain ids", supported, {
    answer: ({ message }) => ({
      message: {
        ...message,
        crypto: list(message?.["crypto"]).map((item, index) => ({
          ...item,
          network: "base",
          chainId: index,
        })),
      },
    }),
  }),
  lie("supported.crypto-and-fiat-are-apart", "a coin is called like money", supported, {
    answer: ({ message }) => ({
      message: {
        ...message,
        crypto: list(message?.["crypto"]).map((item, index) =>
          index === 0 ? { ...item, code: "EUR" } : item,
        ),
      },
    }),
  }),
  lie("supported.type.sell-lists-what-can-be-sold", "nothing common can be sold", supported, {
    answer: ({ message }, { query }) =>
      query.get("type") === "sell"
        ? { message: { ...message, crypto: list(message?.["crypto"]).slice(-1) } }
        : { message },
  }),
  ...[
    ["supported", supported],
    ["payment-types", types],
    ["payment-types-of-fiat", typesOfFiat],
    ["defaults", defaults],
  ].flatMap(([group, at]) => [
    lie(`${String(group)}.type.is-buy-or-sell`, `${String(group)} takes any type`, at as RegExp, {
      ask: ({ query }) => query.get("type") === "swap" && query.set("type", "buy"),
    }),
    lie(`${String(group)}.type.sell-is-accepted`, `${String(group)} knows no sales`, at as RegExp, {
      serve: async (request, forward) =>
        request.query.get("type") === "sell"
          ? { status: 400, text: '{"message":"buy only"}' }
          : forward(request),
    }),
  ]),
  lie("payment-types.lists-the-method-that-quotes-default-to", "there is no creditcard", types, {
    answer: ({ message }) => ({
      message: Object.fromEntries(Object.entries(message ?? {}).filter(([id]) => id !== "creditcard")),
    }),
  }),
  lie("payment-types.icon-opens", "icons of payment types lead nowhere", types, {
    answer: ({ message }) => ({ message: keyed(message, setting({ icon: nowhere })) }),
  }),
  lie("payment-types.country-selects", "payment types are the same in every country", types, {
    ask: ({ query }) => query.set("country", "US"),
  }),
  lie("payment-types.sell-lists-what-sales-are-paid-by", "sales are paid by something else", types, {
    answer: ({ message }, { query }) =>
      query.get("type") === "sell"
        ? { message: Object.fromEntries([["ach", { ...message?.["ach"], paymentTypeId: "barter" }]]) }
        : { message },
  }),
  lie("payment-types-of-fiat.country-selects", "payment types of a fiat lack the last", typesOfFiat, {
    answer: ({ message }) => ({ message: list(message).slice(0, -1) }),
  }),
  entry("defaults.amount-is-positive", "people are advised to buy nothing", setting({ amount: 0 })),
  entry("defaults.provider-is-one", "an unknown provider is recommended", setting({ provider: "nobody" })),
  entry(
    "defaults.payment-method-is-offered-there",
    "an unknown payment method is recommended",
    setting({ paymentMethod: "barter" }),
  ),
  lie("defaults.recommended-can-be-bought", "a provider is recommended that does not quote", defaults, {
    answer: ({ message }) => ({
      message: { ...message, recommended: { ...message?.["recommended"], amount: 0.01 } },
    }),
  }),
  ...[
    ["assets", assets],
    ["onramps-all", all],
    ["onramps", pair],
  ].flatMap(([group, at]) => [
    lie(`${String(group)}.key.must-be-right`, `${String(group)} takes any key`, at as RegExp, {
      ask: ({ headers }) => {
        if (headers["authorization"] !== undefined) headers["authorization"] = credentials.apiKey;
      },
    }),
    lie(`${String(group)}.key.refusal-is-json`, `${String(group)} refuses in HTML`, at as RegExp, {
      serve: async (request, forward) => {
        const reply = await forward(request);
        return reply.status === 401 ? { status: 401, text: "<h1>401</h1>" } : reply;
      },
    }),
  ]),
  lie("assets.key-comes-without-a-scheme", "a scheme is as good as a key", assets, {
    ask: ({ headers }) => {
      if (headers["authorization"] === "Bearer") headers["authorization"] = credentials.apiKey;
    },
  }),
  lie("assets.country-that-is-none", "there is a country called ZZ", assets, {
    serve: async (request, forward) => {
      if (request.query.get("country") !== "ZZ") return forward(request);
      return { status: 200, text: '{"message":{"assets":[],"country":"ZZ"}}' };
    },
  }),
  lie("assets.crypto-ids-are-of-known-assets", "assets are made up", assets, {
    answer: ({ message }) => ({
      message: { ...message, assets: list(message?.["assets"]).map(setting({ crypto: ["gold_moon"] })) },
    }),
  }),
  listed("onramps-all.ids-are-distinct", "all providers are one", all, setting({ id: "moonpay" })),
  lie("onramps-all.icon-opens", "icons of providers lead nowhere", all, {
    answer: ({ message }) => ({ message: list(message).map(setting({ icon: nowhere })) }),
  }),
  lie("onramps-all.icons-svg-opens", "svg icons lead nowhere", all, {
    answer: ({ message }) => ({
      message: list(message).map((item) => ({ ...item, icons: { ...item["icons"], svg: nowhere } })),
    }),
  }),
  lie("onramps-all.icons-png-have-their-size", "small icons are large", all, {
    answer: ({ message }) => ({ message: list(message).map(largeIcons) }),
  }),
  lie("onramps.country-is-the-one-asked", "providers are those of the United States", pair, {
    ask: ({ query }) => query.set("country", "US"),
  }),
  listed(
    "onramps.looks-like-the-provider",
    "a provider goes by another name",
    pair,
    setting({ displayName: "Best Coins" }),
  ),
  listed(
    "onramps.payment-methods-are-known",
    "providers take shells",
    pair,
    setting({ paymentMethods: ["shells"], recommendedPaymentMethod: "shells" }),
  ),
  listed(
    "onramps.recommended-method-is-one-of-them",
    "a method is recommended that is not offered",
    pair,
    setting({ recommendedPaymentMethod: "barter" }),
  ),
  lie("onramps.recommendations.are-about-offered-methods", "recommendations are about something else", pair, {
    answer: ({ message }, { query }) =>
      query.has("recommendations") && query.get("recommendations") === "true"
        ? {
            message: list(message).map(
              setting({ recommendations: [{ type: "SuccessRate", paymentMethods: ["barter"] }] }),
            ),
          }
        : { message },
  }),
];

function asset(check: string, name: string, change: Change): Fault {
  return lie(check, name, supported, {
    answer: ({ message }) => ({ message: { ...message, crypto: list(message?.["crypto"]).map(change) } }),
  });
}

function entry(check: string, name: string, change: Change): Fault {
  return lie(check, name, defaults, {
    answer: ({ message }) => ({
      message: {
        recommended: change(message?.["recommended"] ?? {}),
        defaults: keyed(message?.["defaults"], change),
      },
    }),
  });
}

function largeIcons(item: Json): unknown {
  const png: Json = item["icons"]?.["png"] ?? {};
  return { ...item, icons: { ...item["icons"], png: { ...png, "32x32": png["160x160"] } } };
}
