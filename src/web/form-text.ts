import { problem } from "../api/problem.ts";

const textMax = 10_000;

/** A field of a form, as text; a missing one is empty. What Postgres cannot keep is taken out. */
export function textOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value.replaceAll("\0", "").trim().slice(0, textMax) : "";
}

/** Why it is done, which has to be said. */
export function reasonOf(form: FormData): string {
  const reason = textOf(form, "reason");
  if (reason === "") throw problem("invalid_parameter", "Give a reason. It is kept on record.");
  return reason.slice(0, 500);
}

/** From which day a match counts, where the form names one; otherwise from now. */
export function bookedAtOf(form: FormData): { booked_at?: string } {
  const day = textOf(form, "booked_at");
  return day === "" ? {} : { booked_at: day };
}

/** The number of a line or a match. */
export function digitsOf(form: FormData, name: string): string {
  const text = textOf(form, name);
  if (!/^\d{1,15}$/.test(text)) throw problem("not_found", "There is no such line or match.");
  return text;
}
