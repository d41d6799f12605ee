import { html } from "hono/html";
import { decideCheckout } from "../decide.ts";
import { simulate, stepForm, testDataList } from "../page/form.ts";
import { testCode } from "../test-data.ts";
import { checkCode, codeField } from "./code.ts";
import { refusePayment } from "./refused-payment.ts";
import type { Step } from "./step.ts";

/** 3-D Secure: the bank that issued the card asks its customer. */
export const challenge: Step = {
  title: () => "Your bank needs to confirm it is you",
  show: ({ home, purchase, fiat, provider }, given) =>
    html`<p>
        3-D Secure: enter the code from your bank to pay
        <strong>${purchase.inAmount} ${fiat.code}</strong> to ${provider.displayName}.
      </p>
      ${stepForm(`${home}/challenge`, codeField(given), "Confirm")}`,
  sandbox: ({ home }) =>
    html`${testDataList([[`Test code ${testCode}`, "the bank confirms the payment"]])}
    ${simulate(`${home}/challenge`, "simulate", "fail", "Fail the challenge")}`,
  take(walk, form) {
    if (form.get("simulate") === "fail") return refusePayment(walk, "challenge_failed");
    checkCode(form);
    decideCheckout(walk.deps, walk.entry, "pay");
  },
};
