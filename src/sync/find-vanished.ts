import { idsPerRequestMax } from "../upstream/transactions.ts";
import { listNotMet, markVanished } from "../store/windows/deep-reads.ts";
import { readingsMax } from "../store/windows/sync-windows.ts";
import { askedRange } from "./asked-range.ts";
import { fetchByIds } from "./fetch-by-ids.ts";
import { keepPage } from "./keep-page.ts";
import type { Walk } from "./walk.ts";

/**
 * The end of a deep re-read: which of our transactions were not listed? Whether the window selects by creation or by
 * status date is not shown, so a missing one proves nothing; each candidate is asked for by its id. Only what is not
 * served that way either has vanished.
 */
export async function findVanished(walk: Walk): Promise<void> {
  const { deps, account, lease, leased } = walk;
  const { from: askedFrom } = askedRange(lease);
  const vanishedIds: string[] = [];
  let after = "";
  let waitMs = 0;
  for (;;) {
    const ids = await listNotMet(deps.database, lease, { askedFrom, after, limit: idsPerRequestMax });
    if (ids.length === 0) break;
    // Waited for here, however long: given back, the whole window would be read again.
    if (waitMs > 0) await deps.sleep(waitMs, leased);
    const served = new Set<string>();
    for await (const page of fetchByIds(account, ids, leased)) {
      for (const { record } of page.records) served.add(record.transactionId);
      for (const id of page.rejectedIds) served.add(id);
      ({ waitMs } = await keepPage(deps, lease, { ...page, nextCursor: null }, null));
    }
    vanishedIds.push(...ids.filter((id) => !served.has(id)));
    after = ids.at(-1) ?? after;
  }
  const { differs } = await deps.database.transaction((tx) => markVanished(tx, lease, { vanishedIds }));
  if (differs && lease.level + 1 >= readingsMax)
    deps.log.warn({ event: "listing_unstable", account: account.name, window_id: lease.windowId });
}
