import { z } from "zod";
import { readCrypto, readFiat } from "../catalogue.ts";
import type { Check, CheckGroup } from "../check.ts";
import { expectEach, expectSame, expectShape } from "../expect.ts";
import { absoluteUrl, filledText } from "../shapes.ts";

const path = "/supported";

const checks: readonly Check[] = [
  {
    id: "supported.is-json",
    sentence: "All request bodies and responses are JSON.",
    async run(target) {
      expectShape(await target.ask({ path }), z.unknown(), "a JSON body");
    },
  },
  {
    id: "supported.wrapped-in-message",
    sentence:
      "Current-surface /supported/* responses wrap their payload in an object under the key `message`.",
    async run(target) {
      expectShape(
        await target.ask({ path }),
        z.looseObject({ message: z.looseObject({}) }),
        "an object `message`",
      );
    },
  },
  {
    id: "supported.lists-crypto-and-fiat",
    sentence: "Response: `{message: {crypto: [Crypto asset], fiat: [Fiat currency]}}`.",
    async run(target) {
      const lists = z.looseObject({ crypto: z.array(z.looseObject({})), fiat: z.array(z.looseObject({})) });
      expectShape(
        await target.ask({ path }),
        z.looseObject({ message: lists }),
        "arrays `crypto` and `fiat`",
      );
    },
  },
  {
    id: "supported.crypto.texts",
    sentence: "Crypto asset (element of `message.crypto` from GET /supported)",
    async run(target) {
      const { answer, items } = await readCrypto(target);
      const shape = z.looseObject({ id: filledText, code: filledText, name: z.string(), symbol: z.string() });
      expectEach(answer, { at: "message.crypto", items }, shape, "strings `id`, `code`, `name`, `symbol`");
    },
  },
  {
    id: "supported.crypto.network",
    sentence: "| networkDisplayName | string |",
    async run(target) {
      const { answer, items } = await readCrypto(target);
      const shape = z.looseObject({ network: z.string(), networkDisplayName: z.string() });
      expectEach(answer, { at: "message.crypto", items }, shape, "strings `network`, `networkDisplayName`");
    },
  },
  {
    id: "supported.crypto.decimals-is-an-integer",
    sentence: "| decimals | integer |",
    async run(target) {
      const { answer, items } = await readCrypto(target);
      const shape = z.looseObject({ decimals: z.int() });
      expectEach(answer, { at: "message.crypto", items }, shape, "an integer `decimals`");
    },
  },
  {
    id: "supported.crypto.address-is-a-string",
    sentence: "| address | string (token contract address) |",
    async run(target) {
      const { answer, items } = await readCrypto(target);
      const shape = z.looseObject({ address: z.string() });
      expectEach(answer, { at: "message.crypto", items }, shape, "a string `address`");
    },
  },
  {
    id: "supported.crypto.chain-id-is-an-integer",
    sentence: "| chainId | integer |",
    async run(target) {
      const { answer, items } = await readCrypto(target);
      const shape = z.looseObject({ chainId: z.int() });
      expectEach(answer, { at: "message.crypto", items }, shape, "an integer `chainId`");
    },
  },
  {
    id: "supported.crypto.icon-is-an-absolute-url",
    sentence: "A url is a string holding an absolute URL.",
    async run(target) {
      const { answer, items } = await readCrypto(target);
      const shape = z.looseObject({ icon: absoluteUrl });
      expectEach(answer, { at: "message.crypto", items }, shape, "an absolute URL `icon`");
    },
  },
  {
    id: "supported.fiat.texts",
    sentence: "Fiat currency (element of `message.fiat` from GET /supported)",
    async run(target) {
      const { answer, items } = await readFiat(target);
      const shape = z.looseObject({ id: filledText, code: filledText, name: z.string(), symbol: z.string() });
      expectEach(answer, { at: "message.fiat", items }, shape, "strings `id`, `code`, `name`, `symbol`");
    },
  },
  {
    id: "supported.fiat.icon-is-an-absolute-url",
    sentence: "A url is a string holding an absolute URL.",
    async run(target) {
      const { answer, items } = await readFiat(target);
      const shape = z.looseObject({ icon: absoluteUrl });
      expectEach(answer, { at: "message.fiat", items }, shape, "an absolute URL `icon`");
    },
  },
  {
    id: "supported.type.default-is-buy",
    sentence: "Query: `type` (buy or sell, optional, default buy).",
    async run(target) {
      const given = await target.ask({ path, query: { type: "buy" } });
      const other = await target.ask({ path });
      expectSame({ given, other }, { given: given.json, other: other.json }, "what type=buy gives");
    },
  },
  {
    id: "supported.type.sell-is-accepted",
    sentence: "Transaction type parameters take `buy` or `sell`, default `buy`.",
    async run(target) {
      const lists = z.looseObject({ crypto: z.array(z.looseObject({})), fiat: z.array(z.looseObject({})) });
      const answer = await target.ask({ path, query: { type: "sell" } });
      expectShape(answer, z.looseObject({ message: lists }), "arrays `crypto` and `fiat`");
    },
  },
];

export const supported: CheckGroup = {
  name: "supported",
  endpoint: "GET /supported",
  surface: "current",
  writes: false,
  checks,
};
