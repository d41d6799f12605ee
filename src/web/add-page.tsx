import { csrf } from "hono/csrf";
import { timingSafeEqual } from "node:crypto";
import type { Access } from "../access/access.ts";
import { refusalOf } from "../access/decide.ts";
import { callerOfSession } from "../access/session-ring.ts";
import { refusalProblem } from "../api/access-problem.ts";
import { refusedByRule } from "../api/fail.ts";
import { problem } from "../api/problem.ts";
import { declareAccess } from "../api/route.ts";
import type { Scope } from "../core/scopes.ts";
import type { Visitor, Web, WebContext } from "./deps.ts";
import { answerWithFailure, formRefused } from "./failure.tsx";
import { takeNotice } from "./notice.ts";
import { carriedCharsMax } from "./address.ts";
import { type SentForm, withForm } from "./read-form.ts";
import { returnToForm, takeRefusal } from "./refusal.ts";
import { csrfTokenOf, isSecure, readToken, unmaskCsrfToken } from "./session-cookie.ts";
import { textOf } from "./form-text.ts";
import { visitorOf } from "./visitor.ts";

type Answer = Response | Promise<Response>;

/** The gate of the API lets everyone through to the page: who may see what is decided here, by the session. */
const ownGate: Access = { scopes: [], policy: "none" };

interface Whom {
  /** It concerns all accounts: people who are limited to some are refused. */
  wholeService?: boolean;
}

/** A screen. All of the scopes are needed; a visitor who is not signed in is sent to do so and comes back. */
export function addPage(
  web: Web,
  path: string,
  scopes: readonly Scope[],
  handler: (c: WebContext, visitor: Visitor) => Answer,
  { wholeService = false }: Whom = {},
): void {
  addGet(web, path, { ...ownGate, session: scopes, wholeService }, async (c) => {
    const visitor = await admit(web, c, { scopes, wholeService });
    if (visitor === null) return askToSignIn(web, c);
    return handler(c, visitor);
  });
}

/** Something that changes something: only from a form of this session. Who sends it is asked before any of it is read. */
export function addAction(
  web: Web,
  path: string,
  scopes: readonly Scope[],
  handler: (c: WebContext, visitor: Visitor, form: FormData, file: SentForm["file"]) => Answer,
  { fileBytesMax = null, wholeService = false }: Whom & { fileBytesMax?: number | null } = {},
): void {
  addPost(web, path, { ...ownGate, session: scopes, wholeService }, async (c) => {
    const visitor = await admit(web, c, { scopes, wholeService });
    if (visitor === null) return askToSignIn(web, c);
    return withForm(c, { fileBytesMax }, async ({ fields, file }) => {
      refuseForged(c, fields);
      try {
        return await handler(c, visitor, fields, file);
      } catch (error) {
        const back = returnToForm(c, fields, refusedByRule(error) ?? error);
        if (back === null) throw error;
        return back;
      }
    });
  });
}

/** A page that needs no session. */
export function addOpenPage(web: Web, path: string, handler: (c: WebContext) => Answer): void {
  addGet(web, path, ownGate, (c) => {
    countStranger(web, c);
    return handler(c);
  });
}

function addGet(web: Web, path: string, access: Access, handler: (c: WebContext) => Answer): void {
  declareAccess(web.api, "get", path, access);
  web.app.get(path, async (c) => {
    protect(c);
    try {
      return await handler(c);
    } catch (error) {
      return answerWithFailure(web, c, error);
    }
  });
}

/** The one form that comes before there is a session. */
export function addOpenAction(
  web: Web,
  path: string,
  handler: (c: WebContext, form: FormData) => Answer,
): void {
  addPost(web, path, ownGate, (c) => {
    countStranger(web, c);
    return withForm(c, { fileBytesMax: null }, ({ fields }) => handler(c, fields));
  });
}

function addPost(web: Web, path: string, access: Access, handler: (c: WebContext) => Answer): void {
  declareAccess(web.api, "post", path, access);
  // The host alone is compared: behind a proxy that speaks https we are asked in plain http.
  const sameSite = csrf({ origin: (origin, c) => hostOf(origin) === c.req.header("host") });
  web.app.post(path, async (c) => {
    protect(c);
    try {
      // Throws when it refuses, so there is nothing to do after it.
      await sameSite(c, async () => undefined);
      return await handler(c);
    } catch (error) {
      return answerWithFailure(web, c, error);
    }
  });
}

/** A failure outside of any screen, such as an address that leads nowhere. */
export function showFailure(web: Web, c: WebContext, error: unknown): Answer {
  protect(c);
  return answerWithFailure(web, c, error);
}

/** Visitors without a session are counted by address, on every page, file and form. */
function countStranger(web: Web, c: WebContext): void {
  const state = web.api.limits.take("visitor", `address ${c.get("client").address}`);
  if (!state.allowed) throw tooManyRequests(state.resetSeconds);
}

function tooManyRequests(seconds: number) {
  return problem("rate_limited", `Too many requests. Wait ${seconds} s.`, {
    headers: { "Retry-After": String(seconds) },
  });
}

/** Only our own files, nothing inline, never in a frame; and neither browser nor proxy keeps any of it. */
function protect(c: WebContext): void {
  c.set(
    "contentSecurityPolicy",
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  );
  c.header("Cache-Control", "no-store");
  if (isSecure(c)) c.header("Strict-Transport-Security", "max-age=31536000");
}

async function admit(
  web: Web,
  c: WebContext,
  needed: { scopes: readonly Scope[]; wholeService: boolean },
): Promise<Visitor | null> {
  const token = readToken(c);
  if (token === null) return null;
  const session = await web.api.sessions.find(token);
  if (session === null) return null;
  const caller = callerOfSession(session);
  const rate = web.limits.take("default", caller.actor);
  if (!rate.allowed) throw tooManyRequests(rate.resetSeconds);
  c.set("caller", caller);
  const refusal = refusalOf(caller, needed);
  if (refusal !== null) throw refusalProblem(refusal, caller, "This screen");
  return { ...visitorOf(web, c, { token, session }), notice: takeNotice(c), refused: takeRefusal(c) };
}

function refuseForged(c: WebContext, form: FormData): void {
  const given = unmaskCsrfToken(c.req.header("x-csrf-token") ?? textOf(form, "csrf"));
  const wanted = Buffer.from(csrfTokenOf(readToken(c) ?? ""), "base64url");
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) {
    throw formRefused("This form belongs to another session. Load the page again and repeat it.");
  }
}

/** With the place to come back to, unless it is a partial update: then the whole page goes there. */
function askToSignIn(web: Web, c: WebContext): Response {
  countStranger(web, c);
  const { pathname, search } = new URL(c.req.url);
  const asked = pathname + search;
  const back = c.req.method === "GET" && asked.length <= carriedCharsMax ? asked : "/overview";
  const place = `/sign-in?${new URLSearchParams({ back }).toString()}`;
  if (c.req.header("hx-request") === "true") return c.body(null, 401, { "HX-Redirect": place });
  return c.redirect(place, 303);
}

function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null;
}
