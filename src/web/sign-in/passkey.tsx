import { askForPasskey, signInByPasskey, type Site } from "../../access/passkeys.ts";
import { addOpenAction } from "../add-page.tsx";
import { localPath } from "../address.ts";
import type { Web, WebContext } from "../deps.ts";
import { textOf } from "../form-text.ts";
import { isSecure } from "../session-cookie.ts";
import { enter, noteRefusal, refuseTooManyFailures } from "./enter.ts";
import type { SignInMethod } from "./method.ts";
import { showSignIn } from "./screen.tsx";
import { keepStateToken, takeStateToken } from "./state-cookie.ts";

/** A key that the person's own device holds. Needs a script, as every browser does for this. */
export const passkeyMethod: SignInMethod = {
  id: "passkey",
  offer: (web, back) => (
    <form method="post" action="/sign-in/passkey" data-passkey="/sign-in/passkey/ask">
      <input type="hidden" name="back" value={back} />
      <input type="hidden" name="answer" value="" />
      <button type="submit">Sign in with a passkey</button>
      <p class="form-error" role="alert" hidden />
      <noscript>
        <p class="muted">Passkeys need a script.</p>
      </noscript>
      <script src={web.assets.urlOf("passkeys.js")} defer />
    </form>
  ),
  add: (web) => {
    addOpenAction(web, "/sign-in/passkey/ask", async (c) => {
      await refuseTooManyFailures(web, c);
      const asked = await askForPasskey(depsOf(web), siteOf(c));
      keepStateToken(c, asked.token);
      return c.json(asked.options);
    });
    addOpenAction(web, "/sign-in/passkey", async (c, form) => {
      await refuseTooManyFailures(web, c);
      const visit = { address: c.get("client").address, requestId: c.get("requestId") };
      const given = { token: takeStateToken(c), answer: textOf(form, "answer") };
      const session = await signInByPasskey(depsOf(web), siteOf(c), given, visit);
      if (session !== null) return enter(c, session, localPath(textOf(form, "back")));
      noteRefusal(web, c, { subject: "a passkey", reason: "unknown, or not what was asked for" });
      c.status(401);
      return showSignIn(
        web,
        c,
        <a href="/sign-in">Try again</a>,
        "You cannot sign in here with this passkey.",
      );
    });
  },
};

export function depsOf(web: Web) {
  return { database: web.api.deps.database, randomBytes: web.deps.randomBytes };
}

/** As the browser sees it; the host was checked at the door. */
export function siteOf(c: WebContext): Site {
  return { origin: `${isSecure(c) ? "https" : "http"}://${c.req.header("host") ?? ""}` };
}
