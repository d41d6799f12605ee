import { type Change, list, setting } from "./changes.ts";
import { lie } from "./lie.ts";
import { type Fault, type Json, proxyOrigin, type WireRequest } from "./wrong-server.ts";

const gateways = /^\/legacy\/gateways$/;
const rate = /^\/legacy\/rate\//;
const steps = /^\/legacy\/(?!gateways|rate)/;
const form = /^\/legacy\/steps\/form/;
const file = /^\/legacy\/steps\/file/;

/** Lies of the right shape on the legacy surface. */
export const gatewayLies: readonly Fault[] = [
  gateway("offer-something", "gateways take no money", setting({ fiatCurrencies: [] })),
  local("localization-currency-is-a-fiat", "people pay in shells", setting({ currency: "SHELL" })),
  local("localization-is-the-callers", "the caller is in Japan", setting({ country: "JP" })),
  lie("gateways.country-is-the-one-asked", "every country is the United States", gateways, {
    ask: ({ query }) => query.has("country") && query.get("country") !== "all" && query.set("country", "US"),
  }),
  lie("gateways.country-is-alpha-2-or-all", "there is a country called USA", gateways, {
    serve: async (request, forward) =>
      request.query.get("country") === "USA"
        ? {
            status: 200,
            text: '{"gateways":[],"localization":{"country":"USA","state":null,"currency":"USD"}}',
          }
        : forward(request),
  }),
  lie("gateways.country-selects", "everything is offered everywhere", gateways, {
    answer: (json) => json,
    ask: ({ query }) => query.set("country", "all"),
  }),
  lie("gateways.include-icons-are-urls-that-open", "icons of gateways lead nowhere", gateways, {
    serve: async (request, forward) => {
      const reply = await forward(request);
      return request.query.has("includeIcons")
        ? {
            ...reply,
            text: reply.text.replaceAll(/http[^"]+\.(svg|png)/g, `${proxyOrigin}/no-such-icon.svg`),
          }
        : reply;
    },
  }),

  available("figures-are-positive", "a purchase brings less than nothing", setting({ receivedCrypto: -1 })),
  available("something-is-received", "a purchase brings nothing", setting({ receivedCrypto: 0 })),
  available("figures-belong-together", "the rate has nothing to do with what is received", (item) => ({
    ...item,
    rate: Number(item["rate"]) * 1.3,
  })),
  lie("rate.available.gateway-lists-what-it-sells", "gateways sell what they do not list", gateways, {
    answer: (json) => ({
      ...json,
      gateways: list(json["gateways"]).map((one, index) =>
        index === 0 ? one : { ...one, cryptoCurrencies: list(one["cryptoCurrencies"]).slice(-1) },
      ),
    }),
  }),
  limit("min.limit-is-above-the-amount", "the minimum is below the amount refused", "MIN", () => 0.5),
  limit("min.limit-is-the-minimum", "the minimum is one unit too low", "MIN", (value) => value - 1),
  limit("min.limit-is-the-minimum", "the minimum is one unit too high", "MIN", (value) => value + 1),
  limit("max.limit-is-the-maximum", "the maximum is one unit too low", "MAX", (value) => value - 1),
  limit("max.limit-is-the-maximum", "the maximum is one unit too high", "MAX", (value) => value + 1),
  limit(
    "min.limit-is-the-minimum-in-crypto",
    "the minimum in crypto leaves the fees out",
    "MIN",
    (value) => value * 1.2,
    true,
  ),
  limit(
    "max.limit-is-the-maximum-in-crypto",
    "the maximum in crypto leaves the fees out",
    "MAX",
    (value) => value * 1.2,
    true,
  ),
  lie("rate.none-available.says-what-to-change", "no amount is ever enough", rate, {
    answer: (json, { path }) => {
      const amount = Number(path.split("/").at(-1));
      return amount < 100
        ? list(json).map((one) => ({
            identifier: one["identifier"],
            duration: one["duration"],
            available: false,
            error: { type: "MIN", message: "more", limit: amount + 1 },
          }))
        : json;
    },
  }),
  lie("rate.every-gateway-answers", "three of the gateways answer", rate, {
    answer: (json) => list(json).slice(0, 3),
  }),
  lie("rate.country-selects", "rates are those of Germany everywhere", rate, {
    ask: ({ query }) => query.set("country", "DE"),
  }),
  lie("rate.amount-is-a-positive-integer", "one and a half is a whole amount", rate, {
    ask: (request) => void (request.path = request.path.replace(/\/1\.5$/, "/200")),
  }),
  lie("rate.amount-may-be-large", "a million million is not an integer", rate, {
    serve: async (request, forward) =>
      request.path.endsWith("/1000000000000")
        ? { status: 400, text: '{"message":"no integer"}' }
        : forward(request),
  }),
  lie("rate.amount.counts", "any amount buys as much", rate, {
    answer: (json) =>
      list(json).map((one) =>
        (one["available"] as unknown) === true ? { ...one, receivedCrypto: 0.003 } : one,
      ),
  }),
  lie("rate.payment-method-is-of-the-gateways", "any way to pay will do", rate, {
    ask: (request) => void (request.path = request.path.replace("/conformance/", "/creditCard/")),
  }),

  stepped("types-are-those-of-the-table", "a step is a dance", (answer) => ({ ...answer, type: "dance" })),
  lie("steps.urls-are-of-the-earlier-surface", "forms are sent elsewhere", rate, {
    answer: (json) =>
      list(json).map((one) => ({
        ...one,
        nextStep: { ...one["nextStep"], url: `${proxyOrigin}/elsewhere` },
      })),
  }),
  lie("steps.form.is-a-post", "a form is answered to whoever looks", form, {
    serve: async (request, forward) =>
      request.method === "GET" ? { status: 200, text: '{"type":"completed"}' } : forward(request),
  }),
  wrong(
    "form.body-that-is-not-json-names-a-field",
    "a body that is not JSON gets no field",
    (body) => body === "no JSON",
    { message: "no JSON" },
  ),
  wrong("form.body-that-is-a-list-names-a-field", "a list gets no field", (body) => body === "[]", {
    message: "a list",
  }),
  wrong("form.names-the-field-at-fault", "another field is blamed", (body) => body.includes('""'), {
    message: "wrong",
    field: "email2",
  }),
  lie("steps.form.can-be-corrected", "a corrected wallet is swallowed", form, { serve: firstAnswerAgain() }),
  stepped("form.fields", "a second form has no names", () => ({
    type: "form",
    url: `${proxyOrigin}/legacy/steps/form/x`,
    data: [{ humanName: "Mail" }],
  })),
  lie("steps.pick-one-leads-to-a-step", "choices lead nowhere", form, {
    answer: (json) =>
      (json["type"] as unknown) === "pickOne" ? { ...json, options: [{ title: "Passport" }] } : json,
  }),
  lie("steps.file-gives-the-next-step", "files are never taken", file, {
    serve: async () => ({ status: 500, text: "{}" }),
  }),
  lie("steps.iframe-page-opens", "pages in frames are not found", /^\/legacy\/steps\/page/, {
    serve: async () => ({ status: 404, text: "{}" }),
  }),
  lie("steps.redirect-page-opens", "pages of wallets are not found", /^\/legacy\/steps\/page/, {
    serve: async () => ({ status: 404, text: "{}" }),
  }),
  stepped("bank-transfer-ends-the-flow", "a bank transfer is not the end", (json) =>
    (json["type"] as unknown) === "requestBankTransaction"
      ? { ...json, nextStep: { type: "completed" } }
      : json,
  ),
  lie("steps.lead-to-an-end", "files lead to files", file, {
    answer: (_, { path }) => ({ type: "file", url: `${proxyOrigin}${path}` }),
  }),
];

function gateway(check: string, name: string, change: Change): Fault {
  return lie(`gateways.${check}`, name, gateways, {
    answer: (json) => ({ ...json, gateways: list(json["gateways"]).map(change) }),
  });
}

function local(check: string, name: string, change: Change): Fault {
  return lie(`gateways.${check}`, name, gateways, {
    answer: (json) => ({ ...json, localization: change(json["localization"] ?? {}) }),
  });
}

function available(check: string, name: string, change: Change): Fault {
  return lie(`rate.available.${check}`, name, rate, {
    answer: (json) => list(json).map((one) => ((one["available"] as unknown) === true ? change(one) : one)),
  });
}

function limit(
  check: string,
  name: string,
  type: string,
  change: (value: number) => number,
  inCrypto = false,
): Fault {
  const spoilt = (one: Json) =>
    (one["error"]?.["type"] as unknown) === type
      ? { ...one, error: { ...one["error"], limit: change(Number(one["error"]?.["limit"])) } }
      : one;
  return lie(`rate.${check}`, name, rate, {
    answer: (json, { query }) => (query.has("amountInCrypto") === inCrypto ? list(json).map(spoilt) : json),
  });
}

/** Every answer of a step changed. */
function stepped(check: string, name: string, change: (json: Json) => unknown): Fault {
  return lie(`steps.${check}`, name, steps, { answer: change });
}

/** A form that answers a wrong body in its own way. */
function wrong(check: string, name: string, when: (body: string) => boolean, answer: object): Fault {
  return lie(`steps.${check}`, name, form, {
    serve: async (request, forward) =>
      when(request.body) ? { status: 400, text: JSON.stringify(answer) } : forward(request),
  });
}

/** Whoever has an id gets the purchase as it was first made: the mistake that sends coins to the wrong wallet. */
function firstAnswerAgain(): NonNullable<Fault["serve"]> {
  const bodies = new Map<string, string>();
  return async (request: WireRequest, forward) => {
    const right = request.body.includes("@");
    const first = right ? (bodies.get(request.path) ?? request.body) : request.body;
    if (right) bodies.set(request.path, first);
    return forward({ ...request, body: first });
  };
}
