/** What the aggregator offers: assets, fiats, payment types, defaults and providers. */
import { z } from "zod";
import type { CallOptions } from "./http.ts";
import type { ItemList } from "./lists.ts";
import { get, type Surface, type TransactionType } from "./surface.ts";
import { orEmpty, orNull, wireDecimal, wireDecimals, wireId, wireInteger, wireText } from "./wire.ts";

const cryptoAsset = z.looseObject({
  id: wireId,
  code: wireText,
  name: orNull(wireText),
  symbol: orNull(wireText),
  network: orNull(wireText),
  /** Unreliable on the wire (0 has been seen for a token of 18): never scale an amount by it. */
  decimals: orNull(wireDecimals),
  /** Token contract. */
  address: orNull(wireText),
  chainId: orNull(wireInteger),
  icon: orNull(wireText),
  networkDisplayName: orNull(wireText),
});

const fiatCurrency = z.looseObject({
  id: wireId,
  code: wireText,
  name: orNull(wireText),
  symbol: orNull(wireText),
  icon: orNull(wireText),
});

export const paymentType = z.looseObject({
  paymentTypeId: wireId,
  name: orNull(wireText),
  icon: orNull(wireText),
});

const defaultsEntry = z.looseObject({
  source: wireText,
  target: wireText,
  amount: wireDecimal,
  paymentMethod: orNull(wireText),
  provider: orNull(wireText),
});

const assetAvailability = z.looseObject({
  fiat: wireText,
  paymentMethods: orEmpty(wireText),
  crypto: orEmpty(wireText),
});

const providerLook = {
  displayName: orNull(wireText),
  icon: orNull(wireText),
  icons: orNull(z.looseObject({ svg: orNull(wireText), png: orNull(z.record(z.string(), wireText)) })),
};

const provider = z.looseObject({ id: wireId, ...providerLook });

const providerAvailability = z.looseObject({
  onramp: wireText,
  ...providerLook,
  country: orNull(wireText),
  paymentMethods: orEmpty(wireText),
  recommendedPaymentMethod: orNull(wireText),
  recommendations: orEmpty(z.looseObject({ type: wireText, paymentMethods: orEmpty(wireText) })),
});

function inMessage<T extends z.ZodType>(schema: T) {
  return z.looseObject({ message: schema });
}

const supportedAnswer = inMessage(
  z.looseObject({ crypto: z.array(cryptoAsset), fiat: z.array(fiatCurrency) }),
);
const paymentTypesAnswer = inMessage(z.record(z.string(), paymentType));
const fiatPaymentTypesAnswer = inMessage(z.array(paymentType));
const defaultsAnswer = inMessage(
  z.looseObject({ recommended: orNull(defaultsEntry), defaults: z.record(z.string(), defaultsEntry) }),
);
const assetsAnswer = inMessage(
  z.looseObject({ assets: z.array(assetAvailability), country: orNull(wireText) }),
);
const providersAnswer = inMessage(z.array(provider));
const providerAvailabilityAnswer = inMessage(z.array(providerAvailability));

const inSupported: ItemList[] = [
  { path: ["message", "crypto"], item: cryptoAsset, id: "id" },
  { path: ["message", "fiat"], item: fiatCurrency, id: "id" },
];
const paymentTypes: ItemList[] = [{ path: ["message"], item: paymentType, id: "paymentTypeId" }];
const defaultsEntries: ItemList[] = [{ path: ["message", "defaults"], item: defaultsEntry, id: "source" }];
const availableAssets: ItemList[] = [{ path: ["message", "assets"], item: assetAvailability, id: "fiat" }];
const providers: ItemList[] = [{ path: ["message"], item: provider, id: "id" }];
const availableProviders: ItemList[] = [{ path: ["message"], item: providerAvailability, id: "onramp" }];

/** ISO 3166-1 alpha-2; when it is left out, the aggregator takes the country of our address. */
export interface ForCountry {
  readonly country?: string;
  readonly type?: TransactionType;
}

export function catalogueEndpoints(surface: Surface) {
  return {
    async fetchSupported(filter: { type?: TransactionType } = {}, call?: CallOptions) {
      const query = { type: filter.type };
      const answer = await get(surface, {
        template: "/supported",
        query,
        schema: supportedAnswer,
        lists: inSupported,
        call,
      });
      return answer.value.message;
    },

    /** Keyed by payment type id. */
    async fetchPaymentTypes(filter: ForCountry = {}, call?: CallOptions) {
      const template = "/supported/payment-types";
      const query = { country: filter.country, type: filter.type };
      return (await get(surface, { template, query, schema: paymentTypesAnswer, lists: paymentTypes, call }))
        .value.message;
    },

    async fetchPaymentTypesOfFiat(fiat: string, filter: ForCountry = {}, call?: CallOptions) {
      const template = "/supported/payment-types/{fiat}";
      const query = { country: filter.country, type: filter.type };
      const schema = fiatPaymentTypesAnswer;
      return (await get(surface, { template, parts: { fiat }, query, schema, lists: paymentTypes, call }))
        .value.message;
    },

    async fetchDefaults(filter: ForCountry = {}, call?: CallOptions) {
      const template = "/supported/defaults/all";
      const query = { country: filter.country, type: filter.type };
      return (await get(surface, { template, query, schema: defaultsAnswer, lists: defaultsEntries, call }))
        .value.message;
    },

    /** Without `source`, for all fiats. */
    async fetchAssets(filter: { source?: string; country?: string } = {}, call?: CallOptions) {
      const query = { source: filter.source, country: filter.country };
      const answer = await get(surface, {
        template: "/supported/assets",
        query,
        schema: assetsAnswer,
        lists: availableAssets,
        call,
      });
      return answer.value.message;
    },

    /** The providers enabled for our key. */
    async fetchProviders(call?: CallOptions) {
      const template = "/supported/onramps/all";
      return (await get(surface, { template, schema: providersAnswer, lists: providers, call })).value
        .message;
    },

    async fetchProviderAvailability(
      filter: { source: string; destination: string; country?: string; recommendations?: boolean },
      call?: CallOptions,
    ) {
      const { source, destination, country, recommendations } = filter;
      const query = { source, destination, country, recommendations };
      const schema = providerAvailabilityAnswer;
      return (
        await get(surface, { template: "/supported/onramps", query, schema, lists: availableProviders, call })
      ).value.message;
    },
  };
}
