import { list, setting } from "./changes.ts";
import { credentials, otherCredentials } from "./good-server.ts";
import { lie } from "./lie.ts";
import type { Fault, WireRequest } from "./wrong-server.ts";

const page = /^\/transactions$/;

/** Lies of a server that takes one account for another. */
export const accountLies: readonly Fault[] = [
  lie("isolation.list-is-ones-own", "everyone reads one list", page, {
    ask: asFirst((query) => query.size === 0),
  }),
  lie("isolation.ids-are-ones-own", "ids are looked up in all accounts", page, {
    ask: asFirst((query) => query.has("transactionIds")),
  }),
  lie("isolation.single-is-ones-own", "single records are anyone's", /^\/transactions\/./, {
    ask: asFirst(() => true),
  }),
  lie("isolation.cursor-is-ones-own", "a cursor opens another's list", page, {
    ask: asFirst((query) => query.get("limit") === "1" && query.has("cursor")),
  }),
  lie("isolation.secret-belongs-to-its-key", "any known secret will do", page, {
    ask: ({ headers }) => {
      const known = headers["x-service-secret"] === otherCredentials.apiSecret;
      if (known && headers["authorization"] === credentials.apiKey)
        headers["x-service-secret"] = credentials.apiSecret;
    },
  }),
  lie("isolation.api-key-names-the-owner", "all records name one owner", page, {
    answer: (json) => ({ ...json, transactions: list(json["transactions"]).map(setting({ apiKey: "pk" })) }),
  }),
  lie(
    "isolation.providers-are-the-keys-own",
    "quotes come from providers that the key may not use",
    /^\/supported\/onramps\/all$/,
    {
      answer: ({ message }, { headers }) =>
        headers["authorization"] === otherCredentials.apiKey
          ? { message: list(message).slice(-1) }
          : { message },
    },
  ),
];

function asFirst(when: (query: URLSearchParams) => boolean) {
  return ({ headers, query }: WireRequest): void => {
    if (headers["authorization"] !== otherCredentials.apiKey || !when(query)) return;
    headers["authorization"] = credentials.apiKey;
    if (headers["x-service-secret"] !== undefined) headers["x-service-secret"] = credentials.apiSecret;
  };
}
