import { asText, type Change, list, setting, without } from "./changes.ts";
import type { Fault, Json, WireRequest } from "./wrong-server.ts";

/** Wrong things of /supported, payment types and defaults. */
export const catalogueFaults: readonly Fault[] = [
  {
    name: "GET /supported answers with HTML",
    at: /^\/supported$/,
    serve: async () => ({ status: 200, text: "<html>maintenance</html>" }),
    reports: [
      "supported.is-json",
      "supported.wrapped-in-message",
      "supported.lists-crypto-and-fiat",
      "supported.type.sell-is-accepted",
    ],
  },
  {
    name: "GET /supported forgets the wrapper",
    at: /^\/supported$/,
    answer: (json) => json["message"],
    reports: [
      "supported.wrapped-in-message",
      "supported.lists-crypto-and-fiat",
      "supported.type.sell-is-accepted",
    ],
  },
  each("decimals are text", "crypto", asText("decimals"), ["supported.crypto.decimals-is-an-integer"]),
  each("chain ids are text", "crypto", asText("chainId"), ["supported.crypto.chain-id-is-an-integer"]),
  each("contract addresses are null", "crypto", setting({ address: null }), [
    "supported.crypto.address-is-a-string",
  ]),
  each("network names are left out", "crypto", without("networkDisplayName"), ["supported.crypto.network"]),
  each("icons of assets are relative", "crypto", setting({ icon: "/icons/a.svg" }), [
    "supported.crypto.icon-is-an-absolute-url",
  ]),
  each("icons of currencies are relative", "fiat", setting({ icon: "icon.png" }), [
    "supported.fiat.icon-is-an-absolute-url",
  ]),
  each("assets have no symbol", "crypto", without("symbol"), ["supported.crypto.texts"]),
  each("currencies have no code", "fiat", without("code"), ["supported.fiat.texts"]),
  {
    name: "GET /supported lists sales unless told otherwise",
    at: /^\/supported$/,
    answer: ({ message }, { query }) =>
      query.has("type")
        ? { message }
        : { message: { ...message, crypto: list(message?.["crypto"]).slice(1) } },
    reports: ["supported.type.default-is-buy"],
  },
  {
    name: "payment types come as a list",
    at: /^\/supported\/payment-types$/,
    answer: (json) => ({ message: Object.values(json["message"] ?? {}) }),
    reports: ["payment-types.keyed-by-id", "payment-types.country-is-accepted"],
  },
  {
    name: "payment types are keyed by name",
    at: /^\/supported\/payment-types$/,
    answer: ({ message }) => ({
      message: Object.fromEntries(
        Object.values(message ?? {}).map((type) => [String(type["name"] as unknown), type]),
      ),
    }),
    reports: ["payment-types.keyed-by-id"],
  },
  {
    name: "payment types of a currency come keyed",
    at: /^\/supported\/payment-types\/./,
    answer: ({ message }) => ({ message: { ...message } }),
    reports: ["payment-types-of-fiat.is-a-list", "payment-types-of-fiat.any-available-fiat"],
  },
  {
    name: "the recommended default ignores the country",
    at: /^\/supported\/defaults\/all$/,
    answer: ({ message }) => {
      const entry = { ...message?.["recommended"], amount: 4711 };
      return { message: { ...message, recommended: entry } };
    },
    reports: ["defaults.recommended-is-for-the-country-asked", "defaults.country-is-taken-from-the-address"],
  },
  {
    name: "default amounts are text",
    at: /^\/supported\/defaults\/all$/,
    answer: (json) => everyDefault(json, asText("amount")),
    reports: ["defaults.entry-fields"],
  },
  {
    name: "defaults name currencies that nobody supports",
    at: /^\/supported\/defaults\/all$/,
    answer: (json) => everyDefault(json, setting({ source: "XQQ", target: "NOCOIN" })),
    reports: ["defaults.source-is-a-fiat", "defaults.target-is-a-crypto"],
  },
  byDefault("payment-types", /^\/supported\/payment-types$/),
  byDefault("payment-types-of-fiat", /^\/supported\/payment-types\/./),
  types("payment types have no name", without("name"), [
    "payment-types.texts",
    "payment-types.country-is-accepted",
  ]),
  types("icons of payment types are relative", setting({ icon: "card.svg" }), [
    "payment-types.icon-is-an-absolute-url",
  ]),
  {
    name: "icons of payment types of a currency are relative",
    at: /^\/supported\/payment-types\/./,
    answer: ({ message }) => ({ message: list(message).map(setting({ icon: "card.svg" })) }),
    reports: ["payment-types-of-fiat.icon-is-an-absolute-url"],
  },
  {
    name: "defaults of countries are a list",
    at: /^\/supported\/defaults\/all$/,
    answer: ({ message }) => ({
      message: { ...message, defaults: Object.values(message?.["defaults"] ?? {}) },
    }),
    reports: ["defaults.recommended-and-per-country", "defaults.entry-fields"],
  },
  {
    name: "defaults are keyed by name of country",
    at: /^\/supported\/defaults\/all$/,
    answer: ({ message }) => ({
      message: { ...message, defaults: { ...message?.["defaults"], Atlantis: message?.["recommended"] } },
    }),
    reports: ["defaults.one-entry-per-country"],
  },
  {
    name: "defaults are for sales unless told otherwise",
    at: /^\/supported\/defaults\/all$/,
    answer: (json, { query }) =>
      query.has("type") ? json : everyDefault(json, setting({ paymentMethod: "ach" })),
    reports: ["defaults.type.default-is-buy"],
  },
];

function each(name: string, kind: "crypto" | "fiat", change: Change, reports: readonly string[]): Fault {
  return {
    name,
    at: /^\/supported$/,
    answer: ({ message }) => ({ message: { ...message, [kind]: list(message?.[kind]).map(change) } }),
    reports,
  };
}

function types(name: string, change: Change, reports: readonly string[]): Fault {
  const answer = ({ message }: Json) => ({
    message: Object.fromEntries(Object.entries(message ?? {}).map(([id, type]) => [id, change(type)])),
  });
  return { name, at: /^\/supported\/payment-types$/, answer, reports };
}

function byDefault(group: string, at: RegExp): Fault {
  const name = `${group} are those of sales unless told otherwise`;
  return { name, at, answer: lessByDefault, reports: [`${group}.type.default-is-buy`] };
}

function lessByDefault({ message }: Json, { query }: WireRequest): unknown {
  if (query.has("type") || message === undefined) return { message };
  const fewer = Object.entries(message).slice(1);
  return { message: Array.isArray(message) ? fewer.map(([, type]) => type) : Object.fromEntries(fewer) };
}

function everyDefault({ message }: Json, change: Change): unknown {
  const entries = Object.entries(message?.["defaults"] ?? {}).map(([country, entry]) => [
    country,
    change(entry),
  ]);
  return {
    message: { recommended: change(message?.["recommended"] ?? {}), defaults: Object.fromEntries(entries) },
  };
}
