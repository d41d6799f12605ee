import { createHash } from "node:crypto";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { ApiContext } from "../api/deps.ts";
import { isToken } from "../access/new-token.ts";
import { sessionLife } from "../access/session-ring.ts";
import { SECOND } from "../core/duration.ts";

export function readToken(c: ApiContext): string | null {
  const token = getCookie(c, cookieName(c)) ?? "";
  return isToken(token) ? token : null;
}

export function keepToken(c: ApiContext, token: string): void {
  setCookie(c, cookieName(c), token, { ...cookieAttributes(c), maxAge: sessionLife.absoluteMs / SECOND });
}

export function forgetToken(c: ApiContext): void {
  deleteCookie(c, cookieName(c), cookieAttributes(c));
}

/**
 * The token of a session's forms. Made from the session's own token, which no script and no other site can read, so that
 * nothing more has to be kept.
 */
export function csrfTokenOf(token: string): string {
  return createHash("sha256").update(`form ${token}`).digest("base64url");
}

/**
 * The token as a page shows it, different every time: pages are compressed, and the length of a compressed page would tell
 * someone who may put text into it which of their guesses stands beside it.
 */
export function maskCsrfToken(token: string, randomBytes: (count: number) => Uint8Array): string {
  const secret = Buffer.from(token, "base64url");
  const mask = Buffer.from(randomBytes(secret.length));
  return Buffer.concat([mask, xor(mask, secret)]).toString("base64url");
}

/** The bytes of the token, of its masked form or its own. */
export function unmaskCsrfToken(text: string): Buffer {
  const bytes = Buffer.from(text, "base64url");
  if (bytes.length !== 2 * csrfBytes) return bytes;
  return xor(bytes.subarray(0, csrfBytes), bytes.subarray(csrfBytes));
}

const csrfBytes = 32;

function xor(a: Buffer, b: Buffer): Buffer {
  return Buffer.from(a.map((byte, at) => byte ^ (b[at] ?? 0)));
}

/** Over https the name itself makes the browser refuse a cookie that another host or plain http has set. */
function cookieName(c: ApiContext): string {
  return isSecure(c) ? "__Host-tieout" : "tieout_session";
}

/** Of every cookie that a session depends on. */
export function cookieAttributes(c: ApiContext) {
  return { path: "/", httpOnly: true, sameSite: "Lax", secure: isSecure(c) } as const;
}

/** Also when a proxy that is trusted speaks https for us. */
export function isSecure(c: ApiContext): boolean {
  return c.get("client").secure;
}
