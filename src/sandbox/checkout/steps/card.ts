import { html } from "hono/html";
import { decideCheckout } from "../decide.ts";
import { FieldError, readField, textField } from "../page/fields.ts";
import { stepForm, testDataList } from "../page/form.ts";
import { grouped, testCards, type CardResult } from "../test-data.ts";
import { note, type Walk } from "../walk.ts";
import { lastRefusal, refusePayment } from "./refused-payment.ts";
import type { Step } from "./step.ts";

export const card: Step = {
  title: () => "Pay by card",
  show: (walk, given) =>
    html`${lastRefusal(walk)}
    ${stepForm(
      `${walk.home}/card`,
      html`${textField(
          {
            name: "cardNumber",
            label: "Card number",
            inputmode: "numeric",
            autocomplete: "cc-number",
            isForgotten: true,
          },
          given,
        )}
        <div class="pair">
          ${textField(
            {
              name: "expiry",
              label: "Valid until",
              inputmode: "numeric",
              autocomplete: "cc-exp",
              hint: "Month and year: 12/30",
            },
            given,
          )}
          ${textField(
            {
              name: "securityCode",
              label: "Security code",
              inputmode: "numeric",
              autocomplete: "cc-csc",
              hint: "Three digits on the back",
              isForgotten: true,
            },
            given,
          )}
        </div>`,
      `Pay ${walk.purchase.inAmount} ${walk.fiat.code}`,
    )}`,
  sandbox: () =>
    html`<p>Test cards, with any future date and any security code:</p>
      ${testDataList(testCards.map(({ number, about }) => [grouped(number), about]))}`,
  take(walk, form) {
    const result = readCard(walk, form);
    if (result === "paid") decideCheckout(walk.deps, walk.entry, "pay");
    else if (result === "challenge") note(walk, { isChallenged: true });
    else refusePayment(walk, result);
  },
};

function readCard(walk: Walk, form: URLSearchParams): CardResult {
  const number = readField(form, "cardNumber", "The card number").replaceAll(/[\s-]/g, "");
  const known = testCards.find((each) => each.number === number);
  if (!known) throw new FieldError("cardNumber", wrongNumber(number));
  checkExpiry(readField(form, "expiry", "The date"), walk.nowMs);
  if (!/^\d{3,4}$/.test(readField(form, "securityCode", "The security code"))) {
    throw new FieldError("securityCode", "The security code has three or four digits.");
  }
  return known.result;
}

function wrongNumber(number: string): string {
  return hasCheckDigit(number)
    ? "The sandbox takes test cards only. Never type a real one here."
    : "That is not a card number; one of its digits is wrong.";
}

/** ISO/IEC 7812: every second digit from the right counts twice. */
export function hasCheckDigit(number: string): boolean {
  if (!/^\d{12,19}$/.test(number)) return false;
  const digits = Array.from(number, Number).toReversed();
  const sum = digits.reduce((total, digit, at) => {
    const value = digit * (at % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

/** Good until the end of its month. */
function checkExpiry(text: string, nowMs: number): void {
  const [, month = "", year = ""] = /^(0?[1-9]|1[0-2])\s*\/?\s*(?:20)?(\d{2})$/.exec(text) ?? [];
  if (year === "") throw new FieldError("expiry", "That is not a month and year; it should look like 12/30.");
  if (`20${year}-${month.padStart(2, "0")}` < new Date(nowMs).toISOString().slice(0, 7)) {
    throw new FieldError("expiry", "This card is no longer valid.");
  }
}
