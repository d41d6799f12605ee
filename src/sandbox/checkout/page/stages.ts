import { html } from "hono/html";
import { asksForContact, asksForIdentity, type Place } from "../steps/which-step.ts";
import type { Walk } from "../walk.ts";
import type { Html } from "./html.ts";

/** How far it is, in a few words. */
export function stages(walk: Walk, place: Place): Html {
  const all = stagesOf(walk, place);
  const at = all.indexOf(stageOf(walk, place));
  return html`<ol class="stages">
    ${all.map(
      (stage, index) =>
        html`<li class="${index < at ? "done" : ""}" aria-current="${index === at ? "step" : "false"}">
          ${stage}
        </li>`,
    )}
  </ol>`;
}

function stagesOf(walk: Walk, place: Place): string[] {
  return [
    ...(asksForContact(walk) ? ["Contact"] : []),
    ...(asksForIdentity(walk) || place === "review" ? ["Identity"] : []),
    ...(walk.purchase.side === "buy" ? ["Payment"] : ["Payout", "Deposit"]),
    "Finish",
  ];
}

function stageOf({ purchase }: Walk, place: Place): string {
  switch (place) {
    case "contact":
    case "code":
      return "Contact";
    case "identity":
    case "review":
      return "Identity";
    case "payout-account":
      return "Payout";
    case "card":
    case "challenge":
    case "transfer":
    case "voucher":
    case "approval":
    case "price":
    case "deposit":
    case "difference":
      return purchase.side === "buy" ? "Payment" : "Deposit";
    case "processing":
    case "completed":
    case "failed":
    case "canceled":
    case "expired":
      return "Finish";
    default:
      return place satisfies never;
  }
}
