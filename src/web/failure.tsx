import { HTTPException } from "hono/http-exception";
import { translate } from "../api/fail.ts";
import { type Problem, ProblemError } from "../api/problem.ts";
import type { Web, WebContext } from "./deps.ts";
import { bareDocument, sendHtml, show } from "./layout.tsx";
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
  const failure = <Failure problem={problem} requestId={requestId} wasSent={wasSent} />;
  const page = { title: titleOf(problem, wasSent), children: failure };
  // A script puts the failure into #notice, and then takes #notice from the answer too: an empty one there would replace it.
  const isPart = c.req.header("hx-request") === "true";
  // A person who is signed in goes on from here: a mistyped number must not take the way to everything else.
  const visitor = isPart ? null : await visitorOfFailure(web, c);
  if (visitor !== null) return show(web, c, visitor, { ...page, under: null });
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
}

function Failure({ problem, requestId, wasSent }: FailureShown) {
  return (
    <section id="problem" class="failure">
      <h1>{titleOf(problem, wasSent)}</h1>
      <p>{problem.detail}</p>
      {(problem.errors?.length ?? 0) > 1 && (
        <ul>
          {problem.errors?.map(({ message }) => (
            <li>{message}</li>
          ))}
        </ul>
      )}
      <p>{isUnknownLayout(problem) ? <MakeProfile /> : nextStep(problem.status, wasSent)}</p>
      <p class="actions">
        <a role="button" href="/overview">
          Overview
        </a>
        <a role="button" class="secondary" href="/sign-in">
          Sign in as someone else
        </a>
      </p>
      <p class="muted">
        Request <code>{requestId}</code>, status {problem.status}
      </p>
    </section>
  );
}

/** The API's titles speak of parameters. */
function titleOf({ code, title }: Problem, wasSent: boolean): string {
  return wasSent && code === "invalid_parameter" ? "Check the form" : title;
}

function isUnknownLayout({ detail }: Problem): boolean {
  return /\(file_(profile_unknown|layout_changed)\)/.test(detail);
}

function MakeProfile() {
  return (
    <>
      If this is how the provider writes its files now,{" "}
      <a href="/settings/profile-maker">make a profile from this file</a>, and then preview it again.
    </>
  );
}

/** What was sent in a form is corrected there. */
function nextStep(status: number, wasSent: boolean): string {
  return nextSteps[wasSent && status === 400 ? 422 : status] ?? "Go back and try again.";
}

const nextSteps: Record<number, string> = {
  400: "Correct the filter in the address, or start again from the overview.",
  403: "Ask an admin for a role that may do this.",
  404: "It may belong to an account that you do not see, or the link is mistyped.",
  413: "Choose a smaller file.",
  422: "Correct it, and try again.",
  429: "Wait a moment, then load the page again.",
  500: "Try again. If it happens again, give the number below to the people who run the service.",
  503: "Try again in a moment, or choose a shorter period.",
};
