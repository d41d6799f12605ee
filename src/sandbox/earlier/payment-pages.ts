import { html } from "hono/html";
import { page } from "../checkout/page/shell.ts";
import type { Step } from "./schemas.ts";

export type StepMessage = { nextStep: Step } | { error: { message: string; fatal: boolean } };

/** Hands the next step to the page that opened this one. The script reads it from the element, so none is inline. */
export function messagePage(message: StepMessage) {
  const done = "nextStep" in message;
  return page(
    "Payment",
    html`<main>
      <section class="card">
        <h1>${done ? "Thank you" : "Not paid"}</h1>
        <p id="step-message" data-message="${JSON.stringify(message)}">You can close this window.</p>
      </section>
    </main>`,
    html`<script src="/sandbox/assets/step-message.js" defer></script>`,
  );
}
