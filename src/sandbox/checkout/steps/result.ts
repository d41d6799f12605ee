import { html } from "hono/html";
import { formatInstant } from "../../../core/instant.ts";
import { statusAt, statusesOf } from "../purchase.ts";
import type { Html } from "../page/html.ts";
import type { Walk } from "../walk.ts";
import type { StepName } from "./step.ts";
import type { Place } from "./which-step.ts";

type End = Exclude<Place, StepName>;

export function resultTitle(walk: Walk, end: End): string {
  const isSale = walk.purchase.side === "sell";
  switch (end) {
    case "processing":
      return statusAt(walk.entry, walk.nowMs) === "paid"
        ? "Paid, delivery is under way"
        : isSale
          ? "Waiting for confirmations"
          : "Waiting for your payment";
    case "completed":
      return "Completed";
    case "failed":
      return walk.entry.outcome?.reason === "identity_refused"
        ? "Identity not confirmed"
        : "The payment failed";
    case "canceled":
      return "Cancelled";
    case "expired":
      return "This checkout has expired";
    default:
      return end satisfies never;
  }
}

/** What became of the order: while it moves, where it stands; afterwards how it ended. */
export function showResult(walk: Walk, end: End): Html {
  const { entry, purchase, nowMs } = walk;
  const back = end === "completed" ? purchase.redirectUrl : undefined;
  return html`<p class="${end}">${explain(walk, end)}</p>
    ${end === "processing" ? html`<p class="waiting" role="status" data-detail>${detailOf(walk)}</p>` : ""}
    <ol class="history">
      ${statusesOf(entry)
        .filter(({ atMs }) => atMs <= nowMs)
        .map(
          (each) => html`<li><strong>${each.status}</strong> <time>${formatInstant(each.atMs)}</time></li>`,
        )}
    </ol>
    ${
      end === "completed"
        ? html`<p class="hint">Transaction on the chain</p>
            <p class="hash"><code>${purchase.transactionHash}</code></p>`
        : ""
    }
    ${
      back === undefined
        ? ""
        : html`<p><a href="${back}" target="_top" rel="noreferrer">Back to the shop</a></p>`
    }`;
}

function explain({ entry, purchase, asset, fiat, progress }: Walk, end: End): string {
  if (end === "processing") return "You can close this page; the order continues without it.";
  if (end === "completed") {
    return purchase.side === "buy"
      ? `${purchase.outAmount} ${asset.code} went to ${purchase.walletAddress}.`
      : `${purchase.outAmount} ${fiat.code} went to ${progress.payoutHint ?? "your account"}.`;
  }
  if (end === "expired" || end === "canceled") {
    if (progress.received !== undefined) return reasons.deposit_returned;
    return end === "expired" ? "Nothing was paid. Start again in the shop." : "Nothing was paid.";
  }
  return reasons[entry.outcome?.reason ?? "payment_refused"];
}

const reasons = {
  identity_refused: "We could not confirm your identity. Nothing was paid.",
  payment_refused: "The payment did not go through. Nothing was taken.",
  not_arrived: "The bank transfer did not arrive.",
  deposit_returned: "What you sent goes back to your wallet.",
} as const;

/** What the order is waiting for. */
export function detailOf({ entry, purchase, provider, network, nowMs }: Walk): string {
  const statuses = statusesOf(entry);
  const pending = statuses.find(({ status }) => status === "pending");
  const paid = statuses.find(({ status }) => status === "paid");
  const isBuy = purchase.side === "buy";
  if (statusAt(entry, nowMs) === "paid") {
    return isBuy
      ? `Your payment has arrived. ${provider.displayName} is sending the coins.`
      : `Your deposit is confirmed. ${provider.displayName} is sending the money.`;
  }
  if (isBuy || !pending) return "Your payment has not arrived yet.";
  const wanted = network.family === "evm" ? 12 : network.family === "utxo" ? 3 : 1;
  // A deposit that got stuck has no time at which it is confirmed.
  const share = paid ? (nowMs - pending.atMs) / (paid.atMs - pending.atMs) : 0;
  const seen = Math.max(0, Math.min(wanted - 1, Math.floor(share * wanted)));
  return `Deposit seen: ${seen} of ${wanted} confirmations.`;
}
