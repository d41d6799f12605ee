import { transferMethods } from "../decide.ts";
import { priceEndsMs } from "../price.ts";
import { statusAt } from "../purchase.ts";
import type { Walk } from "../walk.ts";
import type { StepName } from "./step.ts";

export type Place = StepName | "processing" | "completed" | "failed" | "canceled" | "expired";

/** Where the person stands: the first thing that is still missing, or what became of the order. */
export function placeOf(walk: Walk): Place {
  const { entry, purchase, progress, nowMs } = walk;
  if (entry.outcome) return placeAfterDecision(walk);
  if (nowMs >= purchase.expiresMs) return "expired";
  if (asksForContact(walk)) {
    if (progress.emailHint === undefined) return "contact";
    if (!progress.isEmailConfirmed) return "code";
  }
  if (asksForIdentity(walk) && progress.identityMs === undefined) return "identity";
  if (isReviewed(walk)) return "review";
  return purchase.side === "buy" ? placeOfPayment(walk) : placeOfSale(walk);
}

export function asksForContact({ purchase }: Walk): boolean {
  return purchase.surface !== "earlier";
}

/** Some providers are content with an e-mail address. */
export function asksForIdentity({ purchase, provider }: Walk): boolean {
  return purchase.surface !== "earlier" && provider.kyc === "normal";
}

/** The documents are still being looked at, whichever surface they came in through. */
function isReviewed({ progress, nowMs }: Walk): boolean {
  return progress.identityMs !== undefined && nowMs < progress.identityMs;
}

/** Whether a step may be seen and sent: the one whose turn it is, or one that can still be corrected. */
export function isOpen(walk: Walk, step: StepName): boolean {
  const place = placeOf(walk);
  if (place === step) return true;
  if (walk.entry.outcome || place === "expired" || place === "challenge" || place === "difference")
    return false;
  if (step === "contact") return asksForContact(walk);
  return step === "payout-account" && walk.progress.payoutHint !== undefined;
}

/** The step to go back to, where there is one. */
export function stepBefore(walk: Walk, step: StepName): StepName | null {
  const before = step === "deposit" ? "payout-account" : "contact";
  return step !== before && isOpen(walk, before) ? before : null;
}

function placeAfterDecision({ entry, nowMs }: Walk): Place {
  const status = statusAt(entry, nowMs);
  if (status === "completed" || status === "failed" || status === "canceled") return status;
  // Already refused; the person learns of it when the review ends.
  return entry.outcome?.reason === "identity_refused" ? "review" : "processing";
}

function placeOfPayment(walk: Walk): Place {
  // Once Pay was pressed, the price on the page counts, even while the bank asks.
  if (walk.progress.isChallenged) return "challenge";
  return hasLapsed(walk) ? "price" : paymentStep(walk);
}

function placeOfSale(walk: Walk): Place {
  if (walk.progress.payoutHint === undefined) return "payout-account";
  if (walk.progress.received !== undefined) return "difference";
  return hasLapsed(walk) ? "price" : "deposit";
}

function hasLapsed(walk: Walk): boolean {
  const endsMs = priceEndsMs(walk);
  return endsMs !== null && walk.nowMs >= endsMs;
}

function paymentStep({ method }: Walk): StepName {
  if (cardMethods.has(method.id)) return "card";
  if (transferMethods.has(method.id)) return "transfer";
  return voucherMethods.has(method.id) ? "voucher" : "approval";
}

export const cardMethods: ReadonlySet<string> = new Set(["creditcard", "debitcard"]);
/** Bought with cash at a counter. */
const voucherMethods: ReadonlySet<string> = new Set(["7eleven"]);
