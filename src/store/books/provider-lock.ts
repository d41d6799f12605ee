import { setTimeout as sleep } from "node:timers/promises";
import type { Queryable } from "../database.ts";

const lockOf = "hashtextextended('tieout.reconcile ' || provider, $1)";

/**
 * One import or one run of the matcher at a time for an account and a provider, until the end of the database
 * transaction: two that overlap would each see half of the other's lines.
 */
export async function lockProvider(
  tx: Queryable,
  { accountId, provider }: { accountId: number; provider: string },
): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(${lockOf}) from (values ($2)) as one (provider)`, [
    accountId,
    provider,
  ]);
}

/** How often one who may leave looks whether it is free. */
const lookAgainMs = 50;

/**
 * The same for one who may leave. A statement that waits for a lock waits on, and keeps its connection, after the caller has gone:
 * a few uploads that were given up would leave none to the others.
 */
export async function lockProviderUnlessGone(
  tx: Queryable,
  { accountId, provider }: { accountId: number; provider: string },
  signal: AbortSignal | undefined,
): Promise<void> {
  if (signal === undefined) return lockProvider(tx, { accountId, provider });
  while ((await lockFreeProviders(tx, { accountId, providers: [provider] })).length === 0) {
    await sleep(lookAgainMs);
    signal.throwIfAborted();
  }
}

/** Locks those that are free, and says which. */
export async function lockFreeProviders(
  tx: Queryable,
  { accountId, providers }: { accountId: number; providers: readonly string[] },
): Promise<string[]> {
  const free = await tx.query<{ provider: string }>(
    `select provider
     from unnest($2::text[]) as wanted (provider)
     where pg_try_advisory_xact_lock(${lockOf})`,
    [accountId, providers],
  );
  return free.map(({ provider }) => provider);
}

/**
 * The same, and where none is free, waits for the first. A run over many providers does not wait for the one whose file is just
 * being imported while it keeps others from importing theirs.
 */
export async function lockSomeProviders(
  tx: Queryable,
  { accountId, providers }: { accountId: number; providers: readonly string[] },
): Promise<string[]> {
  const free = await lockFreeProviders(tx, { accountId, providers });
  if (free.length > 0) return free;
  const first = providers.slice(0, 1);
  for (const provider of first) await lockProvider(tx, { accountId, provider });
  return first;
}
