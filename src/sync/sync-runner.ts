import { listOverdueAccounts, walkersWanted } from "../store/windows/sync-duties.ts";
import { ensureMonths } from "../store/transactions/months.ts";
import type { Upstream } from "../upstream/client.ts";
import type { SyncAccount, SyncDeps } from "./deps.ts";
import { compareClocks } from "./compare-clocks.ts";
import { planAccount, planNightlyRead } from "./plan-account.ts";
import { refreshCatalogue } from "./refresh-catalogue.ts";
import { sampleQuotes } from "./sample-quotes.ts";
import { workAccount } from "./work-account.ts";

export type RunnerAccount = SyncAccount & {
  upstream: Pick<
    Upstream,
    "fetchSupported" | "fetchPaymentTypes" | "fetchProviders" | "fetchBuyQuotes" | "fetchSellQuotes"
  >;
};

/** Reads all accounts when woken up: by the queue, or by the watchdog if the queue fails. */
export function createSyncRunner(deps: SyncDeps, accounts: readonly RunnerAccount[]) {
  const byId = new Map(accounts.map((account) => [account.id, account]));
  let rescuing: Promise<unknown> | null = null;
  /** Accounts with new records that have not been announced yet. */
  const unannounced = new Set<number>();
  const observed: SyncDeps = {
    ...deps,
    observe: (page) => {
      if (page.counts.added > 0) unannounced.add(page.accountId);
      deps.observe?.(page);
    },
  };

  async function walk(accountId: number, stopping: AbortSignal): Promise<boolean> {
    const account = byId.get(accountId);
    if (!account) return false; // no longer configured; its windows wait in case it comes back
    for (;;) {
      await workAccount(observed, account, stopping);
      // A backfill uses up the plan faster than the clock extends it.
      if (stopping.aborted || (await planAccount(deps, accountId, { reread: false })) === 0)
        return unannounced.delete(accountId);
    }
  }

  /** One account's failure does not stop the others. */
  async function eachAccount(event: string, work: (account: RunnerAccount) => Promise<void>): Promise<void> {
    const results = await Promise.allSettled(accounts.map(work));
    for (const [index, result] of results.entries()) {
      if (result.status === "rejected") {
        deps.log.warn({ event, account: accounts[index]?.name, err: result.reason as unknown });
      }
    }
  }

  return {
    walk,
    async plan(): Promise<{ accountId: number; walkers: number }[]> {
      if ((await ensureMonths(deps.database)) === "busy") deps.log.warn({ event: "months_busy" });
      await eachAccount("plan_failed", async (account) => {
        await compareClocks(deps, account);
        await planAccount(deps, account.id);
      });
      return walkersWanted(deps.database, {
        accounts: accounts.map(({ id, credentials }) => ({
          id,
          credentials: credentials?.fingerprint ?? "",
        })),
        requestsMax: deps.settings.requestsMax,
      });
    },
    async refreshCatalogues(): Promise<void> {
      await eachAccount("catalogue_failed", async (account) => {
        const counts = await refreshCatalogue(deps, account);
        deps.log.info({ event: "catalogue_read", account: account.name, ...counts });
      });
    },
    async planDeepReads(): Promise<void> {
      await eachAccount("deep_read_failed", async ({ id }) => planNightlyRead(deps, id));
    },
    async sampleQuotes(options: Parameters<typeof sampleQuotes>[2]): Promise<void> {
      await eachAccount("quotes_failed", async (account) => {
        const counts = await sampleQuotes(deps, account, options);
        if (counts.asked + counts.failed > 0)
          deps.log.info({ event: "quotes_sampled", account: account.name, ...counts });
      });
    },
    /** Does right away, without the queue, what should have been planned or walked two intervals ago. */
    async rescue(stopping: AbortSignal): Promise<void> {
      if (rescuing) return;
      const overdue = await listOverdueAccounts(deps.database, 2 * deps.settings.intervalMs);
      const ours = overdue.filter((id) => byId.has(id));
      if (ours.length === 0) return;
      deps.log.warn({ event: "sync_overdue", accounts: ours.length });
      rescuing = Promise.allSettled(
        ours.map(async (id) => {
          const account = byId.get(id);
          // Planning needs the aggregator's clock: it may be behind, and may not have been checked yet.
          if (account) await compareClocks(deps, account, stopping);
          await planAccount(deps, id);
          await Promise.all(Array.from({ length: deps.settings.requestsMax }, () => walk(id, stopping)));
        }),
      ).finally(() => (rescuing = null));
    },
    /** Waits for what `rescue` has started; call it after the signal to stop. */
    settle: async (): Promise<void> => {
      await rescuing;
    },
  };
}
