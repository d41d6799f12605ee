import type { Dialect } from "./transactions/dialect.ts";

/**
 * What the sandbox says no to. The specification shows no error body for the current surface; ours, unless the dialect
 * says otherwise, is `{errorId, type, message, field?}`: a number and a word that are closed and stable, a sentence for
 * people, and the parameter, header or body field that caused it.
 */
export type RefusalType = keyof typeof refusalKinds;

export const refusalKinds = {
  INVALID_PARAMETER: { status: 400, errorId: 4000 },
  INVALID_BODY: { status: 400, errorId: 4001 },
  UNKNOWN_CURRENCY: { status: 400, errorId: 4002 },
  UNKNOWN_PAYMENT_METHOD: { status: 400, errorId: 4003 },
  UNKNOWN_PROVIDER: { status: 400, errorId: 4004 },
  NOT_AVAILABLE: { status: 400, errorId: 4005 },
  LIMIT_MISMATCH: { status: 400, errorId: 4006 },
  QUOTE_INVALID: { status: 400, errorId: 4007 },
  CURSOR_INVALID: { status: 400, errorId: 4008 },
  API_KEY_MISSING: { status: 401, errorId: 4010 },
  API_KEY_INVALID: { status: 401, errorId: 4011 },
  API_SECRET_MISSING: { status: 401, errorId: 4012 },
  API_SECRET_INVALID: { status: 401, errorId: 4013 },
  PROVIDER_NOT_ENABLED: { status: 403, errorId: 4030 },
  USER_LIMIT: { status: 403, errorId: 4031 },
  IDENTITY_REFUSED: { status: 403, errorId: 4032 },
  NOT_FOUND: { status: 404, errorId: 4040 },
  CURRENCY_NOT_FOUND: { status: 404, errorId: 4041 },
  METHOD_NOT_ALLOWED: { status: 405, errorId: 4050 },
  ALREADY_DECIDED: { status: 409, errorId: 4090 },
  SESSION_EXPIRED: { status: 410, errorId: 4100 },
  BODY_TOO_LARGE: { status: 413, errorId: 4130 },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, errorId: 4150 },
  RATE_LIMIT_EXCEEDED: { status: 429, errorId: 4290 },
  INTERNAL: { status: 500, errorId: 5000 },
  PROVIDER_UNAVAILABLE: { status: 503, errorId: 5030 },
} as const;

export interface Refusal {
  readonly type: RefusalType;
  readonly message: string;
  readonly field?: string | undefined;
}

/** The surfaces have different error bodies, and on the current one servers differ too. */
export type ErrorBody = Dialect["error-body"] | "earlier";

/** Thrown by handlers; the surface that was asked turns it into its own error shape. */
export class RefusedError extends Error {
  readonly type: RefusalType;
  readonly field: string | undefined;
  /** How long to wait before it makes sense to try again. */
  readonly retryAfterSeconds: number | undefined;

  constructor(type: RefusalType, message: string, field?: string, retryAfterSeconds?: number) {
    super(message);
    this.name = "RefusedError";
    this.type = type;
    this.field = field;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export function refusalStatus(type: RefusalType) {
  return refusalKinds[type].status;
}

export function refusalBody({ type, message, field }: Refusal, body: ErrorBody): object {
  const { errorId } = refusalKinds[type];
  const about = field === undefined ? {} : { field };
  switch (body) {
    case "typed":
      return { errorId, type, message, ...about };
    case "code":
      return { errorCode: errorId * 10 + 1, errorMessage: message };
    case "oauth":
      return { error: type.toLowerCase(), error_description: message };
    case "earlier":
      return { message, ...about };
    default:
      return body satisfies never;
  }
}
