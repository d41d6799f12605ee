import type { SandboxDeps } from "../context.ts";
import { isDown } from "../open-providers.ts";
import { serves, type Wish } from "../world/market.ts";
import type { Asset, Fiat, PaymentType, Provider } from "../world/types.ts";

export interface RateQuestion {
  readonly fiat: Fiat;
  readonly asset: Asset;
  readonly method: PaymentType;
  readonly within: { readonly country?: string };
}

/**
 * Why no amount would help, and the one input to change. When several are wrong, the one named is the first that a
 * person would rather change: how to pay before what to pay with, and that before what to buy.
 */
export function whyClosed(
  deps: SandboxDeps,
  provider: Provider,
  question: RateQuestion,
): { type: string; message: string } | null {
  const reason = findReason(deps, provider, question);
  if (reason === null || deps.switches.dialect["rate-error"] === "named") return reason;
  return { ...reason, type: "OTHER" };
}

function findReason(deps: SandboxDeps, provider: Provider, { fiat, asset, method, within }: RateQuestion) {
  const name = provider.displayName;
  if (isDown(deps, provider))
    return { type: "UNAVAILABLE", message: `${name} does not answer; try again later` };
  const can = (wish: Omit<Wish, "side">) => serves(provider, { side: "buy", ...within, ...wish });
  if (can({ fiat, asset, method })) return null;
  if (can({ fiat, asset })) {
    return {
      type: "PAYMENT_METHOD",
      message: `${name} does not take ${method.name} here; change paymentMethod`,
    };
  }
  if (!can({ fiat })) {
    return { type: "FROM_CURRENCY", message: `${name} does not take ${fiat.code} here; change fromCurrency` };
  }
  return { type: "TO_CURRENCY", message: `${name} does not sell ${asset.code}; change toCurrency` };
}
