import { html } from "hono/html";
import { decimal, multiplyDecimals, truncateDecimal, type Decimal } from "../../../core/decimal.ts";
import { walletAddress } from "../../ledger/identifiers.ts";
import { hash32 } from "../../world/random.ts";
import { decideCheckout } from "../decide.ts";
import { simulate } from "../page/form.ts";
import { drawQr } from "../qr/draw.ts";
import { note, type Walk } from "../walk.ts";
import type { Step } from "./step.ts";

/** The coins of a sale are sent to an address that is this order's alone. */
export const deposit: Step = {
  title: ({ asset }) => `Send your ${asset.code}`,
  show(walk) {
    const { purchase, asset, network, progress } = walk;
    const address = depositAddress(walk);
    return html`<p>
        Send exactly <strong>${purchase.inAmount} ${asset.code}</strong> on ${network.displayName} to this
        address. The money then goes to ${progress.payoutHint ?? "you"}.
      </p>
      <div class="deposit">
        ${drawQr(address, `QR code of the address ${address}`)}
        <p class="address"><code>${address}</code></p>
      </div>
      <p class="hint">Coins sent on another network are lost.</p>`;
  },
  sandbox(walk) {
    const button = (value: Deposit, label: string) =>
      simulate(
        `${walk.home}/deposit`,
        "simulate",
        value,
        `${label} (${depositOf(walk, value)} ${walk.asset.code})`,
      );
    return html`<p>No coins move. Simulate a deposit of</p>
      ${button("less", "less")} ${button("exact", "exactly the amount")} ${button("more", "more")}`;
  },
  take(walk, form) {
    const simulated = form.get("simulate");
    if (simulated === "exact") decideCheckout(walk.deps, walk.entry, "pay");
    else if (simulated === "less" || simulated === "more") {
      note(walk, { received: depositOf(walk, simulated) });
    }
  },
};

type Deposit = "less" | "exact" | "more";

/** A tenth too little or too much. */
function depositOf({ purchase, asset }: Walk, simulated: Deposit): Decimal {
  if (simulated === "exact") return purchase.inAmount;
  const share = decimal(simulated === "less" ? "0.9" : "1.1");
  return truncateDecimal(multiplyDecimals(purchase.inAmount, share), asset.decimals);
}

function depositAddress({ network, purchase }: Walk): string {
  const of = { key: hash32("deposit", purchase.transactionId), value: hash32(purchase.transactionId) };
  return walletAddress(network, of);
}
