import { betweenRuns, findWrongFacts, listCorrected } from "../store/books/fact-integrity.ts";
import { listProviders } from "../store/books/runs.ts";
import { reportableAccounts } from "../store/accounts/account-reads.ts";
import type { Database } from "../store/database.ts";
import type { Mismatch } from "../store/transactions/integrity.ts";
import { reconcileAllInside } from "./reconcile.ts";

/**
 * Holds matches, findings and payouts against what they follow from, by working all of it out again, and undoing that. What
 * has come since the last run is worked out first: it is no fault that nobody has looked at it yet.
 */
export async function verifyBooks(
  database: Database,
  only: { accountId?: number; provider?: string } = {},
): Promise<Mismatch[]> {
  const mismatches = await findWrongFacts(database);
  const accountIds = only.accountId === undefined ? null : [only.accountId];
  for (const { id: accountId } of await reportableAccounts(database, accountIds)) {
    const providers =
      only.provider === undefined ? await listProviders(database, accountId) : [only.provider];
    mismatches.push(
      ...(await database.rehearse(async (tx) => {
        await reconcileAllInside(tx, { accountId, providers });
        const since = await betweenRuns(tx);
        await reconcileAllInside(tx, { accountId, providers, full: true });
        return listCorrected(tx, { accountId, providers, since });
      })),
    );
  }
  return mismatches;
}
