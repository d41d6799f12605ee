/** The legacy surface: gateways and their rates. The purchase itself is a chain of steps (`run-steps.ts`). */
import { z } from "zod";
import type { CallOptions } from "./http.ts";
import type { ItemList } from "./lists.ts";
import { get, type Surface } from "./surface.ts";
import { orEmpty, orNull, wireDecimal, wireInteger, wireText } from "./wire.ts";

const gatewayCurrency = z.looseObject({
  code: wireText,
  /** For display at this gateway; not the decimals of the currency. */
  precision: orNull(wireInteger),
});

const gateway = z.looseObject({
  /** May appear several times in one list. */
  identifier: wireText,
  paymentMethods: orEmpty(wireText),
  fiatCurrencies: orEmpty(gatewayCurrency),
  cryptoCurrencies: orEmpty(gatewayCurrency),
});

const gatewaysAnswer = z.looseObject({
  gateways: z.array(gateway),
  localization: orNull(
    z.looseObject({ country: orNull(wireText), state: orNull(wireText), currency: orNull(wireText) }),
  ),
});

const gateways: ItemList[] = [{ path: ["gateways"], item: gateway, id: "identifier" }];

const rateEntry = {
  identifier: wireText,
  duration: orNull(z.looseObject({ seconds: orNull(wireInteger), message: orNull(wireText) })),
};

const rate = z.discriminatedUnion("available", [
  z.looseObject({
    ...rateEntry,
    available: z.literal(true),
    rate: wireDecimal,
    fees: orNull(wireDecimal),
    /** An inner list holds alternatives, one of which suffices. */
    requiredKYC: orEmpty(z.union([z.array(wireText), wireText])),
    receivedCrypto: orNull(wireDecimal),
    /** Where `runSteps` begins. */
    nextStep: z.looseObject({ type: wireText }),
  }),
  z.looseObject({
    ...rateEntry,
    available: z.literal(false),
    /** `MIN` and `MAX` come with their limit; any other type is to be read as "for another reason". */
    error: orNull(
      z.looseObject({ type: orNull(wireText), message: orNull(wireText), limit: orNull(wireDecimal) }),
    ),
  }),
]);
export type Rate = z.output<typeof rate>;

const ratesAnswer = z.array(rate);
const rates: ItemList[] = [{ path: [], item: rate, id: "identifier" }];

export interface RateQuery {
  readonly fromCurrency: string;
  readonly toCurrency: string;
  readonly paymentMethod: string;
  /** A positive integer: of fiat, or of crypto with `amountInCrypto`. */
  readonly amount: number;
  readonly amountInCrypto?: boolean;
  readonly country?: string;
  readonly includeIcons?: boolean;
}

export function earlierEndpoints(surface: Surface) {
  return {
    /** `country` is an alpha-2 code, or `all` for the union over all countries. */
    async fetchGateways(filter: { country?: string; includeIcons?: boolean } = {}, call?: CallOptions) {
      const query = { country: filter.country, includeIcons: filter.includeIcons };
      const schema = gatewaysAnswer;
      return (await get(surface, { template: "/gateways", query, schema, lists: gateways, call })).value;
    },

    /** Available and unavailable gateways, mixed as the server sends them. */
    async fetchRates(asked: RateQuery, call?: CallOptions): Promise<Rate[]> {
      const { fromCurrency, toCurrency, paymentMethod, amount, country, includeIcons, amountInCrypto } =
        asked;
      if (!Number.isSafeInteger(amount) || amount <= 0)
        throw new RangeError("amount must be a positive integer");
      const template = "/rate/{fromCurrency}/{toCurrency}/{paymentMethod}/{amount}";
      const parts = { fromCurrency, toCurrency, paymentMethod, amount: String(amount) };
      const query = { country, includeIcons, amountInCrypto };
      return (await get(surface, { template, parts, query, schema: ratesAnswer, lists: rates, call })).value;
    },
  };
}
