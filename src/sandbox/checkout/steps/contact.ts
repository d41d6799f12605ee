import { html } from "hono/html";
import { FieldError, readField, textField } from "../page/fields.ts";
import { stepForm } from "../page/form.ts";
import { note } from "../walk.ts";
import type { Step } from "./step.ts";

export const contact: Step = {
  title: () => "How can we reach you?",
  show: ({ home }, given) =>
    html`<p>We send a code to confirm the address.</p>
      ${stepForm(
        `${home}/contact`,
        textField(
          {
            name: "email",
            label: "E-mail address",
            type: "email",
            inputmode: "email",
            autocomplete: "email",
            hint: "Nothing is sent: this is a sandbox.",
          },
          given,
        ),
        "Continue",
      )}`,
  take(walk, form) {
    const email = readField(form, "email", "The e-mail address");
    if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email)) {
      throw new FieldError("email", "That is not an e-mail address; it should look like ada@example.org.");
    }
    note(walk, { emailHint: hintOf(email), isEmailConfirmed: false });
  },
};

function hintOf(email: string): string {
  return email.replace(/^(.)[^@]*/, "$1•••");
}
