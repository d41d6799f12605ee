import {
  compareDecimals,
  decimal,
  decimalFromUnits,
  divideDecimals,
  multiplyDecimals,
  truncateDecimal,
  type Decimal,
} from "../../core/decimal.ts";
import { countries } from "./countries.ts";
import { fiatUsd } from "./prices.ts";
import { fiatToBuy, fiatToKeep, type Order } from "./quote.ts";
import { hash32 } from "./random.ts";
import type { Asset, Fiat, PaymentType, Provider, World } from "./types.ts";

export type Side = "buy" | "sell";

export interface Wish {
  readonly side: Side;
  /** Upper case; left out: anywhere. */
  readonly country?: string;
  readonly fiat?: Fiat;
  readonly asset?: Asset;
  readonly method?: PaymentType;
}

export function providersFor(world: World, wish: Wish): Provider[] {
  return world.providers.filter((provider) => serves(provider, wish));
}

/** Whether the provider does such business at all; the amount is another question. */
export function serves(provider: Provider, wish: Wish): boolean {
  const { side, country, fiat, asset, method } = wish;
  const traded = side === "buy" ? provider.assets : provider.buysBack;
  return (
    (country === undefined || provider.countries.has(country)) &&
    (fiat === undefined || takesFiat(provider, fiat, wish)) &&
    (asset === undefined ? traded.size > 0 : traded.has(asset.id)) &&
    (method === undefined || (provider.paymentMethods.has(method.id) && moves(method, wish)))
  );
}

/** Whether the provider takes, or pays out, the fiat there. */
export function takesFiat(provider: Provider, fiat: Fiat, { side, country }: Wish): boolean {
  return (
    provider.fiats.has(fiat.id) &&
    (side === "buy" || fiat.paysOut) &&
    (country === undefined || !fiat.homeOnly || homeFiat.get(country) === fiat.id)
  );
}

const homeFiat: ReadonlyMap<string, string> = new Map(countries.map(({ code, fiat }) => [code, fiat]));

/** The ways in which these providers take money, or pay it out, in the catalogue's order. */
export function methodsOf(
  world: World,
  providers: readonly Provider[],
  wish: Pick<Wish, "side" | "country" | "fiat">,
): PaymentType[] {
  return world.paymentTypes.filter(
    (method) => moves(method, wish) && providers.some((provider) => provider.paymentMethods.has(method.id)),
  );
}

export interface LimitCheck extends Omit<Order, "amount"> {
  readonly side: Side;
  /** To how many places the customer's part is cut. */
  readonly places: number;
}

/**
 * Smallest and largest order in whole units of the fiat: what a person would be told. The smallest is never so small
 * that fees leave nothing.
 */
export function limitsOf(world: World, check: LimitCheck): { min: Decimal; max: Decimal } {
  const unitUsd = fiatUsd(world, check.fiat.id, check.atMs);
  const { min, max } = check.provider.limitsUsd;
  const stated = wholeUp(divideDecimals(decimal(min), unitUsd, { places: 6 }));
  const smallest = { ...check, amount: decimalFromUnits(1n, check.places) };
  const worthIt = wholeUp(check.side === "buy" ? fiatToBuy(world, smallest) : fiatToKeep(world, smallest));
  return {
    min: compareDecimals(stated, worthIt) < 0 ? worthIt : stated,
    max: truncateDecimal(divideDecimals(decimal(max), unitUsd, { places: 6 }), 0),
  };
}

export type LimitMiss = { readonly type: "MIN" | "MAX"; readonly limit: Decimal };

export function missedLimit(world: World, check: LimitCheck & { fiatAmount: Decimal }): LimitMiss | null {
  return outside(check.fiatAmount, limitsOf(world, check));
}

export function outside(amount: Decimal, { min, max }: { min: Decimal; max: Decimal }): LimitMiss | null {
  if (compareDecimals(amount, min) < 0) return { type: "MIN", limit: min };
  return compareDecimals(amount, max) > 0 ? { type: "MAX", limit: max } : null;
}

/** The share of orders that go through, in thousandths: the provider's own, a little different for each method. */
export function successPerMille(world: World, provider: Provider, methodId: string): number {
  return (
    Math.round(provider.successRate * 1000) + (hash32(world.seed, "success", provider.id, methodId) % 50) - 25
  );
}

/** What a fiat amount is in round figures of another fiat: for suggestions, never for money. */
export function roundAmountIn(fiat: Fiat, usd: number): Decimal {
  const amount = divideDecimals(decimal(usd), fiat.usd, { places: 0 });
  const step = `1${"0".repeat(Math.max(amount.length - 1, 0))}`;
  const steps = wholeUp(divideDecimals(amount, decimal(step), { places: 2 }));
  return multiplyDecimals(steps, decimal(step));
}

/** Whether money goes this way, in this direction, in that country. */
export function moves(
  method: PaymentType,
  { side, country, fiat }: Pick<Wish, "side" | "country" | "fiat">,
): boolean {
  return (
    (side === "buy" || method.paysOut) &&
    (country === undefined || method.countries === null || method.countries.has(country)) &&
    (fiat === undefined || method.fiats === null || method.fiats.has(fiat.id))
  );
}

function wholeUp(amount: Decimal): Decimal {
  const whole = truncateDecimal(amount, 0);
  return whole === amount ? whole : decimal(BigInt(whole) + 1n);
}
