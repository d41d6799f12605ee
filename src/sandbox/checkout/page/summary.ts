import { html } from "hono/html";
import type { Side } from "../../world/market.ts";
import type { Asset, Fiat } from "../../world/types.ts";
import type { Walk } from "../walk.ts";
import type { Html } from "./html.ts";

/** A one-line summary where nobody can miss it. */
export function tradeLine({ purchase, asset, fiat }: Walk): Html {
  const [source, target] = codesOf(purchase.side, asset, fiat);
  return html`<p class="trade">
    <span>${purchase.inAmount} ${source}</span>
    <span aria-hidden="true">→</span>
    <span class="visually-hidden">for</span>
    <strong>${purchase.outAmount} ${target}</strong>
  </p>`;
}

function codesOf(side: Side, asset: Asset, fiat: Fiat): [source: string, target: string] {
  return side === "buy" ? [fiat.code, asset.code] : [asset.code, fiat.code];
}

/** What the order is about, beside every step. */
export function summary({ purchase, asset, fiat, network, provider, method }: Walk): Html {
  const isBuy = purchase.side === "buy";
  const [source, target] = codesOf(purchase.side, asset, fiat);
  return html`<section class="summary" aria-label="Your order">
    <dl>
      <dt>You give</dt>
      <dd>${purchase.inAmount} ${source}</dd>
      <dt>You get</dt>
      <dd>${purchase.outAmount} ${target}</dd>
      <dt>With</dt>
      <dd>${provider.displayName}</dd>
      <dt>By</dt>
      <dd>${method.name}</dd>
      <dt>Network</dt>
      <dd>${network.displayName}</dd>
      <dt>${isBuy ? "To" : "Refund to"}</dt>
      <dd>${purchase.walletAddress}</dd>
      ${
        purchase.walletMemo === undefined
          ? ""
          : html`<dt>Memo</dt>
              <dd>${purchase.walletMemo}</dd>`
      }
      <dt>Transaction</dt>
      <dd>${purchase.transactionId}</dd>
    </dl>
  </section>`;
}
