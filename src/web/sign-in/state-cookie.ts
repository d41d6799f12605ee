import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { isToken } from "../../access/new-token.ts";
import { SECOND } from "../../core/duration.ts";
import { signInStateKeepMs } from "../../store/people/sign-in-states.ts";
import type { WebContext } from "../deps.ts";
import { isSecure } from "../session-cookie.ts";

/** Ties what a browser was asked to what it answers: an answer from elsewhere proves nothing. */
export function keepStateToken(c: WebContext, token: string): void {
  setCookie(c, cookieName(c), token, { ...attributes(c), maxAge: signInStateKeepMs / SECOND });
}

/** Good once. */
export function takeStateToken(c: WebContext): string {
  const token = getCookie(c, cookieName(c)) ?? "";
  deleteCookie(c, cookieName(c), attributes(c));
  return isToken(token) ? token : "";
}

function cookieName(c: WebContext): string {
  return isSecure(c) ? "__Host-tieout-asked" : "tieout_asked";
}

function attributes(c: WebContext) {
  // Lax, so that it comes along when the sign-in service sends the browser back.
  return { path: "/", httpOnly: true, sameSite: "Lax", secure: isSecure(c) } as const;
}
