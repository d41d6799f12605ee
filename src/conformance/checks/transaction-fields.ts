import { z } from "zod";
import { cryptoWords, fiatWords, paymentTypes, providerIds, wordsOf } from "../catalogue.ts";
import { type Check, differ, notApplicable, row } from "../check.ts";
import { someRecords } from "../history.ts";
import { among, every, fields, type Json, lower, type Seen, show } from "../rules.ts";
import { filledText, lowerCase, statusDate, transactionTexts } from "../shapes.ts";
import type { Target } from "../target.ts";
import { quotesOf } from "../trade.ts";

const countriesAskedMax = 12;
/** Clocks differ a little. */
const clockSlackMs = 5 * 60_000;

/** The rows of the table of a Transaction record, each held against the records of the account. */
export const transactionFieldRows: readonly Check[] = [
  row("record.texts", [115, 116, 117, 120, 122, 125], someRecords, fields(transactionTexts)),
  row("record.api-key", [111, 244], someRecords, fields({ apiKey: filledText })),
  row("record.api-key-is-one", [111], someRecords, (seen) =>
    every("one owner of all records", "apiKey", (one) => one["apiKey"] === seen.items[0]?.["apiKey"])(seen),
  ),
  row("record.in-amount-is-a-number", [113], someRecords, fields({ inAmount: z.number() })),
  row("record.out-amount-is-a-number", [114], someRecords, fields({ outAmount: z.number() })),
  row(
    "record.amounts-are-not-negative",
    [113, 114],
    someRecords,
    every(
      "amounts of 0 or more",
      amounts,
      (one) => Number(one["inAmount"]) >= 0 && Number(one["outAmount"]) >= 0,
    ),
  ),
  row(
    "record.completed-has-amounts",
    [113, 114],
    withStatus("completed"),
    every(
      "both amounts above 0",
      amounts,
      (one) => Number(one["inAmount"]) > 0 && Number(one["outAmount"]) > 0,
    ),
  ),
  row("record.amounts-are-worth-each-other", [113, 114], withStatus("completed"), worthEachOther),
  row(
    "record.country-is-lower-case",
    [112],
    someRecords,
    fields({ country: z.string().regex(/^[a-z]{2}$/) }),
  ),
  row("record.source-currency-is-lower-case", [118], someRecords, fields({ sourceCurrency: lowerCase })),
  row("record.target-currency-is-lower-case", [119], someRecords, fields({ targetCurrency: lowerCase })),
  row("record.currencies-are-in-the-catalogue", [118, 119], someRecords, async (seen, target) => {
    const [coins, moneys] = [await cryptoWords(target), await fiatWords(target)];
    const known = ({ transactionType, sourceCurrency, targetCurrency }: Json) => {
      const [coin, money] =
        transactionType === "sell" ? [sourceCurrency, targetCurrency] : [targetCurrency, sourceCurrency];
      return coins.has(lower(coin)) && moneys.has(lower(money));
    };
    every(
      "fiat for crypto when buying, crypto for fiat when selling",
      (one) => [one["transactionType"], one["sourceCurrency"], one["targetCurrency"]],
      known,
    )(seen);
  }),
  row(
    "record.onramp-is-a-provider",
    [115],
    someRecords,
    among("onramp", providerIds, "an id of GET /supported/onramps/all"),
  ),
  row("record.provider-id-is-one-transactions", [116], someRecords, (seen) => {
    const owners = new Map<string, unknown>();
    for (const { onramp, onrampTransactionId, transactionId } of seen.items) {
      const key = `${String(onramp)} ${String(onrampTransactionId)}`;
      if (onrampTransactionId === "" || onrampTransactionId === undefined) continue;
      if ((owners.get(key) ?? transactionId) !== transactionId)
        differ(seen.answer, "one transaction for one id of a provider", `two for ${key}`);
      owners.set(key, transactionId);
    }
  }),
  row("record.payment-method-is-known", [117], someRecords, async (seen, target) => {
    const countries = [...new Set(seen.items.map((one) => String(one["country"]).toUpperCase()))].slice(
      0,
      countriesAskedMax,
    );
    const queries = countries.flatMap((country) => ["buy", "sell"].map((type) => ({ country, type })));
    const lists = await Promise.all(
      queries.map((query) =>
        wordsOf(paymentTypes(query), "paymentTypeId")(target).catch(() => new Set<string>()),
      ),
    );
    const items = seen.items.filter((one) => countries.includes(String(one["country"]).toUpperCase()));
    const all = new Set(lists.flatMap((words) => [...words]));
    await among(
      "paymentMethod",
      async () => all,
      "ids of GET /supported/payment-types",
    )({ ...seen, items }, target);
  }),
  row("record.status-date-has-milliseconds-and-z", [121], someRecords, fields({ statusDate })),
  row("record.status-date-is-past", [121], someRecords, (seen, target) =>
    every(
      "a time that has been",
      "statusDate",
      (one) => !(Date.parse(String(one["statusDate"])) > target.now() + clockSlackMs),
    )(seen),
  ),
  row("record.type-is-buy-or-sell", [123], someRecords, fields({ transactionType: z.enum(["buy", "sell"]) })),
  row("record.hash-is-a-string", [124], someRecords, fields({ transactionHash: z.string() })),
  row(
    "record.pending-has-no-hash",
    [154, 158],
    withStatus("pending"),
    fields({ transactionHash: z.literal("") }),
  ),
  row(
    "record.completed-has-a-hash",
    [155, 159],
    withStatus("completed"),
    fields({ transactionHash: filledText }),
  ),
  row("record.wallet-fits-the-network", [125], withStatus("completed"), walletsFit),
  row("record.statuses-come-in-order", [121, 157], someRecords, (seen) => {
    for (const [id, records] of byTransaction(seen)) {
      const at = (status: string) =>
        records
          .filter((one) => one["status"] === status)
          .map((one) => String(one["statusDate"]))
          .toSorted();
      const [pending, completed] = [at("pending")[0], at("completed").at(-1)];
      if (pending !== undefined && completed !== undefined && completed < pending)
        differ(
          seen.answer,
          `${id} pending before it is completed`,
          `completed at ${completed}, pending at ${pending}`,
        );
    }
  }),
  row("record.statuses-are-of-one-transaction", [122, 157], someRecords, (seen) => {
    for (const [id, records] of byTransaction(seen)) {
      const name = constant.find((field) => new Set(records.map((one) => one[field])).size > 1);
      if (name !== undefined)
        differ(seen.answer, `one ${name} of ${id}`, show(records.map((one) => one[name])));
    }
  }),
];

/** What a transaction keeps while its status moves. */
const constant = ["onramp", "transactionType", "sourceCurrency", "targetCurrency", "apiKey"];

function withStatus(status: string) {
  return async (target: Target): Promise<Seen> => {
    const seen = await someRecords(target);
    const items = seen.items.filter((record) => record["status"] === status);
    if (items.length === 0) notApplicable(`no record at hand is ${status}`);
    return { ...seen, items };
  };
}

function byTransaction({ items }: Seen): Map<string, Json[]> {
  const found = new Map<string, Json[]>();
  for (const item of items) {
    const id = String(item["transactionId"]);
    found.set(id, [...(found.get(id) ?? []), item]);
  }
  return found;
}

function amounts({ inAmount, outAmount }: Json): Json {
  return { inAmount, outAmount };
}

/** Prices of months ago differ from today's, but not by this much. */
const priceFactorMax = 5;

/** What was paid for a coin, against what it costs now: swapped or scaled amounts are off by far more than a price moves. */
async function worthEachOther({ answer, items }: Seen, target: Target): Promise<void> {
  const bought = items.filter((one) => one["transactionType"] === "buy" && Number(one["outAmount"]) > 0);
  // A coin worth much more or less than one unit of the money: for a stablecoin both amounts are alike anyway.
  const buys = bought.toSorted((a, b) => distanceFromOne(b) - distanceFromOne(a));
  const first = buys[0];
  if (first === undefined) notApplicable("no purchase at hand is completed");
  const alike = buys.filter(
    (one) =>
      one["sourceCurrency"] === first["sourceCurrency"] && one["targetCurrency"] === first["targetCurrency"],
  );
  const place = {
    country: String(first["country"]).toUpperCase(),
    paymentMethod: String(first["paymentMethod"]),
  };
  const pair = { fiat: lower(first["sourceCurrency"]), crypto: lower(first["targetCurrency"]) };
  // Were the two swapped, the larger would be the one in fiat.
  const [inAmount, outAmount] = [Number(first["inAmount"]), Number(first["outAmount"])];
  const price = await priceNow(target, { ...pair, ...place, amounts: [inAmount, outAmount] });
  const wrong = alike.find((one) => {
    const factor = Number(one["inAmount"]) / Number(one["outAmount"]) / price;
    return !(factor < priceFactorMax && factor > 1 / priceFactorMax);
  });
  if (wrong !== undefined)
    differ(answer, `about ${price} ${pair.fiat} for one ${pair.crypto}`, show(amounts(wrong)));
}

function distanceFromOne({ inAmount, outAmount }: Json): number {
  return Math.abs(Math.log(Number(inAmount) / Number(outAmount)));
}

async function priceNow(
  target: Target,
  asked: { fiat: string; crypto: string; country: string; paymentMethod: string; amounts: number[] },
): Promise<number> {
  const { fiat, crypto, country, paymentMethod } = asked;
  for (const amount of asked.amounts) {
    const wish = { fiat, crypto, side: "buy" as const, amount };
    const { items } = await quotesOf(target, wish, { country, paymentMethod });
    const quote = items.find(({ payout }) => Number(payout) > 0);
    if (quote !== undefined) return amount / Number(quote["payout"]);
  }
  return notApplicable(`nobody quotes ${crypto} for ${fiat} now`);
}

/** The forms that are alike everywhere. An asset of another network is not judged. */
const addressForms: readonly [RegExp, RegExp][] = [
  [/^(btc|btc_bitcoin)$/, /^(bc1[a-z0-9]{20,87}|[13][1-9A-HJ-NP-Za-km-z]{25,39})$/],
  [/^eth(_\w+)?$|_(ethereum|base|polygon|arbitrum|optimism|avalanche|bsc)$/, /^0x[0-9a-fA-F]{40}$/],
];

function walletsFit(seen: Seen): void {
  const formOf = (one: Json) =>
    addressForms.find(([asset]) => asset.test(String(one["targetCurrency"])))?.[1];
  const items = seen.items.filter((one) => one["transactionType"] === "buy" && formOf(one) !== undefined);
  if (items.length === 0) notApplicable("no purchase of bitcoin or ether at hand");
  every(
    "an address of the asset's network",
    "walletAddress",
    (one) => formOf(one)?.test(String(one["walletAddress"])) ?? true,
  )({ ...seen, items });
}
