import { and, eq, gte, sql } from "drizzle-orm";
import { clockNow } from "../clock-time.ts";
import type { Transaction } from "../database.ts";
import { idempotencyKeys } from "../schema/api-keys.ts";

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
  actor: string;
  key: string;
  fingerprint: Buffer;
}

/**
 * Takes the key for as long as the database transaction of the request lasts, or says what became of the request that
 * had it first. A request that fails, or dies with its process, leaves nothing that would have to be given back.
 */
export async function claimIdempotencyKey(tx: Transaction, request: KeyOfRequest): Promise<IdempotencyClaim> {
  const { actor, key } = request;
  const [lock] = await tx.query<{ taken: boolean }>(
    "select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as taken",
    [`idempotency ${actor} ${key}`],
  );
  if (!lock?.taken) return { state: "in_progress" };
  const [held] = await tx.orm
    .select()
    .from(idempotencyKeys)
    .where(
      and(
        eq(idempotencyKeys.actor, actor),
        eq(idempotencyKeys.key, key),
        gte(idempotencyKeys.startedAt, sql`clock_timestamp() - interval '24 hours'`),
      ),
    );
  const { status = null, contentType = null, body = null } = held ?? {};
  if (!held || status === null || contentType === null || body === null) return { state: "first" };
  if (!held.fingerprint.equals(request.fingerprint)) return { state: "other_request" };
  return { state: "answered", answer: { status, contentType, body } };
}

/**
 * Keeps an answer for a day, in the database transaction of what it tells about. Older ones are forgotten here, a few at
 * a time, so that the table needs no other care.
 */
export async function keepAnswer(tx: Transaction, request: KeyOfRequest, answer: KeptAnswer): Promise<void> {
  const { actor, key, fingerprint } = request;
  const kept = { fingerprint, startedAt: clockNow, ...answer };
  await tx.orm
    .insert(idempotencyKeys)
    .values({ actor, key, ...kept })
    .onConflictDoUpdate({ target: [idempotencyKeys.actor, idempotencyKeys.key], set: kept });
  await tx.query(
    `delete from tieout.idempotency_keys
     where (actor, key) in (
       select actor, key
       from tieout.idempotency_keys
       where started_at < clock_timestamp() - interval '24 hours'
       limit 100
       for update skip locked
     )`,
  );
}
