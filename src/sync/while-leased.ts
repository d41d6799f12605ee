import { LeaseLost } from "../store/transactions/record-page.ts";
import { renewLease } from "../store/windows/window-leases.ts";
import type { ClaimedWindow } from "./walk.ts";

/**
 * Renews the lease while a window is walked, and stops what takes long if the lease is lost: another worker has the window
 * by then, and asks for the same page.
 */
export async function whileLeased<T>(
  { deps, lease, signal }: ClaimedWindow,
  work: (leased: AbortSignal) => Promise<T>,
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
    // The sleep is aborted when the work is done.
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
      // The database is unreachable: the lease expires by itself, and the fence rejects late writes.
    }
  }
}
