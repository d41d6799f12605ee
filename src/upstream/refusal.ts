/**
 * Reading what a server says when it refuses. The specification shows no error body, and several are in use, so any
 * body will do: the status decides what happens, and the body only tells a person why.
 */
import type { Problem, UpstreamErrorCode } from "./errors.ts";
import { parseExactJson } from "./exact-json.ts";

export function codeOfStatus(status: number, options: { sentCursor: boolean }): UpstreamErrorCode {
  // Which status an expired cursor gets is not shown; without a cursor the same statuses mean something else.
  if (options.sentCursor && ofCursors.has(status)) return "cursor_rejected";
  if (status === 401) return "unauthorized";
  if (status === 403) return "forbidden";
  if (status === 404 || status === 410) return "not_found";
  if (status === 408) return "timeout";
  if (status === 429) return "rate_limited";
  if (status >= 500) return "server_error";
  if (status >= 400) return "bad_request";
  return redirects.has(status) ? "redirect_refused" : "status_unexpected";
}

/** Whether the server may answer otherwise next time. 501 and 505 say that it cannot. */
export function isPassing(status: number): boolean {
  return passing4xx.has(status) || (status >= 500 && status !== 501 && status !== 505);
}

const ofCursors = new Set([400, 404, 409, 410, 422]);
const redirects = new Set([301, 302, 303, 307, 308]);
const passing4xx = new Set([408, 425, 429]);
const messageCharactersMax = 300;

/** Whether the server itself may have written it: errors are JSON, or nothing at all. */
function mayBeAnError(body: string): boolean {
  if (body.trim() === "") return true;
  try {
    parseExactJson(body);
    return true;
  } catch {
    return false;
  }
}

/**
 * Whether something in front of the server refused, such as a firewall or a proxy: the key may be good, and another try may get
 * through. Some servers say 401 in plain words, so there only a page counts.
 */
export function isFromBetween(status: number, body: string | null): boolean {
  if (status === 403) return body === null || !mayBeAnError(body);
  return status === 401 && (body ?? "").trimStart().startsWith("<");
}

/** The message of an error body, in any shape seen in practice; nothing for an empty body or an HTML page. */
export function readProblems(body: string): Problem[] {
  const text = body.trim();
  if (text === "" || text.startsWith("<")) return [];
  let value: unknown;
  try {
    value = parseExactJson(text);
  } catch {
    return [{ message: text.slice(0, messageCharactersMax), field: null, fatal: false }];
  }
  return problemsIn(value);
}

/** The same for a body that is parsed already: an error object may come with status 200. */
export function problemsIn(value: unknown): Problem[] {
  if (Array.isArray(value)) return value.flatMap(problemsIn);
  if (typeof value === "string")
    return [{ message: value.slice(0, messageCharactersMax), field: null, fatal: false }];
  if (typeof value !== "object" || value === null) return [];
  const said: Record<string, unknown> = { ...value };
  if (Array.isArray(said["errors"]) && said["errors"].length > 0) return problemsIn(said["errors"]);
  const message = [said["message"], said["errorMessage"], said["error_description"], said["error"]].find(
    isText,
  );
  if (message === undefined) {
    // `{error: {message}}` and `{message: {message}}`: one level, as wrappers do.
    const inner = [said["error"], said["message"]].find((each) => typeof each === "object" && each !== null);
    return inner === undefined ? [] : problemsIn(inner);
  }
  return [
    {
      message: message.slice(0, messageCharactersMax),
      field: isText(said["field"]) ? said["field"] : null,
      fatal: said["fatal"] === true,
    },
  ];
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
