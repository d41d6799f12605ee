import type { Database } from "../store/database.ts";
import { refreshDailyTotals } from "../store/transactions/daily-totals.ts";
import { reconcileAccount } from "./reconcile.ts";

export interface RunnerDeps {
  database: Database;
  log: { info(fields: object): void };
  now: () => number;
}

/** Runs that are woken up by the queue after a sync, or by the import of a statement. */
export function createReconcileRunner(
  deps: RunnerDeps,
  accounts: readonly { id: number; name: string }[],
): { accountIds(): readonly number[]; run(accountId: number, stopping: AbortSignal): Promise<void> } {
  const running = new Set<number>();
  const names = new Map(accounts.map(({ id, name }) => [id, name]));
  return {
    accountIds: () => [...names.keys()],
    async run(accountId, stopping) {
      // Wake-ups come faster than a large run ends; whatever they stand for, the next one sees as well.
      if (running.has(accountId)) return;
      running.add(accountId);
      const begun = deps.now();
      try {
        const results = await reconcileAccount(deps.database, accountId, { stopping });
        const changed = results.filter(({ counts }) => Object.values(counts).some((count) => count > 0));
        for (const { provider, kind, counts } of changed) {
          deps.log.info({ event: "reconciled", account: names.get(accountId), provider, kind, ...counts });
        }
        // Adds up what the page and the metrics show, so that nobody has to wait for it there.
        await refreshDailyTotals(deps.database);
        if (changed.length > 0) {
          const duration = deps.now() - begun;
          deps.log.info({
            event: "account_reconciled",
            account: names.get(accountId),
            duration_ms: duration,
          });
        }
      } finally {
        running.delete(accountId);
      }
    },
  };
}
