import { html } from "hono/html";
import { FieldError, readField, textField } from "../page/fields.ts";
import { stepForm, testDataList } from "../page/form.ts";
import { grouped, testAccount, testCards, testIban } from "../test-data.ts";
import { note, type Walk } from "../walk.ts";
import { hasCheckDigit } from "./card.ts";
import type { Step } from "./step.ts";
import { cardMethods } from "./which-step.ts";

/** Where the money of a sale goes. What kind of account it is follows from the method and the country. */
export const payoutAccount: Step = {
  title: () => "Where should we send the money?",
  show(walk, given) {
    const { label, autocomplete } = formOf(walk);
    return html`<p>You get about ${walk.purchase.outAmount} ${walk.fiat.code} by ${walk.method.name}.</p>
      ${stepForm(
        `${walk.home}/payout-account`,
        html`${textField({ name: "holder", label: "Account holder", autocomplete: "name" }, given)}
        ${textField({ name: "account", label, autocomplete }, given)}`,
        "Continue",
      )}`;
  },
  sandbox: (walk) => testDataList([[grouped(formOf(walk).example), "is a valid test number"]]),
  take(walk, form) {
    readField(form, "holder", "The account holder");
    const { label, isRight, problem } = formOf(walk);
    const account = readField(form, "account", `The ${label}`).replaceAll(/[\s-]/g, "").toUpperCase();
    if (!isRight(account)) throw new FieldError("account", problem);
    note(walk, { payoutHint: `${account.slice(0, 2)}•••${account.slice(-4)}` });
  },
};

function formOf({ method, purchase }: Walk) {
  if (cardMethods.has(method.id)) {
    return {
      label: "card number",
      autocomplete: "cc-number",
      example: testCards[0]?.number ?? "",
      isRight: hasCheckDigit,
      problem: "That is not a card number; one of its digits is wrong.",
    };
  }
  if (ibanCountries.has(purchase.country)) {
    return {
      label: "IBAN",
      autocomplete: "off",
      example: testIban,
      isRight: isIban,
      problem: "That is not an IBAN; its check digits do not fit.",
    };
  }
  return {
    label: "account number",
    autocomplete: "off",
    example: testAccount,
    isRight: (text: string) => /^[0-9A-Z]{4,34}$/.test(text),
    problem: "An account number has 4 to 34 digits or letters.",
  };
}

/** ISO 13616: with its first four characters moved to the end and letters as numbers, it leaves 1 modulo 97. */
export function isIban(text: string): boolean {
  if (!/^[A-Z]{2}\d{2}[0-9A-Z]{11,30}$/.test(text)) return false;
  const turned = text.slice(4) + text.slice(0, 4);
  const digits = Array.from(turned, (each) => Number.parseInt(each, 36)).join("");
  return BigInt(digits) % 97n === 1n;
}

const ibanCountries: ReadonlySet<string> = new Set(
  `AD AE AT BE BG BH BR CH CY CZ DE DK EE EG ES FI FR GB GR HR HU IE IL IS IT JO KW LI LT LU LV MC MT NL NO PL PT QA RO
   SA SE SI SK SM TR UA`.split(/\s+/),
);
