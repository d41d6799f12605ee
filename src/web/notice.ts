import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { WebContext } from "./deps.ts";

const cookieName = "tieout_notice";

/** What an action has to say, for the page that follows it. Not in the address: a link must not put words into our mouth. */
export function leaveNotice(c: WebContext, text: string): void {
  setCookie(c, cookieName, encodeURIComponent(text.slice(0, 500)), {
    path: "/",
    httpOnly: true,
    sameSite: "Lax",
    maxAge: 60,
  });
}

export function takeNotice(c: WebContext): string | null {
  const kept = getCookie(c, cookieName);
  if (kept === undefined || c.req.method !== "GET") return null;
  deleteCookie(c, cookieName, { path: "/" });
  try {
    return decodeURIComponent(kept);
  } catch {
    return null;
  }
}
