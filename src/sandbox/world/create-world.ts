import { addDecimals, decimal, decimalFromUnits, type Decimal } from "../../core/decimal.ts";
import { assets } from "./assets.ts";
import { countries } from "./countries.ts";
import { fiats } from "./fiats.ts";
import { networks } from "./networks.ts";
import { paymentTypes } from "./payment-types.ts";
import { providerProfiles, type ProviderProfile } from "./provider-profiles.ts";
import { below, hash32 } from "./random.ts";
import type { Provider, World } from "./types.ts";

/** Everything that exists before the first customer comes. The seed moves prices, margins, limits and luck. */
export function createWorld(seed: string): World {
  const providers = providerProfiles.map((profile) => createProvider(seed, profile));
  return {
    seed,
    networks,
    assets,
    fiats,
    paymentTypes,
    providers,
    countries,
    networkById: byKey(networks, (each) => each.id),
    assetById: byKey(assets, (each) => each.id),
    fiatById: byKey(fiats, (each) => each.id),
    paymentTypeById: byKey(paymentTypes, (each) => each.id),
    providerById: byKey(providers, (each) => each.id),
    countryByCode: byKey(countries, (each) => each.code),
  };
}

function createProvider(seed: string, profile: ProviderProfile): Provider {
  const { id, displayName, sells, limitsUsd, kyc } = profile;
  const luck = (what: string, bound: number) => below(bound, hash32(seed, "provider", id, what));
  return {
    id,
    displayName,
    kyc,
    countries: choose(
      profile.countries,
      countries.map(({ code }) => ({ id: code, words: [code] })),
    ),
    fiats: choose(
      profile.fiats,
      fiats.map((each) => ({ id: each.id, words: [each.id] })),
    ),
    assets: chooseAssets(profile, "sell"),
    buysBack: sells ? chooseAssets(profile, "buy") : new Set(),
    paymentMethods: choose(
      profile.methods,
      paymentTypes.map((each) => ({ id: each.id, words: [each.id] })),
    ),
    fees: {
      percentByMethod: toDecimals(profile.percent),
      minimumUsd: decimal(profile.minimumUsd),
      spreadPercent: addDecimals(decimal(profile.spread), decimalFromUnits(BigInt(luck("spread", 41)), 2)),
    },
    limitsUsd: { min: limitsUsd.min + luck("minimum", 6), max: limitsUsd.max },
    secondsToDeliver: profile.secondsToDeliver + luck("speed", 60),
    successRate: profile.successRate + luck("success", 40) / 1000,
    partnerFeePercent: decimal(profile.partnerFee),
  };
}

/** Those of the provider's list that are not for the other direction only. */
function chooseAssets(profile: ProviderProfile, other: "buy" | "sell"): Set<string> {
  const traded = assets.filter(({ trade }) => trade !== other);
  return choose(
    profile.assets,
    traded.map((each) => ({ id: each.id, words: [each.id, each.code] })),
  );
}

/** Reads a profile's list: `*` is everything, a word chooses, `-word` takes away. */
function choose(list: string, things: readonly { id: string; words: readonly string[] }[]): Set<string> {
  const words = new Set(list.split(" "));
  const chosen = things.filter((thing) => words.has("*") || thing.words.some((word) => words.has(word)));
  return new Set(chosen.filter((thing) => !words.has(`-${thing.id}`)).map((thing) => thing.id));
}

function toDecimals(percents: Readonly<Record<string, string>>): Record<string, Decimal> {
  return Object.fromEntries(Object.entries(percents).map(([method, percent]) => [method, decimal(percent)]));
}

function byKey<T>(things: readonly T[], key: (thing: T) => string): ReadonlyMap<string, T> {
  return new Map(things.map((thing) => [key(thing), thing]));
}
