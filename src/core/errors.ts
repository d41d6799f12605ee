/**
 * The errors that a person reads. A message names the thing and the next step; the code is closed and stable,
 * so that callers decide by it and never by the words.
 */
export type ErrorCode =
  | "config_invalid"
  | "usage"
  | "interrupted"
  | "database_unreachable"
  | "database_refused"
  | "database_newer"
  | "database_outdated"
  | "database_not_migrated"
  | "database_failed"
  | "queue_unreachable"
  | "queue_unsafe"
  | "clock_skew"
  | "port_taken"
  | "key_missing"
  | "data_folder_unusable"
  | "data_folder_held"
  | "engine_failed"
  | "statement_refused"
  | "statement_not_found"
  | "statement_withdrawn"
  | "fees_invalid"
  | "rates_invalid"
  | "profile_invalid"
  | "profile_not_found"
  | "not_allowed"
  | "person_not_found"
  | "person_conflict"
  | "person_invalid"
  | "approval_not_found"
  | "approval_conflict"
  | "match_not_found"
  | "match_refused"
  | "review_refused"
  | "period_not_covered"
  | "report_too_large"
  | "export_unavailable"
  | "period_not_found"
  | "period_refused"
  | "pack_invalid"
  | "lake_unusable"
  | "files_unusable";

export class TieoutError extends Error {
  readonly code: ErrorCode;
  /** Whether doing the same again later may succeed. */
  readonly retry: boolean;

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; retry?: boolean } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "TieoutError";
    this.code = code;
    this.retry = options.retry ?? false;
  }
}

/** A command, a request or a setting is given wrongly: the message says what is expected. */
export function usageError(message: string, options: { cause?: unknown } = {}): TieoutError {
  return new TieoutError("usage", message, options);
}
