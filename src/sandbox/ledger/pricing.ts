/**
 * The arithmetic of `world/quote.ts`, once more for millions of records: the same prices, fees and cuts, with everything
 * that does not depend on time prepared per lane and all amounts as whole numbers of their smallest units.
 * A test holds the two against each other.
 */
import type { Decimal } from "../../core/decimal.ts";
import { movePpm } from "../world/prices.ts";
import { hash32 } from "../world/random.ts";
import type { Asset, Fiat, Network, Provider } from "../world/types.ts";

export interface Pricing {
  /** A buy: fiat minor units in, units of the asset out. */
  buy(gross: bigint, atMs: number): Priced;
  /** A sell: units of the asset in, fiat minor units out. */
  sell(units: bigint, atMs: number): Priced;
  /** Units of the asset that fetch about this much fiat. */
  unitsFor(minor: bigint, atMs: number): bigint;
}

export interface Priced {
  /** Fiat for one whole unit of the asset, with ten places. */
  readonly rate: bigint;
  /** Both fees in fiat minor units. */
  readonly networkFee: bigint;
  readonly processingFee: bigint;
  /** What the customer gets: never below zero. */
  readonly payout: bigint;
}

const ratePlaces = 10;

export interface PricedPair {
  readonly seed: string;
  readonly provider: Provider;
  readonly fiat: Fiat;
  readonly asset: Asset;
  readonly network: Network;
  readonly method: string;
}

export function createPricing({ seed, provider, fiat, asset, network, method }: PricedPair): Pricing {
  const assetState = hash32(seed, "asset", asset.code);
  const fiatState = hash32(seed, "fiat", fiat.id);
  const level = fraction(fiat.usd);
  const spread = fraction(provider.fees.spreadPercent);
  const percent = fraction(
    provider.fees.percentByMethod[method] ?? provider.fees.percentByMethod["default"] ?? ("0" as Decimal),
  );
  const coin = fraction(asset.usd);
  const minorStep = 10n ** BigInt(ratePlaces - fiat.minorUnits);
  const halfStep = minorStep / 2n;
  const percentScale = percent.scale * 100n;
  const assetScale = 10n ** BigInt(asset.decimals);
  const stepScale = minorStep * assetScale;

  // Dollars to fiat: usd / (level × fiatMove / 10⁶), with ten places.
  const inFiat = (usd: Decimal) => {
    const { units, scale } = fraction(usd);
    return { numerator: units * tenPlaces * million * level.scale, denominator: scale * level.units };
  };
  const least = inFiat(provider.fees.minimumUsd);
  const network10 = inFiat(network.feeUsd);
  const rateDenominator = coin.scale * spread.scale * level.units * 100n;
  const rateNumerator = (sign: bigint) =>
    coin.units * (100n * spread.scale + sign * spread.units) * tenPlaces * level.scale;
  const buyNumerator = rateNumerator(1n);
  const sellNumerator = rateNumerator(-1n);

  const fiatMove = (atMs: number) => BigInt(1_000_000 + movePpm(fiatState, fiat.swingPpm, atMs));
  const rateAt = (numerator: bigint, atMs: number, move: bigint) =>
    (numerator * BigInt(1_000_000 + movePpm(assetState, asset.swingPpm, atMs))) / (rateDenominator * move);
  const roundToMinor = (amount: bigint) => (amount + halfStep) / minorStep;

  const feesAt = (fiatAmount: bigint, move: bigint) => {
    const share = (fiatAmount * percent.units) / percentScale;
    const floor = least.numerator / (least.denominator * move);
    return {
      networkFee: roundToMinor(network10.numerator / (network10.denominator * move)),
      processingFee: roundToMinor(share < floor ? floor : share),
    };
  };

  return {
    buy(gross, atMs) {
      const move = fiatMove(atMs);
      const rate = rateAt(buyNumerator, atMs, move);
      const { networkFee, processingFee } = feesAt(gross * minorStep, move);
      const left = (gross - networkFee - processingFee) * minorStep;
      return { rate, networkFee, processingFee, payout: left > 0n ? (left * assetScale) / rate : 0n };
    },
    sell(units, atMs) {
      const move = fiatMove(atMs);
      const rate = rateAt(sellNumerator, atMs, move);
      const worth = units * rate;
      const { networkFee, processingFee } = feesAt(worth / assetScale, move);
      const left = worth - (networkFee + processingFee) * stepScale;
      return { rate, networkFee, processingFee, payout: left > 0n ? left / stepScale : 0n };
    },
    unitsFor(minor, atMs) {
      return (minor * stepScale) / rateAt(sellNumerator, atMs, fiatMove(atMs));
    },
  };
}

const tenPlaces = 10n ** BigInt(ratePlaces);
const million = 1_000_000n;

/** A decimal as the fraction units / scale. */
function fraction(amount: Decimal): { units: bigint; scale: bigint } {
  const [whole = "", places = ""] = amount.split(".");
  return { units: BigInt(whole + places), scale: 10n ** BigInt(places.length) };
}
