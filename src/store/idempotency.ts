import type { Queryable } from "./database.ts";

export interface KeptAnswer {
  status: number;
  contentType: string;
  body: string;
}

export type IdempotencyClaim =
  | { state: "first" }
  | { state: "in_progress" }
  | { state: "other_request" }
  | { state: "answered"; answer: KeptAnswer };

/** A request that takes longer than this has died with its process: nobody will answer it any more. */
const abandonedAfterMs = 2 * 60_000;

/**
 * Takes the key for this request, or says what became of the request that had it first. Keys are kept for a day; older
 * ones are forgotten here, a few at a time, so that the table needs no other care.
 */
export async function claimIdempotencyKey(
  database: Queryable,
  request: { apiKeyId: string; key: string; fingerprint: Buffer },
): Promise<IdempotencyClaim> {
  await database.query(
    `delete from tieout.idempotency_keys
     where (api_key_id, key) in (
       select api_key_id, key
       from tieout.idempotency_keys
       where started_at < clock_timestamp() - interval '24 hours'
       limit 100
       for update skip locked
     )`,
  );
  const claimed = await database.query(
    `insert into tieout.idempotency_keys as held (api_key_id, key, fingerprint, started_at)
     values ($1, $2, $3, clock_timestamp())
     on conflict on constraint idempotency_key_is_used_once do update
     set fingerprint = excluded.fingerprint, started_at = excluded.started_at, status = null, content_type = null, body = null
     where held.started_at < clock_timestamp() - interval '24 hours'
        or held.status is null and held.started_at < clock_timestamp() - $4::double precision * interval '1 millisecond'
     returning key`,
    [request.apiKeyId, request.key, request.fingerprint, abandonedAfterMs],
  );
  if (claimed.length > 0) return { state: "first" };
  const [held] = await database.query<{
    fingerprint: Buffer;
    status: number | null;
    content_type: string;
    body: string;
  }>(
    "select fingerprint, status, content_type, body from tieout.idempotency_keys where api_key_id = $1 and key = $2",
    [request.apiKeyId, request.key],
  );
  // Its first request failed in this very moment and gave the key back: the client may simply try again.
  if (!held) return { state: "in_progress" };
  if (!held.fingerprint.equals(request.fingerprint)) return { state: "other_request" };
  if (held.status === null) return { state: "in_progress" };
  const answer = { status: held.status, contentType: held.content_type, body: held.body };
  return { state: "answered", answer };
}

export async function keepAnswer(
  database: Queryable,
  request: { apiKeyId: string; key: string },
  answer: KeptAnswer,
): Promise<void> {
  await database.query(
    `update tieout.idempotency_keys
     set status = $3, content_type = $4, body = $5
     where api_key_id = $1 and key = $2`,
    [request.apiKeyId, request.key, answer.status, answer.contentType, answer.body],
  );
}

/** Nothing was done, so the same key may be used again. */
export async function forgetIdempotencyKey(
  database: Queryable,
  request: { apiKeyId: string; key: string },
): Promise<void> {
  await database.query("delete from tieout.idempotency_keys where api_key_id = $1 and key = $2", [
    request.apiKeyId,
    request.key,
  ]);
}
