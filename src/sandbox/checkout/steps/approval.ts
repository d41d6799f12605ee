import { html } from "hono/html";
import { decideCheckout } from "../decide.ts";
import { simulate, stepForm } from "../page/form.ts";
import { lastRefusal, refusePayment } from "./refused-payment.ts";
import type { Step } from "./step.ts";

/** Wallets and local methods, where the person says yes on a device or at a bank. */
export const approval: Step = {
  title: ({ method }) => `Pay with ${method.name}`,
  show: (walk) =>
    html`${lastRefusal(walk)}
      <p>
        Approve the payment of <strong>${walk.purchase.inAmount} ${walk.fiat.code}</strong> to
        ${walk.provider.displayName}.
      </p>
      ${stepForm(`${walk.home}/approval`, html``, "Approve")}`,
  sandbox: ({ home, method }) =>
    simulate(`${home}/approval`, "simulate", "decline", `Let ${method.name} decline`),
  take(walk, form) {
    if (form.get("simulate") === "decline") return refusePayment(walk, "approval_declined");
    decideCheckout(walk.deps, walk.entry, "pay");
  },
};
