import { type Change, list, rewriting, setting, without } from "./changes.ts";
import { credentials } from "./good-server.ts";
import type { Fault, Json } from "./wrong-server.ts";

const assets = /^\/supported\/assets$/;
const all = /^\/supported\/onramps\/all$/;
const pair = /^\/supported\/onramps$/;

/** Wrong things of /supported/assets and /supported/onramps. */
export const providerFaults: readonly Fault[] = [
  open("assets", assets),
  open("onramps-all", all),
  open("onramps", pair),
  {
    name: "asset ids are joined by a dash",
    at: assets,
    answer: ({ message }) => ({
      message: {
        ...message,
        assets: list(message?.["assets"]).map(dashed),
      },
    }),
    reports: ["assets.crypto-ids-join-asset-and-network"],
  },
  {
    name: "the source of assets is ignored",
    at: assets,
    ask: ({ query }) => query.delete("source"),
    reports: ["assets.source.selects"],
  },
  {
    name: "only one currency's assets are given when none is named",
    at: assets,
    answer: ({ message }, { query }) =>
      query.has("source")
        ? { message }
        : { message: { ...message, assets: list(message?.["assets"]).slice(-1) } },
    reports: ["assets.source.omitted-gives-all-fiats"],
  },
  {
    name: "the country of assets is a name",
    at: assets,
    answer: ({ message }) => ({ message: { ...message, country: "Germany" } }),
    reports: ["assets.country-is-alpha-2", "assets.country-is-the-one-asked"],
  },
  {
    name: "provider icons are one address",
    at: all,
    answer: ({ message }) => ({
      message: list(message).map(rewriting("icons", () => "https://example.com/icon.svg")),
    }),
    reports: ["onramps-all.icons-svg-and-png"],
  },
  {
    name: "providers are listed without source and destination",
    at: pair,
    ask: ({ query }) => {
      if (!query.has("source")) query.set("source", "eur");
      if (!query.has("destination")) query.set("destination", "btc");
    },
    reports: ["onramps.source.is-required", "onramps.destination.is-required"],
  },
  {
    name: "countries of providers are lower-case",
    at: pair,
    answer: ({ message }) => ({
      message: list(message).map(rewriting("country", (country) => country.toLowerCase())),
    }),
    reports: ["onramps.country-is-upper-case"],
  },
  {
    name: "recommendations of providers come unasked",
    at: pair,
    ask: ({ query }) => query.get("recommendations") ?? query.set("recommendations", "true"),
    reports: ["onramps.recommendations.only-when-asked", "onramps.recommendations.default-is-false"],
  },
  {
    name: "a provider is available that is not enabled",
    at: pair,
    answer: ({ message }) => ({ message: list(message).map(setting({ onramp: "nobody" })) }),
    reports: ["onramps.are-enabled-for-the-key"],
  },
  schemed("assets", assets, "list-and-country"),
  schemed("onramps-all", all, "is-a-list"),
  schemed("onramps", pair, "is-a-list"),
  {
    name: "assets come without a country",
    at: assets,
    answer: ({ message }) => ({ message: without("country")(message ?? {}) }),
    reports: ["assets.list-and-country", "assets.country-is-alpha-2", "assets.country-is-the-one-asked"],
  },
  availability(
    "payment methods of assets are one text",
    rewriting("paymentMethods", () => "creditcard"),
    ["assets.payment-methods-are-strings"],
  ),
  {
    name: "assets are for currencies that are not supported",
    at: assets,
    answer: ({ message }) => ({
      message: {
        ...message,
        assets: [...list(message?.["assets"]), { fiat: "xqq", paymentMethods: [], crypto: [] }],
      },
    }),
    reports: ["assets.fiat-is-a-fiat-id", "assets.source.selects"],
  },
  providers("onramps-all", "providers have no name", without("displayName"), ["onramps-all.is-a-list"]),
  providers("onramps-all", "icons of providers are relative", setting({ icon: "icon.svg" }), [
    "onramps-all.icon-is-an-absolute-url",
  ]),
  providers("onramps", "no payment method is recommended", without("recommendedPaymentMethod"), [
    "onramps.is-a-list",
  ]),
  providers("onramps", "available providers look like nobody", without("icons"), [
    "onramps.looks-like-the-provider",
  ]),
  {
    name: "recommendations of providers are words",
    at: pair,
    answer: ({ message }, { query }) =>
      query.get("recommendations") === "true"
        ? { message: list(message).map(setting({ recommendations: ["SuccessRate"] })) }
        : { message },
    reports: ["onramps.recommendations.fields"],
  },
  {
    name: "only recommended providers are listed with recommendations",
    at: pair,
    answer: ({ message }, { query }) =>
      query.get("recommendations") === "true" ? { message: list(message).slice(0, 1) } : { message },
    reports: ["onramps.recommendations.change-nothing-else"],
  },
];

function open(group: string, at: RegExp): Fault {
  return {
    name: `${group} answers without a key`,
    at,
    ask: ({ headers }) => {
      headers["authorization"] = credentials.apiKey;
    },
    reports: [`${group}.key.is-required`],
  };
}

/** Wants a scheme before the key, as many servers do; the specification has none. */
function schemed(group: string, at: RegExp, shape: string): Fault {
  return {
    name: `${group} wants a scheme before the key`,
    at,
    serve: async () => ({ status: 401, text: '{"message":"expected Bearer"}' }),
    reports: [`${group}.key.is-the-header-itself`, `${group}.${shape}`],
  };
}

function availability(name: string, change: Change, reports: readonly string[]): Fault {
  const answer = ({ message }: Json) => ({
    message: { ...message, assets: list(message?.["assets"]).map(change) },
  });
  return { name, at: assets, answer, reports };
}

function providers(
  group: "onramps" | "onramps-all",
  name: string,
  change: Change,
  reports: readonly string[],
): Fault {
  const answer = ({ message }: Json) => ({ message: list(message).map(change) });
  return { name, at: group === "onramps" ? pair : all, answer, reports };
}

function dashed(entry: Json): unknown {
  return { ...entry, crypto: list(entry["crypto"]).map((id) => String(id as unknown).replace("_", "-")) };
}
