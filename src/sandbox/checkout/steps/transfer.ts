import { html } from "hono/html";
import { bankAccountOf } from "../bank-account.ts";
import { decideCheckout, secondsOfTransfer } from "../decide.ts";
import { simulate, stepForm } from "../page/form.ts";
import type { Step } from "./step.ts";

export const transfer: Step = {
  title: () => "Pay by bank transfer",
  show({ home, purchase, fiat }) {
    const { iban, bic, bankName, accountName } = bankAccountOf(purchase);
    return html`<p>Send exactly this amount, and give the reference:</p>
      <dl class="details">
        <dt>Amount</dt>
        <dd>${purchase.inAmount} ${fiat.code}</dd>
        <dt>Reference</dt>
        <dd><strong>${purchase.transactionId}</strong></dd>
        <dt>Name</dt>
        <dd>${accountName}</dd>
        <dt>IBAN</dt>
        <dd>${iban}</dd>
        <dt>BIC</dt>
        <dd>${bic}, ${bankName}</dd>
      </dl>
      ${stepForm(`${home}/transfer`, html``, "I have paid")}`;
  },
  sandbox: ({ home }) =>
    html`<p>After <em>I have paid</em> the money takes an hour of sandbox time.</p>
      ${simulate(`${home}/transfer`, "simulate", "arrives", "The money arrives now")}
      ${simulate(`${home}/transfer`, "simulate", "never", "It never arrives")}`,
  take({ deps, entry }, form) {
    const simulated = form.get("simulate");
    if (simulated === "arrives") decideCheckout(deps, entry, "pay", { seconds: 0 });
    else if (simulated === "never") {
      decideCheckout(deps, entry, "fail", { reason: "not_arrived", seconds: secondsOfTransfer });
    } else decideCheckout(deps, entry, "pay");
  },
};
