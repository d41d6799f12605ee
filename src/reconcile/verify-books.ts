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

const triesMax = 10;

async function judgeAgain(database: Database, subject: Subject): Promise<Mismatch[]> {
  for (let tries = 1; ; tries += 1) {
    try {
      const corrected = await database.rehearse((tx) => judgeAtOneMoment(tx, subject));
      if (corrected !== null) return corrected;
    } catch (error) {
      if (tries >= triesMax || !(isTransient(error) || isUniqueViolation(error))) throw error;
    }
    // Waits for whoever is at work on one of the providers.
    await database.transaction((tx) => lockAll(tx, subject));
  }
}

/**
 * All of it is read as it stood at one moment: what arrives between the two runs would look like a fault that the second
 * corrects. So nothing is waited for in here, because whoever is waited for leaves something behind that is not seen; `null`
 * where there is somebody.
 */
async function judgeAtOneMoment(tx: Transaction, subject: Subject): Promise<Mismatch[] | null> {
  await tx.query("set transaction isolation level repeatable read");
  const free = await lockFreeProviders(tx, subject);
  if (free.length < subject.providers.length) return null;
  // What has come since the last run is worked out first: it is no fault that nobody has looked at it yet.
  await reconcileAllInside(tx, subject);
  const since = await betweenRuns(tx);
  await reconcileAllInside(tx, { ...subject, full: true });
  return listCorrected(tx, { ...subject, since });
}

async function lockAll(tx: Transaction, { accountId, providers }: Subject): Promise<void> {
  for (const provider of providers) await lockProvider(tx, { accountId, provider });
}
