import type { ContentfulStatusCode } from "hono/utils/http-status";

/** Every code that an answer can carry. Stable: a client decides by the code and never by the words. */
export const problemCodes = {
  invalid_parameter: entry(
    400,
    "Invalid parameter",
    "A parameter has an invalid value. `errors` lists every problem.",
  ),
  unknown_parameter: entry(
    400,
    "Unknown parameter",
    "The route has no such parameter. The detail names the nearest one it has.",
  ),
  invalid_body: entry(
    400,
    "Invalid body",
    "The body is not JSON, or not of the documented shape. `errors` lists every problem.",
  ),
  cursor_mismatch: entry(
    400,
    "Cursor of another list",
    "The cursor was made with other filters or another sort. Repeat those, or start without it.",
  ),
  account_required: entry(
    400,
    "Account required",
    "The id exists in several accounts, or the key is for several. Name one with `account`.",
  ),
  key_missing: entry(401, "Key missing", "Send an API key: `Authorization: Bearer tieout_…`."),
  key_invalid: entry(
    401,
    "Key invalid",
    "The key is mistyped, unknown or revoked, or its owner is suspended. Ask the person who made it for another.",
  ),
  key_expired: entry(401, "Key expired", "The key has expired. Create another with `tieout keys create`."),
  signature_invalid: entry(
    401,
    "Signature invalid",
    "The event is not signed with the secret of this account, or was signed more than five minutes ago.",
  ),
  scope_missing: entry(
    403,
    "Scope missing",
    "The key or person may not do this. The detail names the scope that is missing.",
  ),
  not_allowed: entry(
    403,
    "Not allowed",
    "You can grant only roles and accounts that you have, and change only people who may do no more than you. The detail says what was refused.",
  ),
  key_limited: entry(
    403,
    "Key limited to accounts",
    "This concerns the whole service, and the key or person is limited to some accounts.",
  ),
  not_found: entry(404, "Not found", "There is nothing here that you may see."),
  link_invalid: entry(
    403,
    "Link invalid",
    "The download link was altered or has expired. Read the export again for a new one.",
  ),
  host_unknown: entry(
    421,
    "Host unknown",
    "The request names a host that is not this service's. Set `PUBLIC_URL` to the address people use.",
  ),
  method_not_allowed: entry(405, "Method not allowed", "`Allow` lists the methods that the path takes."),
  period_not_covered: entry(
    409,
    "Period not covered",
    "Part of the period has not been read yet. The detail lists the gaps; `partial=true` accepts them.",
  ),
  idempotency_in_progress: entry(
    409,
    "Still being answered",
    "The first request with this Idempotency-Key is not finished. Try again in a moment.",
  ),
  version_mismatch: entry(
    412,
    "Changed meanwhile",
    "Someone changed the object since it was read. Read it again.",
  ),
  precondition_required: entry(
    428,
    "Version required",
    "Changing this needs the version you saw. Send the object's `ETag` as `If-Match`.",
  ),
  state_conflict: entry(
    409,
    "Not possible in this state",
    "The object's state does not allow this. The detail names the state.",
  ),
  match_refused: entry(
    409,
    "Match refused",
    "The two cannot be matched at present. The detail says why, and what to do first.",
  ),
  period_refused: entry(
    409,
    "Not possible for this period",
    "The month cannot be signed, reopened or booked into at present. The detail says why.",
  ),
  body_too_large: entry(413, "Body too large", "The body is larger than this route takes."),
  unsupported_media_type: entry(
    415,
    "Unsupported media type",
    "The body has a type that this route does not take.",
  ),
  idempotency_key_reused: entry(
    422,
    "Idempotency-Key reused",
    "The key was used with another request. Use a new one for a new request.",
  ),
  statement_refused: entry(
    422,
    "Statement refused",
    "The file was refused, and nothing was written. `errors` lists every reason by its import code.",
  ),
  statement_withdrawn: entry(409, "Statement withdrawn", "The statement was withdrawn already."),
  profile_invalid: entry(
    422,
    "Profile invalid",
    "The profile cannot be used. The detail lists every problem.",
  ),
  report_too_large: entry(
    422,
    "Report too large",
    "The report has more rows than are sent at once. Make an export with `POST /v1/exports`.",
  ),
  rate_limited: entry(429, "Too many requests", "Wait as many seconds as `Retry-After` says."),
  internal_error: entry(
    500,
    "Internal error",
    "Something failed on our side. The log has more under the request's id.",
  ),
  not_ready: entry(
    503,
    "Not ready",
    "The service is starting, or its database is unavailable. Try again after `Retry-After`.",
  ),
  query_too_slow: entry(
    503,
    "Query too slow",
    "The query took too long. Narrow the period or the filters, or ask for an export.",
  ),
} as const;

export type ProblemCode = keyof typeof problemCodes;

interface ProblemEntry {
  status: ContentfulStatusCode;
  title: string;
  meaning: string;
}

function entry(status: ContentfulStatusCode, title: string, meaning: string): ProblemEntry {
  return { status, title, meaning };
}
