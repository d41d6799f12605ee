import { ProblemError } from "../api/problem.ts";
import { localPath } from "./address.ts";
import type { ApiContext } from "../api/deps.ts";
import { textOf } from "./form-text.ts";
import { leaveSealed, takeSealed } from "./sealed-cookie.ts";

/** A form that was refused: why, and what was typed into it. */
export interface RefusedForm {
  form: string;
  message: string;
  /** By name, in the order in which they were sent: of boxes, those that were ticked. */
  fields: Readonly<Record<string, readonly string[]>>;
}

/** A cookie holds 4 kB. What does not fit has to be typed again. */
const keptBytes = 2_500;
const messageMax = 600;
const notKept = new Set(["csrf", "form", "back"]);
/** What the person who sent the form can correct. Anything else is not shown in a form. */
const mendable = new Set([400, 409, 412, 422]);

/**
 * A refusal goes back to the screen that the form was on, and is shown inside it. Only for forms that say who they are and
 * where they stand; all others, and programs, get the refusal itself.
 */
export function returnToForm(c: ApiContext, form: FormData, error: unknown): Response | null {
  const back = textOf(form, "back");
  const refused = readRefused(form, error);
  if (refused === null || back === "") return null;
  leaveSealed(c, "refused", refused);
  return c.redirect(localPath(back), 303);
}

/** `null`: the form does not say who it is, or its sender cannot correct this. */
export function readRefused(form: FormData, error: unknown): RefusedForm | null {
  const name = textOf(form, "form");
  if (!(error instanceof ProblemError) || !mendable.has(error.problem.status)) return null;
  if (!/^[a-z0-9-]{1,60}$/.test(name)) return null;
  const message = wordsOf(error).slice(0, messageMax);
  const fields = new Map<string, string[]>();
  let room = keptBytes - Buffer.byteLength(JSON.stringify(message));
  for (const [field, value] of form) {
    if (typeof value !== "string" || notKept.has(field)) continue;
    const size = Buffer.byteLength(JSON.stringify(fields.has(field) ? [value] : [field, value]));
    if (size > room) continue;
    room -= size;
    fields.set(field, [...(fields.get(field) ?? []), value]);
  }
  return { form: name, message, fields: Object.fromEntries(fields) };
}

/** All that is wrong at once: the first of several problems would only count the others. */
function wordsOf({ message, problem: { errors = [] } }: ProblemError): string {
  return errors.length > 1 ? errors.map((one) => one.message).join("; ") : message;
}

export function takeRefusal(c: ApiContext): RefusedForm | null {
  return takeSealed(c, "refused") as RefusedForm | null;
}
