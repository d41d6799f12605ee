import { UpstreamError, type UpstreamErrorCode } from "./errors.ts";
import type { Redact } from "./redact.ts";

interface FailedRequest {
  readonly endpoint: string;
  /** Whether repeating the request would be safe. */
  readonly retry: boolean;
  /** Whether the caller gave up. */
  readonly aborted: boolean;
  readonly bodyBytesMax: number;
  readonly redact: Redact;
}

/** What undici, fetch, the sockets below them or a timer report, in our words. */
export function transportError(error: unknown, request: FailedRequest): UpstreamError {
  const reason = reasonOf(error);
  const [code, message, passing] = request.aborted
    ? (["aborted", "given up by the caller", false] as const)
    : meaningOf(reason, request.bodyBytesMax);
  return new UpstreamError(code, message, {
    endpoint: request.endpoint,
    retry: passing && request.retry,
    cause: withoutPayload(error, reason, request.redact),
  });
}

function meaningOf(reason: string, bodyBytesMax: number): readonly [UpstreamErrorCode, string, boolean] {
  switch (reason) {
    case "UND_ERR_CONNECT_TIMEOUT":
    case "ETIMEDOUT":
      return ["timeout", "no connection in time", true];
    case "UND_ERR_HEADERS_TIMEOUT":
      return ["timeout", "no answer in time", true];
    case "UND_ERR_BODY_TIMEOUT":
      return ["timeout", "the body stopped coming", true];
    case "TimeoutError":
      return ["timeout", "the answer was not complete before the deadline", true];
    case "UND_ERR_RES_EXCEEDED_MAX_SIZE":
      return ["body_too_large", `answered with more than ${bodyBytesMax} bytes`, false];
    case "ECONNREFUSED":
    case "ENOTFOUND":
    case "EAI_AGAIN":
    case "EHOSTUNREACH":
    case "ENETUNREACH":
      return ["unreachable", `the server cannot be reached (${reason})`, true];
    case "TypeError":
      // All that `fetch` tells in a browser, so that a page cannot look around in a network.
      return ["unreachable", "the server cannot be reached, or does not let this page ask it", true];
    default:
      if (tlsReason.test(reason)) return ["tls_refused", `its certificate is not trusted (${reason})`, false];
      return ["connection_lost", `the connection was lost (${reason})`, true];
  }
}

// OpenSSL's words for a certificate that does not prove who the server is.
const tlsReason = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS_|ERR_SSL_|HOSTNAME_MISMATCH/;

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  if ("code" in error && typeof error.code === "string") return error.code;
  // Node's `fetch` puts what happened below its own error.
  return error.name === "TypeError" && error.cause instanceof Error ? reasonOf(error.cause) : error.name;
}

/** The same error without what hangs on it: a parser's error carries the bytes it could not read. */
function withoutPayload(error: unknown, reason: string, redact: Redact): Error {
  const message = error instanceof Error ? error.message : String(error);
  return Object.assign(new Error(redact(message)), { name: "TransportError", code: reason });
}
