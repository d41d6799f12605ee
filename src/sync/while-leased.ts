import { LeaseLost } from "../store/transactions/record-page.ts";
import { renewLease } from "../store/windows/window-leases.ts";
import type { Walk } from "./walk.ts";

/**
 * Keeps the lease while something slow is awaited, and gives up waiting when the lease is lost: another worker has the
 * window by then, and would be asked for the same page.
 */
export async function whileLeased<T>(
  { deps, lease, signal }: Walk,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const lost = new AbortController();
  const done = new AbortController();
  void keepRenewing();
  try {
    return await work(AbortSignal.any([signal, lost.signal]));
  } catch (error) {
    if (lost.signal.aborted) throw new LeaseLost(lease.windowId);
    throw error;
  } finally {
    done.abort();
  }

  async function keepRenewing(): Promise<void> {
    // The sleep is called off when the work is done.
    await deps.sleep(lease.leaseMs / 4, done.signal).catch(() => undefined);
    while (!done.signal.aborted) {
      await renewOrAbort();
      await deps.sleep(lease.leaseMs / 4, done.signal).catch(() => undefined);
    }
  }

  async function renewOrAbort(): Promise<void> {
    try {
      if (!(await renewLease(deps.database, lease))) lost.abort();
    } catch {
      // The database is away: the lease runs out by itself, and the fence refuses what comes late.
    }
  }
}
