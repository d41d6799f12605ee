import { HTTPException } from "hono/http-exception";
import { translate } from "../api/fail.ts";
import { type Problem, ProblemError } from "../api/problem.ts";
import { roles, scopesOfRole } from "../core/roles.ts";
import type { Web, WebContext } from "./deps.ts";
import { bareDocument, homeOf, sendHtml, show } from "./layout.tsx";
import { readPreferences } from "./preferences.ts";
import { visitorOfFailure } from "./visitor.ts";

export function formRefused(detail: string): ProblemError {
  return new ProblemError({ status: 403, code: "form_refused", title: "Form refused", detail });
}

/** Whatever a page throws, as a page: what happened, and what to do next. */
export async function answerWithFailure(web: Web, c: WebContext, error: unknown): Promise<Response> {
  const requestId = c.get("requestId");
  const { problem } = asProblem(web, error, c);
  for (const [name, value] of Object.entries(problem.headers ?? {})) c.header(name, value);
  c.status(problem.status);
  const wasSent = c.req.method !== "GET";
  // A person who is signed in goes on from here: a mistyped number must not take the way to everything else.
  const visitor = await visitorOfFailure(web, c);
  const home = visitor === null ? { path: "/overview", title: "Overview" } : homeOf(visitor);
  const shown = inWordsForPeople(problem, wasSent);
  const failure = <Failure problem={shown} requestId={requestId} wasSent={wasSent} home={home} />;
  const page = { title: shown.title, children: failure };
  // A script puts the failure into #notice, and then takes #notice from the answer too: an empty one there would replace it.
  const isPart = c.req.header("hx-request") === "true";
  if (visitor !== null && !isPart) return show(web, c, visitor, { ...page, under: null });
  return sendHtml(c, bareDocument(web.assets, readPreferences(c), page));
}

function asProblem(web: Web, error: unknown, c: WebContext): ProblemError {
  if (error instanceof ProblemError) return error;
  // Thrown by the check of where a form came from.
  if (error instanceof HTTPException && error.status === 403) {
    return formRefused("This form came from another site. Open the page itself and repeat it.");
  }
  return translate(web.api.deps, error, c.get("requestId"), c.req);
}

interface FailureShown {
  problem: Problem;
  requestId: string;
  /** In a form, and not asked for by an address. */
  wasSent: boolean;
  home: { path: string; title: string };
}

function Failure({ problem, requestId, wasSent, home }: FailureShown) {
  return (
    <section id="problem" class="failure">
      <h1>{problem.title}</h1>
      <p>{problem.detail}</p>
      {(problem.errors?.length ?? 0) > 1 && (
        <ul>
          {problem.errors?.map(({ message }) => (
            <li>{message}</li>
          ))}
        </ul>
      )}
      {isUnknownLayout(problem) ? <MakeProfile /> : <NextStep status={problem.status} wasSent={wasSent} />}
      <p class="actions">
        <a role="button" href={home.path}>
          {home.title}
        </a>
        {forSomeoneElse.has(problem.status) && (
          <a role="button" class="secondary" href="/sign-in">
            Sign in as someone else
          </a>
        )}
      </p>
      <p class="muted">
        Request <code>{requestId}</code>, status {problem.status}
      </p>
    </section>
  );
}

/** Someone else may be allowed to do this, or see what is not there for this person. */
const forSomeoneElse = new Set([401, 403, 404]);

/** The API speaks to programs: of parameters, scopes, keys and its own addresses. */
function inWordsForPeople(problem: Problem, wasSent: boolean): Problem {
  const { code, detail } = problem;
  if (code === "invalid_parameter" && wasSent) return { ...problem, title: "Check the form" };
  if (code === "key_limited") return { ...problem, title: "Only for those who see all accounts" };
  if (code === "scope_missing")
    return { ...problem, title: "Your roles do not allow this", detail: whoMay(problem) };
  if (code === "not_found" && detail.startsWith("There is nothing at ")) {
    return {
      ...problem,
      detail: wasSent ? "The form names something that does not exist." : "There is no such screen.",
    };
  }
  return problem;
}

function whoMay({ scopes }: Problem): string {
  const able = roles.filter(
    (role) => Array.isArray(scopes) && scopes.every((one) => scopesOfRole[role].includes(one)),
  );
  if (able.length === 0) return "Ask an admin for a role that may do this.";
  return able.length === 1
    ? `This needs the role ${able[0]}. Ask an admin for it.`
    : `This needs one of the roles ${able.join(", ")}. Ask an admin for one of them.`;
}

function isUnknownLayout({ detail }: Problem): boolean {
  return /\(file_(profile_unknown|layout_changed)\)/.test(detail);
}

function MakeProfile() {
  return (
    <p>
      If this is how the provider writes its files now,{" "}
      <a href="/settings/profile-maker">make a profile from this file</a>, and then preview it again.
    </p>
  );
}

function NextStep({ status, wasSent }: { status: number; wasSent: boolean }) {
  // What is not allowed says itself who may do it, or how.
  if (status === 403) return null;
  // What was sent in a form is corrected there.
  return <p>{nextSteps[wasSent && status === 400 ? 422 : status] ?? "Go back and try again."}</p>;
}

const nextSteps: Record<number, string> = {
  400: "Correct the filter in the address, or start again from the overview.",
  404: "It may belong to an account that you do not see, or the link is mistyped.",
  413: "Choose a smaller file.",
  422: "Correct it, and try again.",
  429: "Wait a moment, then load the page again.",
  500: "Try again. If it happens again, give the number below to the people who run the service.",
  503: "Try again in a moment, or choose a shorter period.",
};
