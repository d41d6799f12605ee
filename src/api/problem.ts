import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { type ProblemCode, problemCodes } from "./problem-codes.ts";

/** RFC 9457: every error of every route has this shape. */
export interface Problem {
  status: ContentfulStatusCode;
  /** Stable, snake_case, documented. */
  code: string;
  title: string;
  /** Names the thing and the next step. */
  detail: string;
  param?: string;
  errors?: FieldProblem[];
  headers?: Record<string, string>;
  /** Further members of the document, for example the gaps of a period. */
  [member: string]: unknown;
}

export interface FieldProblem {
  path: string;
  code: string;
  message: string;
}

/** Thrown by a route; the server turns it into an answer. */
export class ProblemError extends Error {
  readonly problem: Problem;

  constructor(fields: Problem, options?: { cause?: unknown }) {
    super(fields.detail, options);
    this.name = "ProblemError";
    this.problem = fields;
  }
}

/** A problem with a documented code: status and title are those of the code. */
export function problem(
  code: ProblemCode,
  detail: string,
  more: Pick<Problem, "param" | "errors" | "headers"> & Record<string, unknown> = {},
): ProblemError {
  const { status, title } = problemCodes[code];
  return new ProblemError({ status, code, title, detail, ...more });
}

export function answerProblem(c: Context, { headers, ...fields }: Problem, requestId: string): Response {
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
