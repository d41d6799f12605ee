import {
  addDecimals,
  compareDecimals,
  decimal,
  decimalFromUnits,
  divideDecimals,
  multiplyDecimals,
  roundDecimal,
  subtractDecimals,
  truncateDecimal,
  zero,
  type Decimal,
} from "../../core/decimal.ts";
import { assetUsd, fiatUsd } from "./prices.ts";
import type { Asset, Fiat, Provider, World } from "./types.ts";

export interface Order {
  readonly provider: Provider;
  readonly fiat: Fiat;
  readonly asset: Asset;
  /** Payment type id. */
  readonly method: string;
  /** What the customer gives: fiat on a buy, crypto on a sell. */
  readonly amount: Decimal;
  readonly atMs: number;
}

export interface Quote {
  /** Fiat for one whole unit of the asset, the provider's margin inside. */
  readonly rate: Decimal;
  /** Both fees in fiat, in its minor units. */
  readonly networkFee: Decimal;
  readonly transactionFee: Decimal;
  /** What the customer gets: crypto on a buy, fiat on a sell. Zero when the fees eat everything. */
  readonly payout: Decimal;
}

/** payout = (amount − networkFee − transactionFee) / rate, cut to what the asset can express. */
export function quoteBuy(world: World, order: Order): Quote {
  const rate = rateOf(world, order, addDecimals(hundred, order.provider.fees.spreadPercent));
  const fees = feesOf(world, order, order.amount);
  const left = subtractDecimals(order.amount, addDecimals(fees.networkFee, fees.transactionFee));
  return { rate, ...fees, payout: positive(divideDecimals(left, rate, { places: order.asset.decimals })) };
}

/** payout = amount × rate − networkFee − transactionFee, cut to the fiat's minor units. */
export function quoteSell(world: World, order: Order): Quote {
  const rate = rateOf(world, order, subtractDecimals(hundred, order.provider.fees.spreadPercent));
  const gross = multiplyDecimals(order.amount, rate);
  const fees = feesOf(world, order, gross);
  const left = subtractDecimals(gross, addDecimals(fees.networkFee, fees.transactionFee));
  return { rate, ...fees, payout: positive(truncateDecimal(left, order.fiat.minorUnits)) };
}

/** The fiat amount whose purchase pays out at least that much crypto: `quoteBuy` the other way round. */
export function fiatToBuy(world: World, order: Order): Decimal {
  const rate = rateOf(world, order, addDecimals(hundred, order.provider.fees.spreadPercent));
  return leastGross(world, order, multiplyDecimals(order.amount, rate), (gross) => {
    return compareDecimals(quoteBuy(world, { ...order, amount: gross }).payout, order.amount) >= 0;
  });
}

/** The proceeds of a sale of which at least that much fiat is left after fees. */
export function fiatToKeep(world: World, order: Order): Decimal {
  return leastGross(world, order, order.amount, (gross) => {
    const { networkFee, transactionFee } = feesOf(world, order, gross);
    const left = subtractDecimals(gross, addDecimals(networkFee, transactionFee));
    return compareDecimals(left, order.amount) >= 0;
  });
}

/** The smallest amount of fiat, in its minor units, that is enough when fees have been taken from it. */
function leastGross(
  world: World,
  order: Order,
  left: Decimal,
  isEnough: (gross: Decimal) => boolean,
): Decimal {
  const { provider, fiat, method } = order;
  const least = feesOf(world, order, zero);
  const net = addDecimals(left, least.networkFee);
  const keptPercent = subtractDecimals(hundred, percentOf(provider, method));
  const byPercent = divideDecimals(multiplyDecimals(net, hundred), keptPercent, { places: ratePlaces });
  const byMinimum = addDecimals(net, least.transactionFee);
  const larger = compareDecimals(byPercent, byMinimum) < 0 ? byMinimum : byPercent;
  const minorUnit = decimalFromUnits(1n, fiat.minorUnits);
  let needed = truncateDecimal(larger, fiat.minorUnits);
  // Truncated amounts and rounded fees: at most a few of the smallest coins are missing.
  while (!isEnough(needed)) needed = addDecimals(needed, minorUnit);
  return needed;
}

const hundred = decimal(100);

/** Places after which a price is cut: the cheapest coin in the dearest fiat still has five digits. */
const ratePlaces = 10;

function rateOf(world: World, { fiat, asset, atMs }: Order, percent: Decimal): Decimal {
  const usd = multiplyDecimals(assetUsd(world, asset.id, atMs), percent);
  const fiatInUsd = multiplyDecimals(fiatUsd(world, fiat.id, atMs), hundred);
  return divideDecimals(usd, fiatInUsd, { places: ratePlaces });
}

function feesOf(world: World, { provider, fiat, asset, method, atMs }: Order, fiatAmount: Decimal) {
  const percent = percentOf(provider, method);
  const share = divideDecimals(multiplyDecimals(fiatAmount, percent), hundred, { places: ratePlaces });
  const least = toFiat(world, fiat, provider.fees.minimumUsd, atMs);
  const networkFeeUsd = world.networkById.get(asset.network)?.feeUsd ?? zero;
  return {
    networkFee: roundDecimal(toFiat(world, fiat, networkFeeUsd, atMs), fiat.minorUnits),
    transactionFee: roundDecimal(compareDecimals(share, least) < 0 ? least : share, fiat.minorUnits),
  };
}

function percentOf({ fees }: Provider, method: string): Decimal {
  return fees.percentByMethod[method] ?? fees.percentByMethod["default"] ?? zero;
}

function toFiat(world: World, fiat: Fiat, usd: Decimal, atMs: number): Decimal {
  return divideDecimals(usd, fiatUsd(world, fiat.id, atMs), { places: ratePlaces });
}

function positive(amount: Decimal): Decimal {
  return amount.startsWith("-") ? zero : amount;
}
