import { type ClassSum, sumClasses } from "../store/books/summary.ts";
import { readClock } from "../store/clock-time.ts";
import type { Database } from "../store/database.ts";
import { unhurried } from "../store/large-statements.ts";

/**
 * How much is matched, pending, discrepant and excluded: as at an instant, by what was known at another. Without either it is
 * asked of now; with a `knownAt` alone, as at that time.
 */
export async function summariseAccount(
  database: Database,
  accountId: number,
  asked: { provider: string | null; asAt?: string | null; knownAt?: string | null },
): Promise<ClassSum[]> {
  const { provider } = asked;
  const knownAt = asked.knownAt ?? null;
  const asAt = asked.asAt ?? knownAt ?? (await readClock(database));
  return unhurried(database, (tx) =>
    sumClasses(tx, { accountId, provider, asAt, knownAt: knownAt ?? "infinity" }),
  );
}
