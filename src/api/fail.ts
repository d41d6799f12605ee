import {
  asDatabaseError,
  cannotWrite,
  isDataError,
  isTransient,
  periodRefusalOf,
} from "../store/sql-errors.ts";
import { accessProblem } from "./access-problem.ts";
import type { ApiContext, ApiDeps } from "./deps.ts";
import { answerProblem, problem, ProblemError } from "./problem.ts";

/** Whatever a route throws, as an answer. What went wrong is for the log; the request's id brings the two together. */
export function answerFailure(deps: ApiDeps, error: unknown, c: ApiContext): Response {
  const known = error instanceof ProblemError ? error : translate(deps, error, c.get("requestId"), c.req);
  return answerProblem(c, known.problem, c.get("requestId"));
}

/** For the page, which shows the same problem as a page. */
export function translate(
  deps: Pick<ApiDeps, "log">,
  error: unknown,
  requestId: string,
  { method = "GET" }: { method?: string } = {},
): ProblemError {
  const refused = refusedByRule(error);
  if (refused !== null) return refused;
  const code = (error as { code?: unknown } | null)?.code;
  const isDatabase = isTransient(error) || /^[0-9A-Z]{5}$/.test(String(code));
  // What the database says may repeat what it was given; its code is enough to find the cause by.
  const fields = isDatabase ? { reason: asDatabaseError(error).message } : { err: error };
  deps.log.error({ event: "request_failed", request_id: requestId, ...fields });
  if (code === "57014") {
    return problem("query_too_slow", isRead(method) ? slowRead : slowWrite, {
      headers: { "Retry-After": "5" },
    });
  }
  const unwritable = cannotWrite(error);
  if (unwritable !== null) {
    return problem("not_ready", unwritables[unwritable], { headers: { "Retry-After": "60" } });
  }
  // Class 28: our own login is refused, as after a change of the password. No caller can help it.
  if (isTransient(error) || String(code).startsWith("28")) {
    return problem("not_ready", "The database does not answer at the moment. Try again shortly.", {
      headers: { "Retry-After": "5" },
    });
  }
  // A last resort: parameters are checked earlier, and this one should have been refused there.
  if (isDataError(error)) {
    return problem("invalid_parameter", "A parameter has a value that the database cannot read.");
  }
  return problem("internal_error", `Something failed on our side. Look for request ${requestId} in the log.`);
}

/** What a rule of ours refuses, such as a day in a closed month; `null` if something went wrong instead. */
export function refusedByRule(error: unknown): ProblemError | null {
  const refused = accessProblem(error);
  if (refused !== null) return refused;
  const refusal = periodRefusalOf(error);
  return refusal === null ? null : problem("period_refused", `${upperFirst(refusal)}.`);
}

const slowRead = "The query took too long. Narrow the period or the filters.";
/** It has most likely waited for a run or an import of the same account. */
const slowWrite =
  "It took too long, and nothing was written: a run or someone else may be at work on the same account. Try again shortly.";

/** For those who look after the database: what was asked for here cannot be done by asking differently. */
const unwritables = {
  disk_full: "The disk of the database is full, so nothing was saved. Make room on it, and try again.",
  read_only: "The database takes no writes at the moment, so nothing was saved. See writes at /readyz.",
} as const;

function isRead(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
