import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { ProblemError } from "../api/problem.ts";
import { localPath } from "./address.ts";
import type { ApiContext } from "../api/deps.ts";
import { textOf } from "./form-text.ts";

/** A form that was refused: why, and what was typed into it. */
export interface RefusedForm {
  form: string;
  message: string;
  fields: Readonly<Record<string, string>>;
}

const cookieName = "tieout_refused";
/** A cookie holds 4 kB. What does not fit has to be typed again. */
const keptBytes = 2_500;
const messageMax = 600;
const notKept = new Set(["csrf", "form", "back", "seen"]);
/** What the person who sent the form can correct. Anything else is not shown in a form. */
const mendable = new Set([400, 409, 412, 422]);

/**
 * A refusal goes back to the screen that the form was on, and is shown inside it. Only for forms that say who they are and
 * where they stand; all others, and programs, get the refusal itself.
 */
export function returnToForm(c: ApiContext, form: FormData, error: unknown): Response | null {
  const name = textOf(form, "form");
  const back = textOf(form, "back");
  if (!(error instanceof ProblemError) || !mendable.has(error.problem.status)) return null;
  if (!/^[a-z0-9-]{1,60}$/.test(name) || back === "") return null;
  const fields: Record<string, string> = {};
  const message = error.message.slice(0, messageMax);
  let room = keptBytes - Buffer.byteLength(message);
  for (const [field, value] of form) {
    if (typeof value !== "string" || notKept.has(field)) continue;
    const size = Buffer.byteLength(JSON.stringify([field, value]));
    if (size > room) continue;
    room -= size;
    fields[field] = value;
  }
  const refused: RefusedForm = { form: name, message, fields };
  setCookie(c, cookieName, Buffer.from(JSON.stringify(refused)).toString("base64url"), {
    path: "/",
    httpOnly: true,
    sameSite: "Lax",
    maxAge: 60,
  });
  return c.redirect(localPath(back), 303);
}

export function takeRefusal(c: ApiContext): RefusedForm | null {
  const text = getCookie(c, cookieName);
  if (text === undefined || c.req.method !== "GET") return null;
  deleteCookie(c, cookieName, { path: "/" });
  try {
    return readRefusal(JSON.parse(Buffer.from(text, "base64url").toString("utf8")));
  } catch {
    return null;
  }
}

/** A cookie is untrusted input. */
function readRefusal(held: Partial<RefusedForm> | null): RefusedForm | null {
  const { form, message, fields } = held ?? {};
  if (typeof form !== "string" || typeof message !== "string") return null;
  const texts = Object.entries(fields ?? {}).filter(([, value]) => typeof value === "string");
  return { form, message, fields: Object.fromEntries(texts) };
}
