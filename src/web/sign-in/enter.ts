import { hasFailedTooOften } from "../../access/sign-in.ts";
import { problem } from "../../api/problem.ts";
import type { Web, WebContext } from "../deps.ts";
import { leaveNotice } from "../notice.ts";
import { keepToken } from "../session-cookie.ts";

/** The end of every way in: the browser keeps the session's token, and goes where the person wanted to go. */
export function enter(c: WebContext, token: string, back: string, notice: string | null = null): Response {
  keepToken(c, token);
  if (notice !== null) leaveNotice(c, notice, null, token);
  return c.redirect(back, 303);
}

/** Before anything is looked up: after enough failures, in any process, the caller waits. */
export async function refuseTooManyFailures(web: Web, c: WebContext): Promise<void> {
  if (!(await hasFailedTooOften(web.api.deps.database, c.get("client").address))) return;
  throw problem("rate_limited", "Too many failed attempts from this address. Wait 15 minutes.", {
    headers: { "Retry-After": "900" },
  });
}

/** Failed attempts are slowed down, on the page as on the API, and noted. */
export function noteRefusal(web: Web, c: WebContext, refused: { subject: string; reason: string }): void {
  const state = web.api.limits.take("refused", `address ${c.get("client").address}`);
  if (state.allowed) {
    web.api.refusals.note(c, { action: "session.refused", ...refused });
    return;
  }
  throw problem("rate_limited", `Too many failed attempts. Wait ${state.resetSeconds} s.`, {
    headers: { "Retry-After": String(state.resetSeconds) },
  });
}
