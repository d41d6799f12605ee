import { betweenRuns, findWrongFacts, listCorrected } from "../store/books/fact-integrity.ts";
import { lockFreeProviders, lockProvider } from "../store/books/provider-lock.ts";
import { listProviders } from "../store/books/runs.ts";
import { reportableAccounts } from "../store/accounts/account-reads.ts";
import type { Database, Transaction } from "../store/database.ts";
import { unhurried } from "../store/large-statements.ts";
import { isTransient, isUniqueViolation } from "../store/sql-errors.ts";
import type { Mismatch } from "../store/transactions/integrity.ts";
import { reconcileAllInside } from "./reconcile.ts";

/** Holds matches, findings and payouts against what they follow from, by working all of it out again, and undoing that. */
export async function verifyBooks(
  database: Database,
  only: { accountId?: number; provider?: string } = {},
): Promise<Mismatch[]> {
  const mismatches = await unhurried(database, findWrongFacts);
  const accountIds = only.accountId === undefined ? null : [only.accountId];
  for (const { id: accountId } of await reportableAccounts(database, accountIds)) {
    const providers =
      only.provider === undefined ? await listProviders(database, accountId) : [only.provider];
    mismatches.push(...(await judgeAgain(database, { accountId, providers })));
  }
  return mismatches;
}

interface Subject {
  accountId: number;
  providers: readonly string[];
}

/** Each try works out everything again. */
const triesMax = 3;

async function judgeAgain(database: Database, subject: Subject): Promise<Mismatch[]> {
  for (let tries = 1; ; tries += 1) {
    try {
      const corrected = await database.rehearse((tx) => judgeAtOneMoment(tx, subject));
      if (corrected !== null) return corrected;
    } catch (error) {
      if (tries >= triesMax || !(isTransient(error) || isUniqueViolation(error))) throw error;
    }
    // Waits for runs and imports of the same providers.
    await database.transaction((tx) => lockAll(tx, subject));
  }
}

/**
 * Both runs read one snapshot: otherwise a record that arrives between them looks like a fault that the second run corrects. A
 * snapshot does not include what the holder of a lock commits while we wait for that lock, so nothing here waits: the
 * answer is `null` if a provider is locked.
 */
async function judgeAtOneMoment(tx: Transaction, subject: Subject): Promise<Mismatch[] | null> {
  await tx.query("set transaction isolation level repeatable read");
  const free = await lockFreeProviders(tx, subject);
  if (free.length < subject.providers.length) return null;
  // First catch up with what has arrived since the last run: it is not wrong, only not judged yet.
  await reconcileAllInside(tx, subject);
  const since = await betweenRuns(tx);
  await reconcileAllInside(tx, { ...subject, full: true });
  return listCorrected(tx, { ...subject, since });
}

async function lockAll(tx: Transaction, { accountId, providers }: Subject): Promise<void> {
  for (const provider of providers) await lockProvider(tx, { accountId, provider });
}
