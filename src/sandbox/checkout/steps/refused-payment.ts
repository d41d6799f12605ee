import { html } from "hono/html";
import { decideCheckout } from "../decide.ts";
import type { Html } from "../page/html.ts";
import { refusalsMax } from "../test-data.ts";
import { note, type Walk } from "../walk.ts";

/** Why a payment did not go through, for the person who may try again. */
const refusals: Readonly<Record<string, string>> = {
  card_declined: "Your card was declined. Try another one.",
  insufficient_funds: "Insufficient funds. Try another card.",
  challenge_failed: "Your bank did not confirm it was you. Try again or use another card.",
  voucher_used: "This voucher has been used before.",
  voucher_expired: "This voucher has expired.",
  voucher_too_small: "This voucher is worth less than the amount to pay.",
  approval_declined: "The payment was not approved.",
};

/** A refused payment leaves the order open, so that another can follow; the last one allowed ends it. */
export function refusePayment(walk: Walk, reason: string): void {
  const count = (walk.progress.refusals ?? 0) + 1;
  note(walk, { refusals: count, lastRefusal: reason, isChallenged: false });
  if (count >= refusalsMax) decideCheckout(walk.deps, walk.entry, "fail", { reason: "payment_refused" });
}

export function lastRefusal({ progress }: Walk): Html {
  if (progress.lastRefusal === undefined) return html``;
  const left = refusalsMax - (progress.refusals ?? 0);
  return html`<p class="refused" role="alert">
    ${refusals[progress.lastRefusal] ?? "The payment was refused."}
    ${left === 1 ? "This is your last try." : `You can try ${left} more times.`}
  </p>`;
}
