import { html } from "hono/html";
import { decideCheckout } from "../decide.ts";
import { FieldError, readField, textField } from "../page/fields.ts";
import { stepForm, testDataList } from "../page/form.ts";
import { testVouchers } from "../test-data.ts";
import { lastRefusal, refusePayment } from "./refused-payment.ts";
import type { Step } from "./step.ts";

export const voucher: Step = {
  title: ({ method }) => `Pay with a ${method.name} voucher`,
  show: (walk, given) =>
    html`${lastRefusal(walk)}
      <p>Buy a voucher for ${walk.purchase.inAmount} ${walk.fiat.code} at the counter and enter its code.</p>
      ${stepForm(
        `${walk.home}/voucher`,
        textField({ name: "voucher", label: "Voucher code" }, given),
        `Pay ${walk.purchase.inAmount} ${walk.fiat.code}`,
      )}`,
  sandbox: () =>
    html`<p>Test vouchers:</p>
      ${testDataList(testVouchers.map(({ code, about }) => [code, about]))}`,
  take(walk, form) {
    const code = readField(form, "voucher", "The code").toUpperCase();
    const known = testVouchers.find((each) => each.code === code);
    if (!known) throw new FieldError("voucher", "There is no such voucher; check the code.");
    if (known.result === "paid") decideCheckout(walk.deps, walk.entry, "pay");
    else refusePayment(walk, known.result);
  },
};
