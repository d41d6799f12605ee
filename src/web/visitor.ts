import { callerOfSession } from "../access/session-ring.ts";
import type { OpenSession } from "../store/people/sessions.ts";
import type { Visitor, Web, WebContext } from "./deps.ts";
import { readPreferences } from "./preferences.ts";
import { csrfTokenOf, maskCsrfToken, readToken } from "./session-cookie.ts";

/** Who has this session, before anything that is shown once is taken. */
export function visitorOf(
  web: Web,
  c: WebContext,
  { token, session }: { token: string; session: OpenSession },
): Visitor {
  const caller = callerOfSession(session);
  return {
    caller,
    // Not from a replica: who has just resolved something must see it resolved.
    reader: { database: web.api.deps.database, accountIds: caller.accountIds },
    name: session.name,
    email: session.email,
    roles: session.roles,
    accounts: session.accounts,
    preferences: readPreferences(c),
    csrf: maskCsrfToken(csrfTokenOf(token), web.deps.randomBytes),
    notice: null,
    refused: null,
  };
}

/** For an error page: if even the session cannot be read, the visitor is anonymous. */
export async function visitorOfFailure(web: Web, c: WebContext): Promise<Visitor | null> {
  const token = readToken(c);
  if (token === null) return null;
  const session = await web.api.sessions.find(token).catch(() => null);
  return session === null ? null : visitorOf(web, c, { token, session });
}
