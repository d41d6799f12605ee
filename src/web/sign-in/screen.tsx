import type { Child } from "hono/jsx";
import type { Web, WebContext } from "../deps.ts";
import { bareDocument } from "../layout.tsx";
import { readPreferences } from "../preferences.ts";

/** The screen before there is a session. */
export function showSignIn(
  web: Web,
  c: WebContext,
  ways: Child,
  refused?: string,
): Response | Promise<Response> {
  const children = (
    <section class="sign-in">
      <h1>Sign in</h1>
      {refused !== undefined && (
        <p class="form-error" role="alert" id="refused">
          {refused}
        </p>
      )}
      {ways}
    </section>
  );
  return c.html(bareDocument(web.assets, readPreferences(c), { title: "Sign in", children }));
}
