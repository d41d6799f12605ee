import { isToken } from "../../access/new-token.ts";
import { signInByLink } from "../../access/sign-in.ts";
import { TieoutError } from "../../core/errors.ts";
import { type GoodLink, readSignInLink } from "../../store/people/sign-in-links.ts";
import type { Web, WebContext } from "../deps.ts";
import { textOf } from "../form-text.ts";
import { enter, noteRefusal, refuseTooManyFailures } from "./enter.ts";
import type { SignInMethod } from "./method.ts";
import { showSignIn } from "./screen.tsx";

/** A link that someone else has made, or the service itself at its first start. */
export const linkMethod: SignInMethod = {
  id: "link",
  offer: () => (
    <p class="muted">
      A link signs you in once. Ask an admin for one, or make it on the machine that runs the service:{" "}
      <code>npx tieout people link you@example.com</code>
    </p>
  ),
};

const usedUp = "This link has been used or has expired. Sign in another way, or ask for another link.";

/** Looks at the link, and asks for what it needs: the first person says who they are. */
export async function showLink(web: Web, c: WebContext, token: string): Promise<Response> {
  await refuseTooManyFailures(web, c);
  const link = isToken(token) ? await readSignInLink(web.api.deps.database, token) : null;
  if (link === null) return refuse(web, c);
  return showSignIn(web, c, <LinkForm token={token} link={link} />);
}

export async function enterByLink(web: Web, c: WebContext, form: FormData): Promise<Response> {
  await refuseTooManyFailures(web, c);
  const link = textOf(form, "link");
  const given = { name: textOf(form, "name"), email: textOf(form, "email") };
  const visit = { address: c.get("client").address, requestId: c.get("requestId") };
  const { database } = web.api.deps;
  try {
    const token = await signInByLink({ database, randomBytes: web.deps.randomBytes }, link, visit, given);
    if (token === null) return await refuse(web, c);
    return enter(c, token, "/overview", "You are signed in. The link cannot be used again.");
  } catch (error) {
    // Rolled back, so the link is still good: say what is wrong and ask again.
    if (!(error instanceof TieoutError) || error.code !== "person_invalid") throw error;
    const held = await readSignInLink(database, link);
    if (held === null) return refuse(web, c);
    c.status(400);
    return showSignIn(web, c, <LinkForm token={link} link={held} refused={error.message} given={given} />);
  }
}

async function refuse(web: Web, c: WebContext): Promise<Response> {
  noteRefusal(web, c, { subject: "a sign-in link", reason: "used, expired or unknown" });
  c.status(401);
  return showSignIn(web, c, <a href="/sign-in">Other ways to sign in</a>, usedUp);
}

interface LinkFormProps {
  token: string;
  link: GoodLink;
  refused?: string;
  given?: { name: string; email: string };
}

/** A button rather than a redirect: programs that look at links before people do must not use it up. */
function LinkForm({ token, link, refused, given = { name: "", email: "" } }: LinkFormProps) {
  return (
    <form method="post" action="/sign-in">
      {refused !== undefined && (
        <p class="form-error" role="alert">
          {refused}
        </p>
      )}
      {link.purpose === "first_person" ? (
        <>
          <p>You are the first person here. Your name is recorded with everything you decide.</p>
          <label>
            <span>Name</span>
            <input name="name" required maxlength={200} autocomplete="name" value={given.name} autofocus />
          </label>
          <label>
            <span>E-mail</span>
            <input
              type="email"
              name="email"
              required
              maxlength={200}
              autocomplete="email"
              value={given.email}
            />
          </label>
        </>
      ) : (
        <p>
          This link signs you in once, as <strong>{link.personName}</strong>.
        </p>
      )}
      <input type="hidden" name="link" value={token} />
      <button type="submit" autofocus={link.purpose !== "first_person"}>
        Sign in
      </button>
    </form>
  );
}
