import {
  addDecimals,
  compareDecimals,
  decimal,
  divideDecimals,
  multiplyDecimals,
  subtractDecimals,
  truncateDecimal,
  zero,
  type Decimal,
} from "../../core/decimal.ts";
import { statusAt, type JournalEntry } from "../checkout/purchase.ts";
import type { Caller, SandboxDeps } from "../context.ts";
import { RefusedError } from "../refusal.ts";
import type { LimitMiss } from "../world/market.ts";
import { fiatUsd } from "../world/prices.ts";
import type { Fiat } from "../world/types.ts";

const dayMs = 86_400_000;

/** What is left of the user's limit for 24 hours, when the order is for more. */
export function missedUserLimit(
  deps: SandboxDeps,
  caller: Caller,
  order: { fiat: Fiat; fiatAmount: Decimal; user?: string | undefined },
): LimitMiss | null {
  const usd = deps.switches.trouble.world["user-usd"];
  if (usd === 0 || order.user === undefined) return null;
  const nowMs = deps.now();
  const used = ordersOf(deps, caller, order.user, nowMs).reduce(
    (sum, { purchase }) => addDecimals(sum, usdOf(deps, purchase)),
    zero,
  );
  const left = subtractDecimals(decimal(usd), used);
  const inFiat = divideDecimals(left, fiatUsd(deps.world, order.fiat.id, nowMs), { places: 8 });
  const limit = compareDecimals(inFiat, zero) < 0 ? zero : truncateDecimal(inFiat, order.fiat.minorUnits);
  return compareDecimals(order.fiatAmount, limit) > 0 ? { type: "MAX", limit } : null;
}

export function refuseTooManyOrders(deps: SandboxDeps, caller: Caller, user: string | undefined): void {
  const most = deps.switches.trouble.world["user-orders"];
  if (most === 0 || user === undefined) return;
  if (ordersOf(deps, caller, user, deps.now()).length < most) return;
  throw new RefusedError(
    "USER_LIMIT",
    `This user has reached the limit of ${most} orders in 24 hours.`,
    "uuid",
  );
}

/** Those of the last 24 hours that took, or may still take, money. */
function ordersOf(
  { journal, accounts }: SandboxDeps,
  caller: Caller,
  user: string,
  nowMs: number,
): JournalEntry[] {
  return journal.ofUser((caller ?? accounts.first).apiKey, user).filter((entry) => {
    const status = statusAt(entry, nowMs);
    return nowMs - entry.purchase.createdMs < dayMs && status !== "failed" && status !== "canceled";
  });
}

function usdOf({ world }: SandboxDeps, purchase: JournalEntry["purchase"]): Decimal {
  const isBuy = purchase.side === "buy";
  const fiat = isBuy ? purchase.source : purchase.target;
  const amount = isBuy ? purchase.inAmount : purchase.outAmount;
  return world.fiatById.has(fiat) ? multiplyDecimals(amount, fiatUsd(world, fiat, purchase.createdMs)) : zero;
}
