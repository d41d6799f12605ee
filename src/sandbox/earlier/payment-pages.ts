import { html } from "hono/html";
import { decisionForm, page, summary } from "../checkout/pages.ts";
import type { Purchase } from "../checkout/purchase.ts";
import type { Step } from "./schemas.ts";

/** The page of an iframe or redirect step. */
export function paymentPage(purchase: Purchase, action: string) {
  return page(
    "Payment",
    html`<h1>Confirm your payment</h1>
      ${summary(purchase)} ${decisionForm(action)}`,
  );
}

export type StepMessage = { nextStep: Step } | { error: { message: string; fatal: boolean } };

/** Hands the next step to whoever opened the page. The script reads it from the element, so none is inline. */
export function messagePage(message: StepMessage) {
  const done = "nextStep" in message;
  return page(
    "Payment",
    html`<h1>${done ? "Thank you" : "Not paid"}</h1>
      <p id="step-message" data-message="${JSON.stringify(message)}">You can close this window.</p>`,
    html`<script src="/sandbox/assets/step-message.js" defer></script>`,
  );
}
