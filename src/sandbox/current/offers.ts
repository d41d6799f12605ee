import { multiplyDecimals, type Decimal } from "../../core/decimal.ts";
import type { Caller, SandboxDeps } from "../context.ts";
import { enabledProviders, isDown } from "../open-providers.ts";
import { missedUserLimit } from "../trouble/user-limits.ts";
import { missedLimit, serves, type LimitMiss } from "../world/market.ts";
import { quoteBuy, quoteSell, type Quote } from "../world/quote.ts";
import type { PaymentType, Provider } from "../world/types.ts";
import type { Pair } from "./pair.ts";

export interface QuoteWish extends Pair {
  readonly country: string;
  readonly method: PaymentType;
  readonly amount: Decimal;
  readonly atMs: number;
  /** Who asks, where the client said so. */
  readonly user?: string | undefined;
}

export interface QuoteRefusal {
  readonly provider: Provider;
  readonly reason: "payment-method" | "outage" | LimitMiss;
}

export interface Offer extends Quote {
  readonly provider: Provider;
}

/** What one provider offers, by the prices of that moment: the same question always has the same answer. */
export function quoteOf(deps: SandboxDeps, provider: Provider, wish: QuoteWish): Quote {
  const order = { ...wish, provider, method: wish.method.id };
  return wish.side === "buy" ? quoteBuy(deps.world, order) : quoteSell(deps.world, order);
}

/** The fiat side of an order; limits apply to it. */
export function fiatAmountOf(quote: Quote, wish: QuoteWish): Decimal {
  return wish.side === "buy" ? wish.amount : multiplyDecimals(wish.amount, quote.rate);
}

/** The provider's limit that the order misses, or else the user's. */
export function missedBy(
  deps: SandboxDeps,
  caller: Caller,
  provider: Provider,
  wish: QuoteWish,
  fiatAmount: Decimal,
): LimitMiss | null {
  const places = wish.side === "buy" ? wish.asset.decimals : wish.fiat.minorUnits;
  const check = { ...wish, provider, method: wish.method.id, places, fiatAmount };
  return missedLimit(deps.world, check) ?? missedUserLimit(deps, caller, { ...wish, fiatAmount });
}

export function collectOffers(
  deps: SandboxDeps,
  caller: Caller,
  wish: QuoteWish,
): { offers: Offer[]; refusals: QuoteRefusal[] } {
  const offers: Offer[] = [];
  const refusals: QuoteRefusal[] = [];
  const { method: _, ...withoutMethod } = wish;
  for (const provider of enabledProviders(deps, caller, withoutMethod)) {
    if (isDown(deps, provider)) refusals.push({ provider, reason: "outage" });
    else if (!serves(provider, wish)) refusals.push({ provider, reason: "payment-method" });
    else {
      const quote = quoteOf(deps, provider, wish);
      const missed = missedBy(deps, caller, provider, wish, fiatAmountOf(quote, wish));
      if (missed) refusals.push({ provider, reason: missed });
      else offers.push({ ...quote, provider });
    }
  }
  return { offers, refusals };
}
