import { html } from "hono/html";
import { FieldError, readField, textField } from "../page/fields.ts";
import { stepForm, testDataList } from "../page/form.ts";
import { testCode } from "../test-data.ts";
import { note } from "../walk.ts";
import type { Step } from "./step.ts";

export const code: Step = {
  title: () => "Confirm your e-mail address",
  show: ({ home, progress }, given) =>
    html`<p>Enter the six digits that we sent to ${progress.emailHint ?? "you"}.</p>
      ${stepForm(`${home}/code`, codeField(given), "Confirm")}`,
  sandbox: () => testDataList([[`Test code ${testCode}`, "always works"]]),
  take(walk, form) {
    checkCode(form);
    note(walk, { isEmailConfirmed: true });
  },
};

export function codeField(given: Parameters<typeof textField>[1]) {
  const field = { name: "code", label: "Code", inputmode: "numeric", autocomplete: "one-time-code" } as const;
  return textField({ ...field, isForgotten: true }, given);
}

export function checkCode(form: URLSearchParams): void {
  if (readField(form, "code", "The code") === testCode) return;
  throw new FieldError("code", `That is not the code; in the sandbox it is ${testCode}.`);
}
