import type { Transaction } from "../database.ts";

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

interface KeyOfRequest {
  apiKeyId: string;
  key: string;
  fingerprint: Buffer;
}

/**
 * Takes the key for as long as the database transaction of the request lasts, or says what became of the request that
 * had it first. A request that fails, or dies with its process, leaves nothing that would have to be given back.
 */
export async function claimIdempotencyKey(tx: Transaction, request: KeyOfRequest): Promise<IdempotencyClaim> {
  const { apiKeyId, key } = request;
  const [lock] = await tx.query<{ taken: boolean }>(
    "select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as taken",
    [`idempotency ${apiKeyId} ${key}`],
  );
  if (!lock?.taken) return { state: "in_progress" };
  const [held] = await tx.query<{ fingerprint: Buffer; status: number; content_type: string; body: string }>(
    `select fingerprint, status, content_type, body
     from tieout.idempotency_keys
     where api_key_id = $1
       and key = $2
       and status is not null
       and started_at >= clock_timestamp() - interval '24 hours'`,
    [apiKeyId, key],
  );
  if (!held) return { state: "first" };
  if (!held.fingerprint.equals(request.fingerprint)) return { state: "other_request" };
  const answer = { status: held.status, contentType: held.content_type, body: held.body };
  return { state: "answered", answer };
}

/**
 * Keeps an answer for a day, in the database transaction of what it tells about. Older ones are forgotten here, a few at
 * a time, so that the table needs no other care.
 */
export async function keepAnswer(tx: Transaction, request: KeyOfRequest, answer: KeptAnswer): Promise<void> {
  await tx.query(
    `insert into tieout.idempotency_keys (api_key_id, key, fingerprint, started_at, status, content_type, body)
     values ($1, $2, $3, clock_timestamp(), $4, $5, $6)
     on conflict on constraint idempotency_key_is_used_once do update
     set fingerprint = excluded.fingerprint, started_at = excluded.started_at, status = excluded.status,
         content_type = excluded.content_type, body = excluded.body`,
    [request.apiKeyId, request.key, request.fingerprint, answer.status, answer.contentType, answer.body],
  );
  await tx.query(
    `delete from tieout.idempotency_keys
     where (api_key_id, key) in (
       select api_key_id, key
       from tieout.idempotency_keys
       where started_at < clock_timestamp() - interval '24 hours'
       limit 100
       for update skip locked
     )`,
  );
}
