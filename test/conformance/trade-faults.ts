import { asText, type Change, list, setting, without } from "./changes.ts";
import type { Fault, Json } from "./wrong-server.ts";

const buy = /^\/quotes\/[a-z]{3}\//;
const sell = /^\/quotes\//;
const intent = /^\/checkout\/intent$/;

/** Wrong things of quotes and of the checkout. */
export const tradeFaults: readonly Fault[] = [
  {
    name: "quotes are wrapped",
    at: buy,
    answer: (json) => ({ message: json }),
    reports: ["buy-quotes.top-level-array"],
  },
  quotes("rates are text", asText("rate"), ["buy-quotes.rate-is-a-number"]),
  quotes("fees are left out", without("networkFee"), ["buy-quotes.fees-are-numbers"]),
  quotes("payouts are text", asText("payout"), ["buy-quotes.payout-is-a-number"]),
  quotes("quotes have no id", without("quoteId"), ["buy-quotes.quote-id-is-present"]),
  quotes("quotes come from nobody", setting({ ramp: "nobody" }), ["buy-quotes.ramp-is-a-provider"]),
  quotes("recommendations are one word", setting({ recommendations: "BestPrice" }), [
    "buy-quotes.recommendations-are-strings",
  ]),
  quotes("buy quotes hide the other payment methods", without("availablePaymentMethods"), [
    "buy-quotes.available-payment-methods-present",
  ]),
  {
    name: "the default payment method is another",
    at: buy,
    answer: (json, { query }) =>
      query.has("paymentMethod") ? json : list(json).map(setting({ paymentMethod: "applepay" })),
    reports: ["buy-quotes.payment-method.default-is-creditcard"],
  },
  {
    name: "the payment method asked for is ignored",
    at: buy,
    ask: ({ query }) => query.delete("paymentMethod"),
    reports: ["buy-quotes.payment-method.is-the-one-asked"],
  },
  {
    name: "quotes need no amount",
    at: buy,
    ask: ({ query }) => query.has("amount") || query.set("amount", "100"),
    reports: ["buy-quotes.amount.is-required"],
  },
  {
    name: "a client name breaks the quotes",
    at: buy,
    serve: async (request, forward) =>
      request.query.has("clientName") ? { status: 500, text: '{"error":"oops"}' } : forward(request),
    reports: ["buy-quotes.optional-parameters-are-accepted"],
  },
  {
    name: "sell quotes are wrapped",
    at: sell,
    answer: (json, { query }) => (query.get("type") === "sell" ? { message: json } : json),
    reports: ["sell-quotes.top-level-array"],
  },
  sales("sell quotes list payment methods", setting({ availablePaymentMethods: [] }), [
    "available-payment-methods-absent",
  ]),
  sales("sell quotes have no recommendations", setting({ recommendations: null }), [
    "recommendations-are-strings",
  ]),
  sales("rates of sales are text", asText("rate"), ["rate-is-a-number"]),
  sales("fees of sales are left out", without("transactionFee"), ["fees-are-numbers"]),
  sales("payouts of sales are text", asText("payout"), ["payout-is-a-number"]),
  sales("quotes of sales have no id", setting({ quoteId: "" }), ["quote-id-is-present"]),
  sales("quotes of sales come from nobody", setting({ ramp: "nobody" }), ["ramp-is-a-provider"]),
  {
    name: "the default payment method of sales is another",
    at: sell,
    answer: (json, { query }) =>
      query.get("type") !== "sell" || query.has("paymentMethod")
        ? json
        : list(json).map(setting({ paymentMethod: "ach" })),
    reports: ["sell-quotes.payment-method.default-is-creditcard"],
  },
  {
    name: "the payment method asked for in a sale is ignored",
    at: sell,
    answer: (json, { query }) =>
      query.get("type") === "sell" && query.has("paymentMethod")
        ? list(json).map(setting({ paymentMethod: "any" }))
        : json,
    reports: ["sell-quotes.payment-method.is-the-one-asked"],
  },
  {
    name: "sales need no amount",
    at: sell,
    ask: ({ query }) => query.has("amount") || query.set("amount", "0.01"),
    reports: ["sell-quotes.amount.is-required"],
  },
  {
    name: "the checkout is not wrapped",
    at: intent,
    answer: ({ message }) => message,
    reports: ["checkout.wrapped-in-message"],
  },
  checkout("the checkout page is relative", { transactionInformation: { url: "/pay/1" } }, [
    "checkout.transaction.url-is-absolute",
  ]),
  checkout("the checkout has no frame permissions", { transactionInformation: { params: {} } }, [
    "checkout.transaction.permissions",
  ]),
  checkout("the session expires at a text", { sessionInformation: { expiringTime: "2030-01-01" } }, [
    "checkout.session.expiring-time-is-an-integer",
  ]),
  checkout("the country of the session is lower-case", { sessionInformation: { country: "de" } }, [
    "checkout.session.country-is-upper-case",
  ]),
  checkout("the session changes the amount", { sessionInformation: { amount: 1 } }, [
    "checkout.session.repeats-the-request",
  ]),
  checkout("the session loses the theme", { sessionInformation: { supportedParams: {} } }, [
    "checkout.session.carries-the-theme",
  ]),
  checkout("the checkout is valid in words", { validationInformation: "true" }, [
    "checkout.validation-information-is-a-boolean",
  ]),
  checkout("the state of a checkout is a number", { status: 1 }, ["checkout.status-is-a-string"]),
  checkout("the session has no id", { sessionInformation: { sessionId: null } }, [
    "checkout.session.has-an-id",
  ]),
  checkout("the transaction of a checkout has no id", { transactionInformation: { transactionId: "" } }, [
    "checkout.transaction.has-an-id",
  ]),
  {
    name: "a checkout body may be anything",
    at: intent,
    serve: async (request, forward) =>
      request.body.startsWith("{") ? forward(request) : { status: 200, text: '{"message":{}}' },
    reports: ["checkout.body-must-be-json"],
  },
];

function quotes(name: string, change: Change, reports: readonly string[]): Fault {
  return { name, at: buy, answer: (json) => list(json).map(change), reports };
}

function sales(name: string, change: Change, reports: readonly string[]): Fault {
  return {
    name,
    at: sell,
    answer: (json, { query }) => (query.get("type") === "sell" ? list(json).map(change) : json),
    reports: reports.map((check) => `sell-quotes.${check}`),
  };
}

/** Replaces fields of the answer to a checkout, one level deep. */
function checkout(name: string, fields: Record<string, unknown>, reports: readonly string[]): Fault {
  const answer = ({ message }: Json) => {
    const changed = Object.entries(fields).map(([key, value]) => [
      key,
      typeof value === "object" ? { ...message?.[key], ...value } : value,
    ]);
    return { message: { ...message, ...Object.fromEntries(changed) } };
  };
  return { name, at: intent, answer, reports };
}
