import { html } from "hono/html";
import { compareDecimals, subtractDecimals, zero, type Decimal } from "../../../core/decimal.ts";
import { decideCheckout } from "../decide.ts";
import { payoutFor } from "../price.ts";
import type { Html } from "../page/html.ts";
import { amend, reopen, type Walk } from "../walk.ts";
import type { Step } from "./step.ts";

/** More or less arrived than was agreed: the person says what to do with it. */
export const difference: Step = {
  title: (walk) => (isShort(walk) ? "Less arrived than agreed" : "More arrived than agreed"),
  show(walk) {
    const { purchase, asset, fiat } = walk;
    const received = receivedBy(walk);
    const worth = payoutOf(walk, received);
    const rest = subtractDecimals(received, purchase.inAmount);
    return html`<dl class="compare">
        <dt>Agreed</dt>
        <dd>${purchase.inAmount} ${asset.code}</dd>
        <dt>Arrived</dt>
        <dd><strong>${received} ${asset.code}</strong></dd>
      </dl>
      <form method="post" action="${walk.home}/difference" class="stack">
        ${
          worth === zero
            ? html`<p>The fees would leave nothing of it.</p>`
            : choice("sell-all", `Sell ${received} ${asset.code} for ${worth} ${fiat.code}`, "main")
        }
        ${
          isShort(walk)
            ? choice("send-back", "Send everything back to me", "")
            : choice("sell-agreed", `Sell ${purchase.inAmount} and send ${rest} ${asset.code} back to me`, "")
        }
      </form>
      <p class="hint">What goes back goes to ${purchase.walletAddress}.</p>`;
  },
  take(walk, form) {
    const chosen = form.get("choice");
    const { deps, entry } = walk;
    if (chosen === "sell-agreed" && !isShort(walk)) decideCheckout(deps, entry, "pay");
    else if (chosen === "send-back" && isShort(walk)) {
      decideCheckout(deps, entry, "fail", { reason: "deposit_returned" });
    } else if (chosen === "sell-all") sellAll(walk);
  },
};

function sellAll(walk: Walk): void {
  const inAmount = receivedBy(walk);
  const outAmount = payoutOf(walk, inAmount);
  if (outAmount === zero) return;
  amend(walk, { inAmount, outAmount });
  decideCheckout(walk.deps, reopen(walk).entry, "pay");
}

/** At the price that stood when the coins were sent. */
function payoutOf(walk: Walk, amount: Decimal): Decimal {
  return payoutFor(walk, amount, walk.purchase.quotedMs ?? walk.purchase.createdMs);
}

function receivedBy({ progress, purchase }: Walk): Decimal {
  return progress.received ?? purchase.inAmount;
}

function isShort(walk: Walk): boolean {
  return compareDecimals(receivedBy(walk), walk.purchase.inAmount) < 0;
}

function choice(value: string, label: string, look: string): Html {
  return html`<button name="choice" value="${value}" class="${look}">${label}</button>`;
}
