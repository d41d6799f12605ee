import type { Decimal } from "../../core/decimal.ts";
import { quoteBuy, quoteSell } from "../world/quote.ts";
import { amend, type Walk } from "./walk.ts";

/** How long a quoted price stands. */
export const quoteLifeMs = 5 * 60_000;

/** When the price must be made again; `null` where it stands as long as the session. */
export function priceEndsMs({ purchase }: Walk): number | null {
  return purchase.quotedMs === undefined ? null : purchase.quotedMs + quoteLifeMs;
}

/** What the customer would get for that amount, by the prices of that moment. */
export function payoutFor(walk: Walk, amount: Decimal, atMs: number): Decimal {
  const { provider, fiat, asset, method } = walk;
  const order = { provider, fiat, asset, method: method.id, amount, atMs };
  const { world } = walk.deps;
  return (walk.purchase.side === "buy" ? quoteBuy(world, order) : quoteSell(world, order)).payout;
}

/** The price of now, held for as long as the first one was. */
export function refreshPrice(walk: Walk): void {
  amend(walk, { outAmount: payoutFor(walk, walk.purchase.inAmount, walk.nowMs), quotedMs: walk.nowMs });
}
