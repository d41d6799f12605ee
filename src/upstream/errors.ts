/**
 * What can go wrong between us and the aggregator. The code is closed: callers decide by it, and by `retry`, never by
 * the words. No key, secret, cursor or wallet is in any field of it: an error ends in logs.
 */
export type UpstreamErrorCode =
  | "rate_limited"
  | "unauthorized"
  | "forbidden"
  | "not_found"
  | "cursor_rejected"
  | "bad_request"
  | "server_error"
  | "status_unexpected"
  | "redirect_refused"
  | "url_refused"
  | "timeout"
  | "unreachable"
  | "connection_lost"
  | "tls_refused"
  | "aborted"
  | "body_too_large"
  | "body_not_json"
  | "body_unexpected"
  | "page_too_large"
  | "flow_too_long"
  | "flow_refused";

/** What the server says is wrong with a request; `field` when it names one. */
export interface Problem {
  readonly message: string;
  readonly field: string | null;
  /** The server says that no other input can help. */
  readonly fatal: boolean;
}

interface UpstreamErrorDetails {
  /** Method and path template, such as `GET /transactions/{transactionId}`. */
  readonly endpoint: string;
  /** Whether repeating the same request is safe and may succeed. */
  readonly retry?: boolean;
  readonly status?: number;
  /** How long the server asked us to stay away. */
  readonly retryAfterMs?: number | null;
  /** Path of the field at fault: in the answer, or of the request as the server names it. */
  readonly field?: string | null;
  readonly problems?: readonly Problem[];
  /** The first 1 KB of a body we could not use, redacted. */
  readonly detail?: string | null;
  readonly cause?: unknown;
}

/**
 * Thrown by code that reads a body and finds another shape; `http.ts` makes it an `UpstreamError`, because only
 * there it is known which request this was the answer to.
 */
export class UnexpectedBody extends Error {
  readonly code: "body_unexpected" | "page_too_large";
  /** Path of the field at fault; `null` when it is the body as a whole. */
  readonly field: string | null;
  /** Whether another try may bring a better answer. */
  readonly retry: boolean;

  constructor(
    field: string | null,
    problem: string,
    options: { code?: UnexpectedBody["code"]; retry?: boolean } = {},
  ) {
    super(`answer not understood: ${field ?? "body"}: ${problem}`);
    this.name = "UnexpectedBody";
    this.code = options.code ?? "body_unexpected";
    this.field = field;
    this.retry = options.retry ?? false;
  }
}

export class UpstreamError extends Error {
  readonly code: UpstreamErrorCode;
  readonly endpoint: string;
  readonly retry: boolean;
  readonly status: number | null;
  readonly retryAfterMs: number | null;
  readonly field: string | null;
  readonly problems: readonly Problem[];
  readonly detail: string | null;

  constructor(code: UpstreamErrorCode, message: string, details: UpstreamErrorDetails) {
    super(
      `${details.endpoint}: ${message}`,
      details.cause === undefined ? undefined : { cause: details.cause },
    );
    this.name = "UpstreamError";
    this.code = code;
    this.endpoint = details.endpoint;
    this.retry = details.retry ?? false;
    this.status = details.status ?? null;
    this.retryAfterMs = details.retryAfterMs ?? null;
    this.field = details.field ?? null;
    this.problems = details.problems ?? [];
    this.detail = details.detail ?? null;
  }
}
