import { z } from "zod";
import { list, onramps, ownCountry, providerIds, someCountries, tradablePairs } from "../catalogue.ts";
import { type Check, differ, group, notApplicable, type Read, row } from "../check.ts";
import {
  among,
  body,
  distinct,
  every,
  expectSame,
  fields,
  isObject,
  isRefusal,
  type Json,
  lower,
  member,
  refuses,
  show,
} from "../rules.ts";
import { filledText, objects, paymentType, texts } from "../shapes.ts";
import type { Target } from "../target.ts";
import { buyQuotes, changed, eachAddsUp, outline, type Quotes, quotesOf, sellQuotes } from "../trade.ts";

const exampleUuid = "6f1c1c0e-6a53-4a5e-9d2c-0f5f3a1f7c11";

export const buyQuoteGroup = group({ name: "buy-quotes", endpoint: "GET /quotes/{fiat}/{crypto}" }, [
  row(
    "top-level-array",
    [15, 199, 205],
    async (target) => {
      const [pair] = await tradablePairs(target);
      const path = `/quotes/${lower(pair?.source)}/${lower(pair?.target)}`;
      return target.ask({ path, query: { amount: String(pair?.amount) } });
    },
    body(objects, "a top-level array of objects"),
  ),
  ...quoteRows("buy", buyQuotes),
  row("come-from-all-available-providers", [6], buyQuotes, async (quotes, target) => {
    const { items } = await onramps()(target);
    const method = quotes.request.query["paymentMethod"] ?? "creditcard";
    const able = items.filter((one) => [one["paymentMethods"]].flat().includes(method));
    const missing = able.filter(({ onramp }) => !quotes.items.some(({ ramp }) => ramp === onramp));
    if (missing.length === 0) return;
    // One amount may be outside a provider's limits; not all of these can be.
    const { fiat, crypto, amount } = quotes;
    for (const factor of [3, 10, 40]) {
      const more = await quotesOf(target, { fiat, crypto, side: "buy", amount: amount * factor });
      for (const { ramp } of more.items)
        missing.splice(0, missing.length, ...missing.filter((one) => one["onramp"] !== ramp));
    }
    if (missing.length > 0)
      differ(
        quotes.answer,
        "a quote of every provider of GET /supported/onramps",
        `none of ${String(missing[0]?.["onramp"])}`,
      );
  }),
  row("come-from-available-providers-only", [6], buyQuotes, async (quotes, target) => {
    const { items } = await onramps()(target);
    const other = quotes.items.find(({ ramp }) => !items.some(({ onramp }) => onramp === ramp));
    if (other !== undefined)
      differ(quotes.answer, "providers of GET /supported/onramps", show(other["ramp"]));
  }),
  row(
    "available-payment-methods-present",
    [62],
    buyQuotes,
    fields({ availablePaymentMethods: z.array(paymentType) }),
  ),
  row(
    "available-payment-methods-hold-the-quoted-one",
    [62, 67],
    buyQuotes,
    every("`paymentMethod` among `availablePaymentMethods`", "paymentMethod", (quote) =>
      methodIds(quote).includes(String(quote["paymentMethod"])),
    ),
  ),
  row("payment-method.default-is-creditcard", [201], buyQuotes, defaultIsCreditcard),
  row("payment-method.is-the-one-asked", [67], buyQuotes, async (quotes, target) => {
    const paymentMethod = quotes.items.flatMap(methodIds).find((id) => id !== "creditcard");
    if (paymentMethod === undefined) notApplicable("no quote offers a second payment method");
    const seen = await list(changed(quotes, { paymentMethod }))(target);
    every(
      `quotes for ${paymentMethod} only`,
      "paymentMethod",
      (quote) => quote["paymentMethod"] === paymentMethod,
    )(seen);
  }),
  row("amount.is-required", [200], buyQuotes, ({ request: { path } }, target) =>
    refuses(target, { path }, "a refusal without an amount"),
  ),
  row("amount.is-positive", [200], buyQuotes, nothingForNothing),
  row("small-amounts-bring-something", [61], buyQuotes, async ({ fiat, crypto, amount }, target) => {
    // A provider that cannot sell so little gives no quote for it.
    for (const part of [100, 50, 20, 10, 5, 2]) {
      const small = await quotesOf(target, { fiat, crypto, side: "buy", amount: Math.ceil(amount / part) });
      if (small.items.length === 0) continue;
      return every("a payout above 0, or no quote", "payout", ({ payout }) => Number(payout) > 0)(small);
    }
    notApplicable("nobody quotes for a small amount");
  }),
  row("amount.counts", [200], buyQuotes, amountCounts),
  row("optional-parameters-are-accepted", [202, 203, 204], buyQuotes, async (quotes, target) => {
    const more = { uuid: exampleUuid, clientName: "conformance", country: await ownCountry(target) };
    body(objects, "quotes with uuid, clientName and country given")(await target.ask(changed(quotes, more)));
  }),
  row("optional-parameters-change-no-price", [202, 203], buyQuotes, async (quotes, target) => {
    const more = { uuid: exampleUuid, clientName: "conformance" };
    expectSame(
      quotes.answer,
      await outline(target, quotes.request),
      await outline(target, changed(quotes, more)),
      "the same providers",
    );
  }),
  row("country-selects", [204], buyQuotes, async (quotes, target) => {
    for (const country of await someCountries(target, 4)) {
      const { answer, items } = await list(changed(quotes, { country }))(target);
      const there = await onramps({ country })(target);
      const other = items.find(({ ramp }) => !there.items.some(({ onramp }) => onramp === ramp));
      if (other !== undefined) differ(answer, `providers that serve ${country}`, show(other["ramp"]));
    }
  }),
]);

export const sellQuoteGroup = group({ name: "sell-quotes", endpoint: "GET /quotes/{crypto}/{fiat}" }, [
  row(
    "top-level-array",
    [15, 211],
    async (target) => {
      const [pair] = await tradablePairs(target);
      const path = `/quotes/${lower(pair?.target)}/${lower(pair?.source)}`;
      return target.ask({ path, query: { amount: "1", type: "sell" } });
    },
    body(objects, "a top-level array of objects"),
  ),
  ...quoteRows("sell", sellQuotes),
  row(
    "available-payment-methods-absent",
    [63, 211],
    sellQuotes,
    fields({ availablePaymentMethods: z.undefined().optional() }, "no `availablePaymentMethods`"),
  ),
  row("payment-method.default-is-creditcard", [207], sellQuotes, defaultIsCreditcard),
  row("payment-method.is-the-one-asked", [67], sellQuotes, async (quotes, target) => {
    const paymentMethod = String(quotes.items[0]?.["paymentMethod"]);
    const seen = await list(changed(quotes, { paymentMethod }))(target);
    every(
      `quotes for ${paymentMethod} only`,
      "paymentMethod",
      (quote) => quote["paymentMethod"] === paymentMethod,
    )(seen);
  }),
  row("amount.is-required", [206], sellQuotes, ({ request: { path } }, target) =>
    refuses(target, { path, query: { type: "sell" } }, "a refusal without an amount"),
  ),
  row("amount.is-positive", [206], sellQuotes, nothingForNothing),
  row("amount.counts", [206], sellQuotes, amountCounts),
  row("optional-parameters-are-accepted", [208, 210], sellQuotes, async (quotes, target) => {
    const more = { uuid: exampleUuid, clientName: "conformance", country: await ownCountry(target) };
    body(objects, "quotes with uuid, clientName and country given")(await target.ask(changed(quotes, more)));
  }),
  row("type.default-is-buy", [13, 209], sellQuotes, async (quotes, target) => {
    const { type: _sell, ...query } = quotes.request.query;
    const buy = { ...quotes.request, query: { ...query, type: "buy" } };
    const [given, other] = [await target.ask(buy), await target.ask({ ...quotes.request, query })];
    if (isRefusal(given) && isRefusal(other)) return;
    expectSame(
      other,
      await outline(target, buy),
      await outline(target, { ...quotes.request, query }),
      "what type=buy gives",
    );
  }),
  row("type.is-buy-or-sell", [12, 209], sellQuotes, (quotes, target) =>
    refuses(target, changed(quotes, { type: "swap" }), "a refusal of type=swap"),
  ),
  row("pay-less-than-the-coins-cost", [5], sellQuotes, async (sold, target) => {
    // The very coins that the best offer sold. More for them than they cost would be money for nothing.
    const paid = (await buyQuotes(target)).amount;
    every(`a payout of about ${paid} at most`, "payout", ({ payout }) => Number(payout) <= paid * 1.05)(sold);
  }),
]);

/** What buy and sell quotes have in common: the rows of the table of a Quote, and what its figures mean. */
function quoteRows(side: "buy" | "sell", read: Read<Quotes>): Check[] {
  const figures = ({ rate, payout, networkFee, transactionFee }: Json) => ({
    rate: Number(rate),
    gets: Number(payout),
    fees: Number(networkFee) + Number(transactionFee),
  });
  return [
    row("rate-is-a-number", [58], read, fields({ rate: z.number() })),
    row(
      "rate-is-positive",
      [58],
      read,
      every("a rate above 0", "rate", ({ rate }) => Number(rate) > 0),
    ),
    row("fees-are-numbers", [59, 60], read, fields({ networkFee: z.number(), transactionFee: z.number() })),
    row(
      "fees-are-not-negative",
      [59, 60],
      read,
      every(
        "fees of 0 or more",
        (quote) => figures(quote).fees,
        (quote) => Number(quote["networkFee"]) >= 0 && Number(quote["transactionFee"]) >= 0,
      ),
    ),
    row("payout-is-a-number", [61], read, fields({ payout: z.number() })),
    row(
      "payout-is-positive",
      [61],
      read,
      every("a payout above 0", "payout", ({ payout }) => Number(payout) > 0),
    ),
    row("figures-belong-together", [58, 61], read, (quotes) =>
      eachAddsUp(side, quotes.amount, figures)(quotes),
    ),
    row("quote-id-is-present", [65], read, fields({ quoteId: filledText })),
    row("quote-ids-are-distinct", [65], read, distinct("quoteId")),
    row("recommendations-are-strings", [68], read, fields({ recommendations: texts })),
    row("best-price-is-the-best", [69], read, (quotes) => {
      const best = Math.max(...quotes.items.map(({ payout }) => Number(payout)));
      const praised = quotes.items.filter(({ recommendations }) =>
        [recommendations].flat().includes("BestPrice"),
      );
      if (praised.length === 0) notApplicable("no quote is marked BestPrice");
      every(
        `BestPrice on a payout of ${best}`,
        "payout",
        ({ payout }) => Number(payout) === best,
      )({ ...quotes, items: praised });
    }),
    row("ramp-is-a-provider", [64], read, among("ramp", providerIds, "an id of GET /supported/onramps/all")),
    row("ramps-are-distinct", [6], read, distinct("ramp")),
  ];
}

async function defaultIsCreditcard(quotes: Quotes, target: Target): Promise<void> {
  const { paymentMethod: _given, ...query } = quotes.request.query;
  const [none, card] = [{ ...quotes.request, query }, changed(quotes, { paymentMethod: "creditcard" })];
  expectSame(
    await target.ask(none),
    await outline(target, card),
    await outline(target, none),
    "what paymentMethod=creditcard gives",
  );
}

/** Twice as much buys about twice as much, and a little more where a fee is fixed. */
async function amountCounts(quotes: Quotes, target: Target): Promise<void> {
  const more = await list(changed(quotes, { amount: String(quotes.amount * 2) }))(target);
  const both = quotes.items.flatMap((quote) => {
    const twice = more.items.find(({ ramp }) => ramp === quote["ramp"]);
    return twice === undefined ? [] : [{ once: Number(quote["payout"]), twice: Number(twice["payout"]) }];
  });
  if (both.length === 0) notApplicable("nobody quotes for twice the amount");
  const wrong = both.find(({ once, twice }) => !(twice > once * 1.5));
  if (wrong !== undefined)
    differ(more.answer, `about twice the payout of ${wrong.once}`, String(wrong.twice));
}

async function nothingForNothing(asked: Quotes, target: Target): Promise<void> {
  for (const amount of ["0", "-5"]) {
    const answer = await target.ask(changed(asked, { amount }));
    const quotes = Array.isArray(answer.json)
      ? answer.json.filter((quote) => isObject(quote) && !("errors" in quote))
      : [];
    if (!isRefusal(answer) && quotes.length > 0)
      differ(answer, `no quote for an amount of ${amount}`, `${quotes.length} quotes`);
  }
}

function methodIds(quote: Json): string[] {
  const methods = quote["availablePaymentMethods"];
  return (Array.isArray(methods) ? methods : []).map((method) => String(member(method, "paymentTypeId")));
}
