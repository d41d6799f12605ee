import { problem } from "../api/problem.ts";
import { MINUTE } from "../core/duration.ts";
import type { Database } from "../store/database.ts";
import { addSignInLink, closeSession, openSession, openSessionByLink } from "../store/people/sessions.ts";
import { addAction, addOpenAction, addOpenPage } from "./add-page.tsx";
import { localPath } from "./address.ts";
import type { Web, WebContext } from "./deps.ts";
import { textOf } from "./form-text.ts";
import { bareDocument } from "./layout.tsx";
import { leaveNotice } from "./notice.ts";
import { readPreferences } from "./preferences.ts";
import { forgetToken, keepToken, newToken, readToken, sessionKeepMs } from "./session-cookie.ts";

const linkKeepMs = 15 * MINUTE;

/** The address of a page that signs in once, within a quarter of an hour, with the rights of a key. */
export async function createSignInLink(
  database: Database,
  randomBytes: (count: number) => Uint8Array,
  link: { baseUrl: string; keyId: string },
): Promise<string> {
  const token = newToken(randomBytes);
  await addSignInLink(database, { token, keyId: link.keyId, keepMs: linkKeepMs });
  return `${link.baseUrl}/sign-in?link=${token}`;
}

export function addSignIn(web: Web): void {
  addOpenPage(web, "/sign-in", (c) => {
    const link = c.req.query("link");
    if (link !== undefined) return showSignIn(web, c, { link });
    return showSignIn(web, c, { back: localPath(c.req.query("back")) });
  });

  addOpenAction(web, "/sign-in", async (c, form) => {
    const link = textOf(form, "link");
    const back = localPath(textOf(form, "back"));
    return link === "" ? signInByKey(web, c, textOf(form, "key"), back) : signInByLink(web, c, link);
  });

  addAction(web, "/sign-out", [], async (c) => {
    const token = readToken(c);
    if (token !== null) {
      await closeSession(web.api.deps.database, token, c.get("requestId"));
      web.sessions.forget(token);
    }
    forgetToken(c);
    return c.redirect("/sign-in", 303);
  });
}

async function signInByKey(web: Web, c: WebContext, key: string, back: string): Promise<Response> {
  const verdict = await web.api.keys.check(key.trim());
  if (verdict.kind !== "good") {
    countRefusal(web, c, { key: key.trim(), reason: verdict.kind });
    c.status(401);
    return showSignIn(web, c, { back, refused: refusals[verdict.kind] });
  }
  const token = newToken(web.deps.randomBytes);
  const { keyId } = verdict.caller;
  const requestId = c.get("requestId");
  await openSession(web.api.deps.database, { token, keyId, keepMs: sessionKeepMs, requestId });
  keepToken(c, token);
  return c.redirect(back, 303);
}

async function signInByLink(web: Web, c: WebContext, link: string): Promise<Response> {
  const token = newToken(web.deps.randomBytes);
  const session = { token, keepMs: sessionKeepMs, requestId: c.get("requestId") };
  if (!(await openSessionByLink(web.api.deps.database, link, session))) {
    countRefusal(web, c, { key: "", reason: "link" });
    c.status(401);
    return showSignIn(web, c, {
      back: "/overview",
      refused: "This link was used before, or its 15 minutes are over. Sign in with a key instead.",
    });
  }
  keepToken(c, token);
  leaveNotice(c, "You are signed in. The link cannot be used again; the next time, use a key.");
  return c.redirect("/overview", 303);
}

const refusals = {
  malformed: "This is no API key, or it is mistyped. A key looks like tieout_… and has 52 characters.",
  unknown: "The key is not known here, or was revoked.",
  revoked: "The key is not known here, or was revoked.",
  expired: "The key has expired. Make another with: tieout keys create",
};

/** Whoever tries keys is slowed down, on the page as on the API. */
function countRefusal(web: Web, c: WebContext, refused: { key: string; reason: string }): void {
  const state = web.api.limits.take("refused", `address ${c.get("client").address}`);
  if (state.allowed) {
    web.api.refusals.note(c, { action: "session.refused", ...refused });
    return;
  }
  throw problem("rate_limited", `Too many failed attempts. Wait ${state.resetSeconds} s.`, {
    headers: { "Retry-After": String(state.resetSeconds) },
  });
}

type SignInState = { link: string } | { back: string; refused?: string };

function showSignIn(web: Web, c: WebContext, state: SignInState): Response | Promise<Response> {
  const children = (
    <section class="sign-in">
      <h1>Sign in</h1>
      {"link" in state ? <LinkForm link={state.link} /> : <KeyForm {...state} />}
    </section>
  );
  return c.html(bareDocument(web.assets, readPreferences(c), { title: "Sign in", children }));
}

/** A button rather than a redirect: programs that look at links before people do must not use it up. */
function LinkForm({ link }: { link: string }) {
  return (
    <form method="post" action="/sign-in">
      <p>This link signs you in once, with the rights of the key that it was made for.</p>
      <input type="hidden" name="link" value={link} />
      <button type="submit" autofocus>
        Sign in
      </button>
    </form>
  );
}

function KeyForm({ back, refused }: { back: string; refused?: string }) {
  return (
    <form method="post" action="/sign-in">
      {refused !== undefined && (
        <p class="form-error" role="alert" id="refused">
          {refused}
        </p>
      )}
      <input type="hidden" name="back" value={back} />
      <label>
        <span>API key</span>
        <input
          type="password"
          name="key"
          required
          autofocus
          autocomplete="current-password"
          spellcheck={false}
          maxlength={200}
          aria-invalid={refused === undefined ? undefined : "true"}
          aria-describedby={refused === undefined ? "key-help" : "refused key-help"}
        />
      </label>
      <p id="key-help" class="muted">
        The key stays on the server: your browser keeps a cookie that ends after 12 hours. No key yet? Ask
        whoever runs the service, or make one there:{" "}
        <code>npx tieout keys create --name you --role accountant</code>
      </p>
      <button type="submit">Sign in</button>
    </form>
  );
}
