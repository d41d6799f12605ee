/** What every available provider would charge and pay. */
import { z } from "zod";
import type { Decimal } from "../core/decimal.ts";
import { paymentType } from "./catalogue.ts";
import type { CallOptions } from "./http.ts";
import type { ItemList } from "./lists.ts";
import { get, type Surface } from "./surface.ts";
import { orEmpty, orNull, wireDecimal, wireId, wireText } from "./wire.ts";

const quote = z.looseObject({
  ramp: wireId,
  /** Of no uniform meaning between providers: take `payout` as it is, and never recompute it from this. */
  rate: wireDecimal,
  networkFee: orNull(wireDecimal),
  transactionFee: orNull(wireDecimal),
  payout: wireDecimal,
  paymentMethod: orNull(wireText),
  /** Passed back as `metaData.quoteId` on checkout. */
  quoteId: orNull(wireText),
  /** On buy quotes; `null` on sell quotes. */
  availablePaymentMethods: orNull(z.array(paymentType)),
  recommendations: orEmpty(wireText),
});
type Quote = z.output<typeof quote>;

/** A provider that would rather not, in the same list and with status 200. */
const quoteRefusal = z.looseObject({
  ramp: wireId,
  paymentMethod: orNull(wireText),
  quoteId: orNull(wireText),
  errors: z.array(
    z.looseObject({
      type: orNull(wireText),
      errorId: orNull(wireText),
      message: orNull(wireText),
      minAmount: orNull(wireDecimal),
      maxAmount: orNull(wireDecimal),
    }),
  ),
});
type QuoteRefusal = z.output<typeof quoteRefusal>;

const isRefused = (value: unknown) =>
  z.object({ errors: z.array(z.unknown()).min(1) }).safeParse(value).success;
// Chosen before checking, so that an error names the field of the one shape that was meant.
const quoteOrRefusal = z
  .unknown()
  .transform((value, context): { quote: Quote } | { refusal: QuoteRefusal } => {
    const refused = isRefused(value);
    const result = refused
      ? quoteRefusal.transform((refusal) => ({ refusal })).safeParse(value)
      : quote.transform((each) => ({ quote: each })).safeParse(value);
    if (result.success) return result.data;
    for (const { message, path } of result.error.issues) context.addIssue({ code: "custom", message, path });
    return z.NEVER;
  });
const quotesAnswer = z.array(quoteOrRefusal);
const quotesInAnswer: ItemList[] = [{ path: [], item: quoteOrRefusal, id: "ramp" }];

export interface Quotes {
  readonly quotes: Quote[];
  readonly refusals: QuoteRefusal[];
}

export interface QuoteQuery {
  readonly fiat: string;
  readonly crypto: string;
  /** Of the currency that is given: fiat when buying, crypto when selling. */
  readonly amount: Decimal;
  readonly paymentMethod?: string;
  /** The unique user id of the widget. */
  readonly uuid?: string;
  readonly clientName?: string;
  readonly country?: string;
}

export function quoteEndpoints(surface: Surface) {
  return {
    async fetchBuyQuotes(asked: QuoteQuery, call?: CallOptions): Promise<Quotes> {
      return fetchQuotes(surface, "/quotes/{fiat}/{crypto}", asked, {}, call);
    },

    async fetchSellQuotes(asked: QuoteQuery, call?: CallOptions): Promise<Quotes> {
      return fetchQuotes(surface, "/quotes/{crypto}/{fiat}", asked, { type: "sell" }, call);
    },
  };
}

async function fetchQuotes(
  surface: Surface,
  template: string,
  asked: QuoteQuery,
  more: { type?: "sell" },
  call?: CallOptions,
): Promise<Quotes> {
  const { fiat, crypto, amount, paymentMethod, uuid, clientName, country } = asked;
  const query = { amount, paymentMethod, uuid, clientName, country, ...more };
  const parts = { fiat, crypto };
  const lists = quotesInAnswer;
  const answer = await get(surface, { template, parts, query, schema: quotesAnswer, lists, call });
  return {
    quotes: answer.value.flatMap((each) => ("quote" in each ? [each.quote] : [])),
    refusals: answer.value.flatMap((each) => ("refusal" in each ? [each.refusal] : [])),
  };
}
