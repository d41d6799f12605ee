import { createOidc, type Oidc, type OidcOutcome } from "../../access/oidc.ts";
import { addOpenPage } from "../add-page.tsx";
import { localPath } from "../address.ts";
import type { Web } from "../deps.ts";
import { depsOf } from "./passkey.tsx";
import { enter, noteRefusal, refuseTooManyFailures } from "./enter.ts";
import type { SignInMethod } from "./method.ts";
import { showSignIn } from "./screen.tsx";
import { keepStateToken, takeStateToken } from "./state-cookie.ts";

/** The company's own sign-in service, where one is configured. */
export const oidcMethod: SignInMethod = {
  id: "oidc",
  offer: (web, back) =>
    web.deps.oidc === undefined ? null : (
      <p>
        <a role="button" class="button" href={`/sign-in/oidc?${new URLSearchParams({ back }).toString()}`}>
          Sign in with your company's account
        </a>
      </p>
    ),
  add: (web) => {
    if (web.deps.oidc === undefined) return;
    const oidc = createOidc(depsOf(web), web.deps.oidc);
    addBegin(web, oidc);
    addEnd(web, oidc);
  },
};

function addBegin(web: Web, oidc: Oidc): void {
  addOpenPage(web, "/sign-in/oidc", async (c) => {
    await refuseTooManyFailures(web, c);
    try {
      const { token, url } = await oidc.begin(localPath(c.req.query("back")));
      keepStateToken(c, token);
      return c.redirect(url, 303);
    } catch (error) {
      web.api.deps.log.error({ event: "oidc_failed", err: error });
      c.status(502);
      const why =
        "The sign-in service does not answer. Try again, or sign in another way; the log has details.";
      return showSignIn(web, c, <a href="/sign-in">Other ways</a>, why);
    }
  });
}

function addEnd(web: Web, oidc: Oidc): void {
  addOpenPage(web, "/sign-in/oidc/callback", async (c) => {
    await refuseTooManyFailures(web, c);
    const visit = { address: c.get("client").address, requestId: c.get("requestId") };
    const outcome = await oidc.end({ token: takeStateToken(c), url: new URL(c.req.url) }, visit);
    if ("session" in outcome) return enter(c, outcome.session, localPath(outcome.back));
    noteRefusal(web, c, { subject: "the sign-in service", reason: outcome.refused });
    c.status(outcome.refused === "not_proved" ? 401 : 403);
    return showSignIn(web, c, <a href="/sign-in">Other ways</a>, sentenceFor(outcome));
  });
}

function sentenceFor({ refused, email }: Extract<OidcOutcome, { refused: string }>): string {
  const sentences = {
    not_proved: "The sign-in service did not confirm who you are, or it took too long. Start again.",
    not_invited: `There is no invitation for ${email ?? "you"} yet. Ask an admin.`,
    email_not_verified: `The sign-in service has not verified ${email ?? "your address"}. Ask the people who run it.`,
    suspended: "You are suspended here. Ask an admin.",
  };
  return sentences[refused];
}
