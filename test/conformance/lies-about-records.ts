import { type Change, list, rewriting, setting } from "./changes.ts";
import { lie } from "./lie.ts";
import type { Fault, Json } from "./wrong-server.ts";

const page = /^\/transactions$/;

/** Lies of the right shape about what happened. */
export const recordLies: readonly Fault[] = [
  record("api-key-is-one", "records have many owners", (item) => ({
    ...item,
    apiKey: `pk_${idOf(item).slice(-2)}`,
  })),
  record("amounts-are-not-negative", "a purchase costs less than nothing", (item) => ({
    ...item,
    inAmount: -Number(item["inAmount"]),
  })),
  record("completed-has-amounts", "completed orders brought nothing", setting({ outAmount: 0 })),
  record("amounts-are-worth-each-other", "paid and received are swapped", (item) => ({
    ...item,
    inAmount: item["outAmount"],
    outAmount: item["inAmount"],
  })),
  record("amounts-are-worth-each-other", "amounts received are a thousand times too large", (item) => ({
    ...item,
    outAmount: Number(item["outAmount"]) * 1000,
  })),
  record(
    "currencies-are-in-the-catalogue",
    "coins are traded that nobody supports",
    setting({ targetCurrency: "moondust", sourceCurrency: "moondust" }),
  ),
  record("currencies-are-in-the-catalogue", "source and target are swapped", (item) => ({
    ...item,
    sourceCurrency: item["targetCurrency"],
    targetCurrency: item["sourceCurrency"],
  })),
  record("onramp-is-a-provider", "orders went to nobody", setting({ onramp: "nobody" })),
  record(
    "provider-id-is-one-transactions",
    "all orders of a provider have one id",
    setting({ onrampTransactionId: "1" }),
  ),
  record("payment-method-is-known", "orders were paid in shells", setting({ paymentMethod: "shells" })),
  record(
    "status-date-is-past",
    "orders are of the next century",
    rewriting("statusDate", (date) => date.replace(/^20/, "21")),
  ),
  record(
    "wallet-fits-the-network",
    "wallets are spoiled",
    rewriting("walletAddress", (address) => `x${address}`),
  ),
  record("statuses-come-in-order", "orders are completed before they begin", (item) =>
    isPending(item) ? { ...item, statusDate: "2026-03-15T11:59:59.000Z" } : item,
  ),
  record("statuses-are-of-one-transaction", "an order changes its provider", (item) =>
    isPending(item) ? { ...item, onramp: "moonpay" } : { ...item, onramp: "banxa" },
  ),
  lie("transactions.cursor.gives-nothing-twice", "every record comes twice", page, {
    answer: (json) => ({ ...json, transactions: list(json["transactions"]).flatMap((item) => [item, item]) }),
  }),
  lie("transactions.limit.echoes-49", "a limit of 49 becomes 50", page, {
    answer: (json, { query }) => (query.get("limit") === "49" ? { ...json, limit: 50 } : json),
  }),
  lie("transactions.limit.is-at-most-50", "a page may hold 51", page, {
    serve: async (request, forward) => {
      if (request.query.get("limit") !== "51") return forward(request);
      request.query.set("limit", "50");
      const reply = await forward(request);
      return { ...reply, text: reply.text.replace('"limit":50', '"limit":51') };
    },
  }),
  lie("transactions.limit.echoes-on-every-page", "further pages echo 50", page, {
    answer: (json, { query }) => (query.has("cursor") ? { ...json, limit: 50 } : json),
  }),
  lie("transactions.window.end-before-start-selects-nothing", "a window is turned round", page, {
    ask: ({ query }) => {
      const [start, end] = [query.get("startDateTime"), query.get("endDateTime")];
      if (start === null || end === null || start < end) return;
      query.set("startDateTime", end);
      query.set("endDateTime", start);
    },
  }),
  ...["startDateTime", "endDateTime"].map((name) =>
    lie("transactions.window.times-are-iso-8601", `words in ${name} are passed over`, page, {
      ask: ({ query }) => query.get(name) === "yesterday" && query.delete(name),
    }),
  ),
  lie("transactions.ids.go-on-with-the-cursor", "the second page forgets which ids were asked for", page, {
    ask: ({ query }) => {
      if (!query.has("cursor") || !query.has("transactionIds")) return;
      query.delete("cursor");
      query.delete("transactionIds");
    },
  }),
  lie("transactions.window.seconds-may-be-left-out", "times need seconds", page, {
    serve: async (request, forward) =>
      /T\d\d:\d\dZ$/.test(request.query.get("startDateTime") ?? "")
        ? { status: 400, text: "{}" }
        : forward(request),
  }),
  lie("transactions.ids.that-are-unknown-find-nothing", "an unknown id finds someone's orders", page, {
    ask: ({ query }) =>
      query.get("transactionIds")?.startsWith("conformance") && query.delete("transactionIds"),
  }),
  lie(
    "transaction.agrees-with-the-list",
    "the single record has another wallet than the list",
    /^\/transactions\/./,
    {
      answer: setting({ walletAddress: "elsewhere" }),
    },
  ),
];

function record(check: string, name: string, change: Change): Fault {
  return lie(`transactions.record.${check}`, name, page, {
    answer: (json) => ({ ...json, transactions: list(json["transactions"]).map(change) }),
  });
}

function isPending(item: Json): boolean {
  return (item["status"] as unknown) === "pending";
}

function idOf(item: Json): string {
  const id: unknown = item["transactionId"];
  return String(id);
}
