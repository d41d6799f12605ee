import { html } from "hono/html";
import type { Html } from "./html.ts";

/** A form as it was sent, and what is wrong with it. */
export interface Given {
  readonly values: URLSearchParams;
  readonly problem: { readonly field: string; readonly message: string } | null;
}

export const nothingGiven: Given = { values: new URLSearchParams(), problem: null };

/** What a person typed cannot be taken; the form is shown again with the message at its field. */
export class FieldError extends Error {
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.name = "FieldError";
    this.field = field;
  }
}

export function readField(form: URLSearchParams, name: string, label: string): string {
  const value = form.get(name)?.trim() ?? "";
  if (value === "") throw new FieldError(name, `${label} is missing.`);
  if (value.length > 200) throw new FieldError(name, `${label} is too long.`);
  return value;
}

export interface TextField {
  readonly name: string;
  readonly label: string;
  readonly type?: "text" | "email" | "date";
  readonly inputmode?: "text" | "numeric" | "email";
  readonly autocomplete?: string;
  readonly hint?: string;
  /** Typed again rather than sent back: what should not travel twice. */
  readonly isForgotten?: boolean;
  readonly value?: string;
}

export function textField(field: TextField, { values, problem }: Given): Html {
  const { name, label, type = "text", inputmode = "text", autocomplete = "off", hint } = field;
  const value = field.isForgotten ? "" : (values.get(name) ?? field.value ?? "");
  const isWrong = problem?.field === name;
  return html`<p class="field">
    <label for="${name}">${label}</label>
    <input
      id="${name}"
      name="${name}"
      type="${type}"
      inputmode="${inputmode}"
      autocomplete="${autocomplete}"
      value="${value}"
      aria-invalid="${isWrong ? "true" : "false"}"
      aria-describedby="${describers(name, { hint, isWrong })}"
      maxlength="200"
    />
    ${notes(name, hint, problem)}
  </p>`;
}

export function choiceField(
  field: { name: string; label: string; choices: readonly (readonly [value: string, label: string])[] },
  given: Given & { fallback: string },
): Html {
  const { name, label, choices } = field;
  const { values, problem, fallback } = given;
  const chosen = values.get(name) ?? fallback;
  const isWrong = problem?.field === name;
  return html`<p class="field">
    <label for="${name}">${label}</label>
    <select
      id="${name}"
      name="${name}"
      aria-invalid="${isWrong ? "true" : "false"}"
      aria-describedby="${describers(name, { hint: undefined, isWrong })}"
    >
      ${choices.map(
        ([value, text]) =>
          html`<option value="${value}" ${value === chosen ? "selected" : ""}>${text}</option>`,
      )}
    </select>
    ${notes(name, undefined, problem)}
  </p>`;
}

function describers(name: string, { hint, isWrong }: { hint: string | undefined; isWrong: boolean }): string {
  return [isWrong ? `${name}-problem` : "", hint === undefined ? "" : `${name}-hint`]
    .filter(Boolean)
    .join(" ");
}

function notes(name: string, hint: string | undefined, problem: Given["problem"]): Html {
  return html`${
    problem?.field === name
      ? html`<span id="${name}-problem" class="wrong" role="alert">${problem.message}</span>`
      : ""
  }${hint === undefined ? "" : html`<span id="${name}-hint" class="hint">${hint}</span>`}`;
}
