import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { ApiContext } from "../api/deps.ts";

const cookieName = "tieout_notice";

/** What an action has to say, and the form that takes it back, where there is one. */
export interface Notice {
  text: string;
  undo: Undo | null;
}

export interface Undo {
  /** Where the form goes. */
  action: string;
  fields: Readonly<Record<string, string>>;
}

/** What an action has to say, for the page that follows it. Not in the address: otherwise a link could make the page say anything. */
export function leaveNotice(c: ApiContext, text: string, undo: Undo | null = null): void {
  const notice = JSON.stringify({ text: text.slice(0, 500), undo });
  setCookie(c, cookieName, Buffer.from(notice).toString("base64url"), {
    path: "/",
    httpOnly: true,
    sameSite: "Lax",
    maxAge: 60,
  });
}

export function takeNotice(c: ApiContext): Notice | null {
  const kept = getCookie(c, cookieName);
  if (kept === undefined || c.req.method !== "GET") return null;
  deleteCookie(c, cookieName, { path: "/" });
  try {
    const { text, undo } = JSON.parse(Buffer.from(kept, "base64url").toString("utf8")) as Partial<Notice>;
    return typeof text === "string" ? { text, undo: readUndo(undo) } : null;
  } catch {
    return null;
  }
}

/** A cookie is untrusted input: only a form of our own, with plain fields. */
function readUndo(undo: Partial<Undo> | null | undefined): Undo | null {
  if (typeof undo?.action !== "string" || !/^\/[a-z/-]{1,60}$/.test(undo.action)) return null;
  const fields = Object.entries(undo.fields ?? {}).filter(([, value]) => typeof value === "string");
  return { action: undo.action, fields: Object.fromEntries(fields) };
}
