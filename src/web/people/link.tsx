import { linkLife } from "../../access/sign-in.ts";
import type { Visitor, Web, WebContext } from "../deps.ts";
import { show } from "../layout.tsx";
import { Panel } from "../parts/blocks.tsx";
import { NotTogetherYet } from "../parts/signing-together.tsx";

/** Shown once, in the answer itself: neither address nor cookie holds it. */
export function showLinkFor(
  web: Web,
  c: WebContext,
  visitor: Visitor,
  {
    name,
    email,
    link,
    invited,
    proposed,
  }: {
    name: string;
    email: string;
    link?: string | null;
    invited: boolean;
    /** The role of an admin waits for another admin. */
    proposed: boolean;
  },
): Response | Promise<Response> {
  return show(web, c, visitor, {
    title: `Link for ${name}`,
    under: "/people",
    children: (
      <Panel title={`Link for ${name}`} id="link-title">
        <p>
          It signs <bdi>{name}</bdi> in once, within {linkLife(invited ? "invitation" : "sign_in")}. Give it
          to no one else. It is shown only now.
        </p>
        {proposed && (
          <p class="warning">
            <bdi>{name}</bdi> is not an admin yet: another admin must approve it on{" "}
            <a href="/approvals">Approvals</a>.
          </p>
        )}
        <label>
          <span>Link</span>
          <input type="text" readonly value={link ?? ""} id="link" />
        </label>
        {email !== visitor.email && <NotTogetherYet name={name} email={email} />}
        <p>
          <a href="/people">Back to people</a>
        </p>
      </Panel>
    ),
  });
}
