import { z } from "zod";
import { crypto, cryptoWords, fiat, fiatWords, list, wordsOf } from "../catalogue.ts";
import { differ, group, row } from "../check.ts";
import { body, distinct, every, fields, lower, show } from "../rules.ts";
import { absoluteUrl, filledText, objects } from "../shapes.ts";
import { picturesOpen, typeRows } from "../shared-rows.ts";
import type { Target } from "../target.ts";
import { sellQuotes } from "../trade.ts";

const request = { path: "/supported" };
const answer = (target: Target) => target.ask(request);
const lists = z.looseObject({ message: z.looseObject({ crypto: objects, fiat: objects }) });
const texts = { id: filledText, code: filledText, name: z.string(), symbol: z.string() };

export const supported = group({ name: "supported", endpoint: "GET /supported" }, [
  row("is-json", [4], answer, body(z.unknown(), "a JSON body")),
  row(
    "wrapped-in-message",
    [14],
    answer,
    body(z.looseObject({ message: z.looseObject({}) }), "an object `message`"),
  ),
  row("lists-crypto-and-fiat", [1, 2, 172], answer, body(lists, "arrays `crypto` and `fiat`")),
  row("crypto.texts", [18, 19, 20, 21], crypto, fields(texts)),
  row("crypto.ids-are-distinct", [18], crypto, distinct("id")),
  row("crypto.network", [22, 27], crypto, fields({ network: filledText, networkDisplayName: z.string() })),
  row("crypto.decimals-is-an-integer", [23], crypto, fields({ decimals: z.int() })),
  row(
    "crypto.decimals-make-sense",
    [23],
    crypto,
    every("0 to 36 decimals", "decimals", (item) => isBetween(item["decimals"], 0, 36)),
  ),
  row("crypto.address-is-a-string", [24], crypto, fields({ address: z.string() })),
  row(
    "crypto.address-is-of-one-token",
    [24],
    async (target) => {
      const seen = await crypto(target);
      const tokens = seen.items.filter((item) => item["address"] !== "");
      return {
        ...seen,
        items: tokens.map((item) => ({ contract: `${show(item["network"])} ${show(item["address"])}` })),
      };
    },
    distinct("contract"),
  ),
  row("crypto.chain-id-is-an-integer", [25], crypto, fields({ chainId: z.int().min(0) })),
  row("crypto.chain-id-is-that-of-the-network", [25], crypto, ({ answer: a, items }) => {
    const chains = new Map<unknown, unknown>();
    for (const { network, chainId } of items) {
      const first = chains.get(network) ?? chainId;
      chains.set(network, first);
      if (first !== chainId)
        differ(a, `one chainId for ${show(network)}`, `${show(first)} and ${show(chainId)}`);
    }
  }),
  row("crypto.icon-is-an-absolute-url", [17, 26], crypto, fields({ icon: absoluteUrl })),
  row(
    "crypto.icon-opens",
    [26],
    crypto,
    picturesOpen((item) => item["icon"]),
  ),
  row("fiat.texts", [28, 29, 30, 31], fiat, fields(texts)),
  row("fiat.ids-are-distinct", [28], fiat, distinct("id")),
  row("fiat.icon-is-an-absolute-url", [17, 32], fiat, fields({ icon: absoluteUrl })),
  row(
    "fiat.icon-opens",
    [32],
    fiat,
    picturesOpen((item) => item["icon"]),
  ),
  ...typeRows(async () => request, 170, lists),
  row(
    "type.sell-lists-what-can-be-sold",
    [5, 171],
    sellQuotes,
    async ({ answer: a, crypto: coin, fiat: money }, target) => {
      const sold = { ...request, query: { type: "sell" } };
      const coins = await wordsOf(list(sold, "message", "crypto"), "code", "id")(target);
      const moneys = await wordsOf(list(sold, "message", "fiat"), "code", "id")(target);
      if (!coins.has(lower(coin))) differ(a, "no quote for what type=sell does not list", coin);
      if (!moneys.has(lower(money))) differ(a, "no quote for what type=sell does not list", money);
    },
  ),
  row("crypto-and-fiat-are-apart", [5], answer, async (seen, target) => {
    const [coins, moneys] = [await cryptoWords(target), await fiatWords(target)];
    const both = [...coins].find((word) => moneys.has(word));
    if (both !== undefined) differ(seen, "no currency that is both crypto and fiat", both);
  }),
]);

function isBetween(value: unknown, least: number, most: number): boolean {
  return typeof value === "number" && value >= least && value <= most;
}
