import { html } from "hono/html";
import { stepForm } from "../page/form.ts";
import { payoutFor, refreshPrice } from "../price.ts";
import type { Step } from "./step.ts";

/** The price is no longer held: the person agrees to the new one, or leaves. */
export const price: Step = {
  title: () => "The price has been updated",
  show(walk) {
    const { home, purchase } = walk;
    const target = (purchase.side === "buy" ? walk.asset : walk.fiat).code;
    return html`<p>The price was held for five minutes. This is the new one:</p>
      <dl class="compare">
        <dt>Before</dt>
        <dd><s>${purchase.outAmount} ${target}</s></dd>
        <dt>Now</dt>
        <dd><strong>${payoutFor(walk, purchase.inAmount, walk.nowMs)} ${target}</strong></dd>
      </dl>
      ${stepForm(`${home}/price`, html``, "Continue with the new price")}`;
  },
  take: (walk) => refreshPrice(walk),
};
