import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";

/** RFC 9457: every error of every route has this shape. */
export interface Problem {
  status: ContentfulStatusCode;
  /** Stable, snake_case, documented. */
  code: string;
  title: string;
  /** Names the thing and the next step. */
  detail: string;
  param?: string;
  errors?: { path: string; code: string; message: string }[];
  headers?: Record<string, string>;
}

/** Thrown by a route; the server turns it into an answer. */
export class ProblemError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem, options?: { cause?: unknown }) {
    super(problem.detail, options);
    this.name = "ProblemError";
    this.problem = problem;
  }
}

export function answerProblem(c: Context, problem: Problem, requestId: string): Response {
  const { headers, ...fields } = problem;
  const body = {
    type: `/docs/errors#${fields.code}`,
    ...fields,
    instance: c.req.path,
    request_id: requestId,
  };
  return c.body(JSON.stringify(body), fields.status, {
    ...headers,
    "content-type": "application/problem+json",
  });
}
