import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { isToken } from "../../access/new-token.ts";
import { SECOND } from "../../core/duration.ts";
import { signInStateKeepMs } from "../../store/people/sign-in-states.ts";
import type { WebContext } from "../deps.ts";
import { cookieAttributes, isSecure } from "../session-cookie.ts";

/** Ties what a browser was asked to what it answers: an answer from elsewhere proves nothing. */
export function keepStateToken(c: WebContext, token: string): void {
  setCookie(c, cookieName(c), token, { ...cookieAttributes(c), maxAge: signInStateKeepMs / SECOND });
}

/** Good once. */
export function takeStateToken(c: WebContext): string {
  const token = getCookie(c, cookieName(c)) ?? "";
  deleteCookie(c, cookieName(c), cookieAttributes(c));
  return isToken(token) ? token : "";
}

function cookieName(c: WebContext): string {
  return isSecure(c) ? "__Host-tieout-asked" : "tieout_asked";
}
