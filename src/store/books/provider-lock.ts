import type { Queryable } from "../database.ts";

/**
 * One import or one run of the matcher at a time for an account and a provider, until the end of the database
 * transaction: two that overlap would each see half of the other's lines.
 */
export async function lockProvider(
  tx: Queryable,
  { accountId, provider }: { accountId: number; provider: string },
): Promise<void> {
  await tx.query("select pg_advisory_xact_lock(hashtextextended('tieout.reconcile ' || $2, $1))", [
    accountId,
    provider,
  ]);
}
