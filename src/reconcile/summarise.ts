import type { Database, Queryable } from "../store/database.ts";
import { listProviders, prepareSession } from "../store/books/runs.ts";
import { type ClassSum, sumClasses, sumClassesThen } from "../store/books/summary.ts";
import { readClock } from "../store/clock-time.ts";
import { safeUntil } from "../store/transactions/transaction-reads.ts";

/** How much is matched, pending, discrepant and excluded now, as the last runs have left it. */
export async function summariseAccount(
  database: Database,
  accountId: number,
  provider: string | null,
): Promise<ClassSum[]> {
  return database.transaction(async (tx) => {
    await prepareSession(tx);
    const providers = provider === null ? await listProviders(tx, accountId) : [provider];
    const asAt = await readClock(tx);
    const sums: ClassSum[] = [];
    for (const each of providers) sums.push(...(await sumClasses(tx, accountId, each, asAt)));
    return sums;
  });
}

/** The same as at an instant, as known at another; each of them now, when it is not given. */
export async function summariseAccountThen(
  database: Database,
  accountId: number,
  moment: { provider: string | null; asAt: string | null; knownAt: string | null },
): Promise<ClassSum[]> {
  return database.transaction(async (tx) => {
    await prepareSession(tx);
    const asAt = moment.asAt ?? (await readClock(tx));
    const knownAt = moment.knownAt ?? (await knownNow(tx));
    return sumClassesThen(tx, { accountId, provider: moment.provider, asAt, knownAt });
  });
}

/** What is stored is stamped before it is committed: only what is older than every running write is certain to be seen. */
export function knownNow(database: Queryable): Promise<string> {
  return safeUntil(database);
}
