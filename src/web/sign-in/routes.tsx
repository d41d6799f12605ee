import { signOut, signOutEverywhere } from "../../access/sign-in.ts";
import { authorOf } from "../../api/send-file.ts";
import { addAction, addOpenAction, addOpenPage } from "../add-page.tsx";
import { localPath } from "../address.ts";
import type { Web, WebContext } from "../deps.ts";
import { forgetToken, readToken } from "../session-cookie.ts";
import { enterByLink, showLink } from "./link.tsx";
import { signInMethods } from "./methods.ts";
import { showSignIn } from "./screen.tsx";

export function addSignIn(web: Web): void {
  addOpenPage(web, "/sign-in", (c) => {
    const link = c.req.query("link");
    if (link !== undefined) return showLink(web, c, link);
    const back = localPath(c.req.query("back"));
    return showSignIn(web, c, <>{signInMethods.map(({ offer }) => offer(web, back))}</>);
  });
  addOpenAction(web, "/sign-in", (c, form) => enterByLink(web, c, form));
  for (const { add } of signInMethods) add?.(web);

  addAction(web, "/sign-out", [], async (c) => {
    const token = readToken(c);
    if (token !== null) await signOut(web.api.deps.database, token, c.get("requestId"));
    return leave(web, c);
  });

  addAction(web, "/sign-out/everywhere", [], async (c, { caller }) => {
    if (caller.personId !== null) {
      await signOutEverywhere(web.api.deps.database, caller.personId, authorOf(c, caller));
    }
    return leave(web, c);
  });
}

function leave(web: Web, c: WebContext): Response {
  const token = readToken(c);
  if (token !== null) web.api.sessions.forget(token);
  forgetToken(c);
  return c.redirect("/sign-in", 303);
}
