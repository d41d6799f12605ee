import { createHmac, timingSafeEqual } from "node:crypto";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { ApiContext } from "../api/deps.ts";
import { cookieAttributes, isSecure, readToken } from "./session-cookie.ts";

const keepSeconds = 60;

export type SealedCookie = "notice" | "refused";

/**
 * What the next screen is to show, once. Sealed with the token of the session: a page of a sibling domain can set a cookie
 * for us, and what is shown here becomes text and forms of ours.
 */
export function leaveSealed(c: ApiContext, name: SealedCookie, content: object, token = readToken(c)): void {
  if (token === null) return;
  const text = Buffer.from(JSON.stringify(content)).toString("base64url");
  const sealed = `${text}.${sealOf({ token, name, text }).toString("base64url")}`;
  setCookie(c, nameOf(c, name), sealed, { ...cookieAttributes(c), maxAge: keepSeconds });
}

/** `null`: nothing was left, or not by us for this session. */
export function takeSealed(c: ApiContext, name: SealedCookie): unknown {
  const kept = getCookie(c, nameOf(c, name));
  const token = readToken(c);
  if (kept === undefined || token === null || c.req.method !== "GET") return null;
  deleteCookie(c, nameOf(c, name), cookieAttributes(c));
  const [text = "", seal = ""] = kept.split(".");
  const given = Buffer.from(seal, "base64url");
  const wanted = sealOf({ token, name, text });
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return null;
  return JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
}

/** Keyed by the token itself: the token of the forms, which pages show, is a digest of it and opens nothing here. */
function sealOf({ token, name, text }: { token: string; name: SealedCookie; text: string }): Buffer {
  return createHmac("sha256", token).update(`cookie ${name} ${text}`).digest();
}

function nameOf(c: ApiContext, name: SealedCookie): string {
  return isSecure(c) ? `__Host-tieout-${name}` : `tieout_${name}`;
}
