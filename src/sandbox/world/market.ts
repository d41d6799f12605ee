import {
  compareDecimals,
  decimal,
  divideDecimals,
  multiplyDecimals,
  truncateDecimal,
  type Decimal,
} from "../../core/decimal.ts";
import { fiatUsd } from "./prices.ts";
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
export function serves(provider: Provider, { side, country, fiat, asset, method }: Wish): boolean {
  return (
    (side === "buy" || provider.sells) &&
    (country === undefined || provider.countries.has(country)) &&
    (fiat === undefined || provider.fiats.has(fiat.id)) &&
    (asset === undefined || provider.assets.has(asset.id)) &&
    (method === undefined || (provider.paymentMethods.has(method.id) && moves(method, fiat)))
  );
}

/** The ways in which these providers take or pay that fiat, in the catalogue's order. */
export function methodsOf(world: World, providers: readonly Provider[], fiat?: Fiat): PaymentType[] {
  return world.paymentTypes.filter(
    (method) => moves(method, fiat) && providers.some((provider) => provider.paymentMethods.has(method.id)),
  );
}

/** Smallest and largest order in whole units of the fiat: what a person would be told. */
function limitsIn(world: World, provider: Provider, fiat: Fiat, atMs: number) {
  const unitUsd = fiatUsd(world, fiat.id, atMs);
  const { min, max } = provider.limitsUsd;
  return {
    min: wholeUp(divideDecimals(decimal(min), unitUsd, { places: 6 })),
    max: truncateDecimal(divideDecimals(decimal(max), unitUsd, { places: 6 }), 0),
  };
}

export type LimitMiss = { readonly type: "MIN" | "MAX"; readonly limit: Decimal };

export function missedLimit(world: World, order: LimitCheck): LimitMiss | null {
  const { min, max } = limitsIn(world, order.provider, order.fiat, order.atMs);
  if (compareDecimals(order.fiatAmount, min) < 0) return { type: "MIN", limit: min };
  if (compareDecimals(order.fiatAmount, max) > 0) return { type: "MAX", limit: max };
  return null;
}

interface LimitCheck {
  readonly provider: Provider;
  readonly fiat: Fiat;
  readonly fiatAmount: Decimal;
  readonly atMs: number;
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

function moves(method: PaymentType, fiat: Fiat | undefined): boolean {
  return fiat === undefined || method.fiats === null || method.fiats.has(fiat.id);
}

function wholeUp(amount: Decimal): Decimal {
  const whole = truncateDecimal(amount, 0);
  return whole === amount ? whole : decimal(BigInt(whole) + 1n);
}
