import { type FieldProblem, type Problem, ProblemError } from "../api/problem.ts";
import type { Visitor, Web, WebContext } from "./deps.ts";

interface Question {
  /** A question with a body is a POST, unless it says otherwise. */
  method?: "PATCH" | "DELETE";
  query?: URLSearchParams;
  json?: unknown;
  body?: NonNullable<RequestInit["body"]>;
  headers?: Record<string, string>;
}

/**
 * Asks the API's own route, in this process, with the rights of who is signed in: what the page does is checked, limited
 * and noted by the same code as what a program does. What the API refuses is thrown, and shown as a page.
 */
export async function askApi<Answer>(
  web: Web,
  c: WebContext,
  visitor: Visitor,
  path: string,
  question: Question = {},
): Promise<Answer> {
  return (await askTagged(web, c, visitor, path, question)).answer as Answer;
}

/** The answer, and the tag that a change of it needs as If-Match. */
export async function askTagged(
  web: Web,
  c: WebContext,
  visitor: Visitor,
  path: string,
  question: Question = {},
): Promise<{ answer: unknown; tag: string }> {
  const response = await fetchApi(web, c, visitor, path, question);
  if (!response.ok) throw await refusalOf(response);
  const answer: unknown = await response.json();
  return { answer, tag: response.headers.get("etag") ?? "" };
}

/** The answer itself, for files. */
async function fetchApi(
  web: Web,
  c: WebContext,
  visitor: Visitor,
  path: string,
  { method, query, json, body, headers }: Question = {},
): Promise<Response> {
  const address = new URL(path, "http://tieout.inside");
  if (query !== undefined) address.search = query.toString();
  const request = new Request(address, {
    method: method ?? (json === undefined && body === undefined ? "GET" : "POST"),
    headers: { ...(json === undefined ? {} : { "content-type": "application/json" }), ...headers },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    ...(body === undefined ? {} : { body, duplex: "half" }),
  });
  return web.app.fetch(request, {
    ...c.env,
    inside: { caller: visitor.caller, client: c.get("client"), requestId: c.get("requestId") },
  });
}

/** A file that the API makes; a refusal is a page here, and not a file. */
export async function fetchFile(...asked: Parameters<typeof fetchApi>): Promise<Response> {
  const response = await fetchApi(...asked);
  if (!response.ok) throw await refusalOf(response);
  return response;
}

/** The problem that an answer carries, to be thrown on. */
async function refusalOf(response: Response): Promise<ProblemError> {
  const text = await response.text();
  const { code, title, detail, errors, scopes } = parse(text);
  return new ProblemError({
    status: response.status as Problem["status"],
    code: code ?? "failed",
    title: title ?? "Not done",
    detail: detail ?? "The service could not do this.",
    ...(errors === undefined ? {} : { errors }),
    ...(scopes === undefined ? {} : { scopes }),
  });
}

interface RefusedAnswer {
  code?: string;
  title?: string;
  detail?: string;
  errors?: FieldProblem[];
  /** Those that were missing. */
  scopes?: string[];
}

function parse(text: string): RefusedAnswer {
  try {
    return JSON.parse(text) as RefusedAnswer;
  } catch {
    return {};
  }
}
