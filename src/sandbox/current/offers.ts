import { multiplyDecimals, type Decimal } from "../../core/decimal.ts";
import type { SandboxDeps } from "../context.ts";
import { missedLimit, providersFor, serves, type LimitMiss } from "../world/market.ts";
import { quoteBuy, quoteSell, type Quote } from "../world/quote.ts";
import type { PaymentType, Provider } from "../world/types.ts";
import type { Pair } from "./pair.ts";

export interface QuoteWish extends Pair {
  readonly country: string;
  readonly method: PaymentType;
  readonly amount: Decimal;
  readonly atMs: number;
}

export interface QuoteRefusal {
  readonly provider: Provider;
  /** Left out: the provider does not take the payment method. */
  readonly limit?: LimitMiss;
}

export interface Offer extends Quote {
  readonly provider: Provider;
}

/** What one provider offers, by the prices of that moment: the same question always has the same answer. */
export function quoteOf(deps: SandboxDeps, provider: Provider, wish: QuoteWish): Quote {
  const order = { ...wish, provider, method: wish.method.id };
  return wish.side === "buy" ? quoteBuy(deps.world, order) : quoteSell(deps.world, order);
}

/** The fiat side of an order, which is what limits are about. */
export function fiatAmountOf(quote: Quote, wish: QuoteWish): Decimal {
  return wish.side === "buy" ? wish.amount : multiplyDecimals(wish.amount, quote.rate);
}

export function collectOffers(
  deps: SandboxDeps,
  wish: QuoteWish,
): { offers: Offer[]; refusals: QuoteRefusal[] } {
  const offers: Offer[] = [];
  const refusals: QuoteRefusal[] = [];
  const { method: _, ...withoutMethod } = wish;
  for (const provider of providersFor(deps.world, withoutMethod)) {
    if (!serves(provider, wish)) {
      refusals.push({ provider });
      continue;
    }
    const quote = quoteOf(deps, provider, wish);
    const limit = missedLimit(deps.world, { ...wish, provider, fiatAmount: fiatAmountOf(quote, wish) });
    if (limit) refusals.push({ provider, limit });
    else offers.push({ ...quote, provider });
  }
  return { offers, refusals };
}
