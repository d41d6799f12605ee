import { asText, type Change, list, rewriting, setting, without } from "./changes.ts";
import type { Fault, Json, WireRequest } from "./wrong-server.ts";

const gateways = /^\/legacy\/gateways$/;
const rate = /^\/legacy\/rate\//;
const afterRate = /^\/legacy\/(?!gateways|rate)/;

/** Wrong things of the legacy surface. */
export const earlierFaults: readonly Fault[] = [
  {
    name: "gateways come without localization",
    at: gateways,
    answer: without("localization"),
    reports: ["gateways.list-and-localization", "gateways.localization-fields"],
  },
  {
    name: "a state that is not known is left out",
    at: gateways,
    answer: (json) => ({ ...json, localization: { country: "DE", currency: "EUR" } }),
    reports: ["gateways.localization-fields"],
  },
  gateway("precision is text", setting({ cryptoCurrencies: [{ code: "BTC", precision: "8" }] }), [
    "gateways.crypto-currencies",
  ]),
  gateway("fiat currencies are plain codes", setting({ fiatCurrencies: ["EUR"] }), [
    "gateways.fiat-currencies",
  ]),
  gateway("payment methods are objects", setting({ paymentMethods: [{ id: "creditCard" }] }), [
    "gateways.payment-methods-are-plain-ids",
  ]),
  gateway("gateways have no identifier", without("identifier"), ["gateways.identifier-is-a-string"]),
  {
    name: "country=all means one country",
    at: gateways,
    ask: ({ query }) => query.get("country") === "all" && query.set("country", "BR"),
    reports: ["gateways.country-all-is-the-union"],
  },
  {
    name: "icons are never included",
    at: gateways,
    ask: ({ query }) => query.delete("includeIcons"),
    reports: ["gateways.include-icons-adds"],
  },
  {
    name: "only gateways with icons are listed with icons",
    at: gateways,
    answer: (json, { query }) =>
      query.has("includeIcons")
        ? { ...json, gateways: list(json["gateways"]).slice(1), more: manyFields }
        : json,
    reports: ["gateways.include-icons-keeps-the-gateways"],
  },
  {
    name: "icons break the rates",
    at: rate,
    serve: async (request, forward) =>
      request.query.has("includeIcons") ? { status: 500, text: "oops" } : forward(request),
    reports: ["rate.include-icons-is-accepted"],
  },
  {
    name: "rates are wrapped",
    at: rate,
    answer: (json) => ({ rates: json }),
    reports: ["rate.is-an-array"],
  },
  entries("durations are plain seconds", setting({ duration: 600 }), ["rate.always-a-duration"]),
  entries("entries have no identifier", without("identifier"), ["rate.always-identifier-and-available"]),
  available("rates of gateways are text", asText("rate"), ["rate.available.figures"]),
  available("identity checks are one word", setting({ requiredKYC: "passport" }), [
    "rate.available.required-kyc",
  ]),
  available("alternatives of identity checks nest twice", setting({ requiredKYC: [[["passport"]]] }), [
    "rate.available.required-kyc",
  ]),
  available("available gateways have no next step", without("nextStep"), ["rate.available.next-step"]),
  available("step addresses are relative", step({ url: "/steps/1" }), ["rate.available.next-step"]),
  available("forms name their fields in words only", step({ data: [{ humanName: "Mail" }] }), [
    "rate.available.form-fields",
  ]),
  available("available gateways carry an error", setting({ error: { type: "OTHER", message: "" } }), [
    "rate.available.no-error",
  ]),
  unavailable("unavailable gateways give no reason", without("error"), ["rate.unavailable.error"]),
  unavailable("unavailable gateways give a rate", setting({ rate: 1 }), ["rate.unavailable.no-figures"]),
  unavailable("minimum amounts are left out", setting({ error: { type: "MIN", message: "too little" } }), [
    "rate.min.limit-is-above-the-amount",
    "rate.unavailable.error",
  ]),
  unavailable(
    "the minimum is too low",
    setting({ error: { type: "MIN", message: "too little", limit: 1.5 } }),
    ["rate.min.limit-is-the-minimum"],
  ),
  {
    name: "an amount below the minimum is an HTTP error",
    at: rate,
    serve: async (request, forward) =>
      request.path.endsWith("/1") ? { status: 400, text: '{"message":"too little"}' } : forward(request),
    reports: ["rate.min.is-not-an-http-error"],
  },
  {
    name: "a gateway quotes that is not listed",
    at: rate,
    answer: (json) => list(json).map(rewriting("identifier", (name) => `other-${name}`)),
    reports: ["rate.gateways-are-listed"],
  },
  {
    name: "an amount of nothing is sold",
    at: rate,
    ask: (request) => replacePart(request, 3, (amount) => (amount === "0" ? "200" : amount)),
    reports: ["rate.amount-is-a-positive-integer"],
  },
  {
    name: "crypto is sold for crypto",
    at: rate,
    ask: (request) => replacePart(request, 0, (code) => (/^(BTC|ETH|USDC|USDT)$/i.test(code) ? "EUR" : code)),
    reports: ["rate.from-currency-is-fiat"],
  },
  {
    name: "fiat is sold for fiat",
    at: rate,
    ask: (request) => replacePart(request, 1, (code) => (/^(EUR|USD|GBP)$/i.test(code) ? "BTC" : code)),
    reports: ["rate.to-currency-is-crypto"],
  },
  {
    name: "amountInCrypto is ignored",
    at: rate,
    answer: (json, { query }) =>
      query.has("amountInCrypto") ? list(json).map(setting({ receivedCrypto: 17 })) : json,
    reports: ["rate.amount-in-crypto"],
  },
  {
    name: "a wrong form gets an error without a field",
    at: afterRate,
    serve: async (request, forward) => {
      const reply = await forward(request);
      return reply.status >= 400 ? { ...reply, text: '{"error":"wrong"}' } : reply;
    },
    reports: ["steps.form.wrong-body-names-a-field"],
  },
  {
    name: "the wrong field of a form is one that it does not have",
    at: afterRate,
    serve: async (request, forward) => {
      const reply = await forward(request);
      return reply.status >= 400 ? { ...reply, text: '{"message":"wrong","field":"shoeSize"}' } : reply;
    },
    reports: ["steps.form.field-is-one-of-the-form"],
  },
  {
    name: "the step after a form has no type",
    at: afterRate,
    serve: async (request, forward) => {
      const reply = await forward(request);
      return request.method === "POST" && reply.status < 300 ? { ...reply, text: '{"step":{}}' } : reply;
    },
    reports: ["steps.form.gives-the-next-step"],
  },
  {
    name: "a choice has no options",
    at: /^\/legacy\/steps\/form\//,
    answer: without("options"),
    reports: ["steps.pick-one-has-options"],
  },
  {
    name: "the second form names its fields in words only",
    at: /^\/legacy\/steps\/form\//,
    answer: () => ({ type: "form", url: "http://127.0.0.1/more", data: [{ humanName: "Mail" }] }),
    reports: ["steps.form.fields"],
  },
  {
    name: "the page of a frame is not there",
    at: /^\/legacy\/steps\/page\//,
    serve: async () => ({ status: 404, text: "" }),
    reports: ["steps.iframe-page-opens"],
  },
];

/** Enough to hide the gateways that are missing from a count of fields. */
const manyFields = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`icon${index}`, "x"]));

function gateway(name: string, change: Change, reports: readonly string[]): Fault {
  const answer = (json: Json) => ({ ...json, gateways: list(json["gateways"]).map(change) });
  return { name, at: gateways, answer, reports };
}

function entries(name: string, change: Change, reports: readonly string[]): Fault {
  return { name, at: rate, answer: (json) => list(json).map(change), reports };
}

function available(name: string, change: Change, reports: readonly string[]): Fault {
  return entries(name, (one) => (isAvailable(one) ? change(one) : one), reports);
}

function unavailable(name: string, change: Change, reports: readonly string[]): Fault {
  return entries(name, (one) => (isAvailable(one) ? one : change(one)), reports);
}

function step(fields: Record<string, unknown>): Change {
  return (one) => ({ ...one, nextStep: { ...one["nextStep"], ...fields } });
}

function isAvailable(one: Json): boolean {
  return (one["available"] as unknown) === true;
}

/** The parts of a rate's path: from, to, payment method, amount. */
function replacePart(request: WireRequest, index: number, change: (part: string) => string): void {
  const parts = request.path.split("/");
  const first = parts.indexOf("rate") + 1;
  parts[first + index] = change(parts[first + index] ?? "");
  request.path = parts.join("/");
}
