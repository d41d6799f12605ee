import { asText, type Change, list, rewriting, setting, without } from "./changes.ts";
import type { Fault, Json } from "./wrong-server.ts";

const single = /^\/transactions\/./;

/** Wrong things of the records themselves, on a page or read singly. */
export const recordFaults: readonly Fault[] = [
  record("amounts paid are text", asText("inAmount"), ["transactions.record.in-amount-is-a-number"]),
  record("amounts received are null", setting({ outAmount: null }), [
    "transactions.record.out-amount-is-a-number",
  ]),
  record("countries are upper-case", upper("country"), ["transactions.record.country-is-lower-case"]),
  record("sources are upper-case", upper("sourceCurrency"), [
    "transactions.record.source-currency-is-lower-case",
  ]),
  record("targets are upper-case", upper("targetCurrency"), [
    "transactions.record.target-currency-is-lower-case",
  ]),
  record(
    "status dates are whole seconds",
    rewriting("statusDate", (date) => date.replace(/\.\d+/, "")),
    ["transactions.record.status-date-has-milliseconds-and-z"],
  ),
  record(
    "status dates are Unix times",
    rewriting("statusDate", (date) => Date.parse(date)),
    ["transactions.record.status-date-has-milliseconds-and-z"],
  ),
  record("types are onramp and offramp", setting({ transactionType: "onramp" }), [
    "transactions.record.type-is-buy-or-sell",
  ]),
  record(
    "a hash that does not exist yet is null",
    rewriting("transactionHash", (hash) => hash || null),
    ["transactions.record.hash-is-a-string", "transactions.record.pending-has-no-hash"],
  ),
  record(
    "pending records have a hash",
    rewriting("transactionHash", (hash) => hash || "0x00"),
    ["transactions.record.pending-has-no-hash"],
  ),
  record("completed records have no hash", setting({ transactionHash: "" }), [
    "transactions.record.completed-has-a-hash",
  ]),
  record("wallet addresses are left out", without("walletAddress"), ["transactions.record.texts"]),
  record("the owner's key is left out", without("apiKey"), [
    "transactions.record.texts",
    "transactions.record.api-key",
  ]),
  {
    name: "the single record is wrapped",
    at: single,
    answer: (json) => ({ message: json }),
    reports: ["transaction.not-wrapped"],
  },
  {
    name: "the amounts of the single record are text",
    at: single,
    answer: asText("inAmount"),
    reports: ["transaction.record-fields", "transaction.agrees-with-the-list"],
  },
  {
    name: "the single record is another's",
    at: single,
    answer: setting({ transactionId: "another" }),
    reports: ["transaction.is-the-one-asked"],
  },
  {
    name: "the single record has another amount than the list",
    at: single,
    answer: setting({ outAmount: 4711 }),
    reports: ["transaction.agrees-with-the-list"],
  },
  {
    name: "the single record has whole seconds",
    at: single,
    answer: rewriting("statusDate", (date) => date.replace(/\.\d+/, "")),
    reports: ["transaction.status-date-has-milliseconds-and-z", "transaction.agrees-with-the-list"],
  },
  {
    name: "a transaction that does not exist is made up",
    at: single,
    serve: async (request, forward) =>
      request.path.endsWith("no-such-transaction")
        ? {
            status: 200,
            text: JSON.stringify({ transactionId: "conformance-no-such-transaction", status: "pending" }),
          }
        : forward(request),
    reports: ["transaction.unknown-id-gives-no-record"],
  },
];

function record(name: string, change: Change, reports: readonly string[]): Fault {
  const answer = (json: Json) => ({ ...json, transactions: list(json["transactions"]).map(change) });
  return { name, at: /^\/transactions$/, answer, reports };
}

function upper(field: string): Change {
  return rewriting(field, (value) => value.toUpperCase());
}
