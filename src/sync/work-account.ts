import { LeaseLost } from "../store/transactions/record-page.ts";
import { claimWindow, releaseWindow } from "../store/windows/window-leases.ts";
import { freshenStatistics, syncedTables } from "../store/statistics.ts";
import { UpstreamError } from "../upstream/errors.ts";
import type { SyncAccount, SyncDeps } from "./deps.ts";
import { settleFailure } from "./settle-failure.ts";
import type { ClaimedWindow } from "./walk.ts";
import { walkRefresh } from "./walk-refresh.ts";
import { walkWindow } from "./walk-window.ts";
import { whileLeased } from "./while-leased.ts";
import { WindowError } from "./window-error.ts";

/** Claims and walks windows of one account until there is none to claim. Returns how many it walked. */
export async function workAccount(
  deps: SyncDeps,
  account: SyncAccount,
  signal: AbortSignal,
  onWalked: () => void = () => undefined,
): Promise<number> {
  const { leaseMs, requestsMax } = deps.settings;
  const claim = { accountId: account.id, worker: deps.worker, leaseMs, requestsMax };
  for (let walked = 0; ; walked++) {
    if (signal.aborted) return walked;
    await deps.failpoint("claim.before");
    // They may have been replaced since the last window: refused, they must keep us away as well.
    const credentials = account.credentials?.fingerprint ?? "";
    const lease = await deps.database.transaction((tx) => claimWindow(tx, { ...claim, credentials }));
    if (!lease) return walked;
    await deps.failpoint("claim.after");
    await walkOrExplain({ deps, account, lease, signal });
    await freshenStatistics(deps.database, syncedTables);
    await deps.failpoint("ack.before");
    onWalked();
  }
}

/** Some windows are lists of transactions, and no range of time. */
function isByIds({ kind }: ClaimedWindow["lease"]): boolean {
  return kind === "refresh" || kind === "event";
}

function isRefusal(error: unknown): boolean {
  return error instanceof UpstreamError && (error.code === "unauthorized" || error.code === "forbidden");
}

/** However a walk ends, the window's state says what happened and when to continue. */
async function walkOrExplain(claimed: ClaimedWindow): Promise<void> {
  const { deps, account, lease } = claimed;
  try {
    await walkOrSettle(claimed);
  } catch (error) {
    // Also if the walk failed and the failure could not be noted: another worker has the window.
    if (!(error instanceof LeaseLost)) throw error;
    deps.log.warn({ event: "lease_lost", account: account.name, window_id: lease.windowId });
  }
}

async function walkOrSettle(claimed: ClaimedWindow): Promise<void> {
  const { deps, account, lease, signal } = claimed;
  const walk = isByIds(lease) ? walkRefresh : walkWindow;
  const asked = account.credentials;
  try {
    const end = await whileLeased(claimed, (leased) => walk({ ...claimed, leased }));
    deps.log.debug({
      event: "window_left",
      account: account.name,
      window_id: lease.windowId,
      kind: lease.kind,
      end,
    });
  } catch (error) {
    if (error instanceof LeaseLost) throw error;
    // A secret may be replaced while an answer is on its way: the refusal of the old one says nothing of the new one.
    const isOfOldSecret = isRefusal(error) && account.credentials !== asked;
    if (signal.aborted || isOfOldSecret) return releaseWindow(deps.database, lease);
    if (error instanceof UpstreamError || error instanceof WindowError) return settleFailure(claimed, error);
    // The database failed, or we did: nothing can be noted now. The lease expires, and another worker continues.
    throw error;
  }
}
