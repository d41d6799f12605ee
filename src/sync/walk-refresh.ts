import { idsPerRequestMax } from "../upstream/transactions.ts";
import { listOpenDue } from "../store/transactions/open-transactions.ts";
import { listToldOf } from "../store/windows/upstream-events.ts";
import { sealWindow } from "../store/windows/sync-windows.ts";
import { releaseWindow } from "../store/windows/window-leases.ts";
import { fetchByIds } from "./fetch-by-ids.ts";
import { keepPage } from "./keep-page.ts";
import type { Walk, WalkEnd } from "./walk.ts";

/**
 * Asks again by id: for the open transactions that are due, or for those that the aggregator has told of. The position in the list of ids is stored like a cursor; the
 * window ends where that list ends.
 */
export async function walkRefresh(walk: Walk): Promise<WalkEnd> {
  const { deps, account, lease, signal, leased } = walk;
  const list = lease.kind === "event" ? listToldOf : listOpenDue;
  let after = lease.cursor ?? "";
  let pace = { crowded: false, waitMs: 0 };
  for (;;) {
    const ids = await list(deps.database, lease, { after, limit: idsPerRequestMax });
    if (ids.length === 0) break;
    const cursor = after === "" ? null : after;
    if (signal.aborted || pace.crowded || pace.waitMs > lease.leaseMs) {
      // Without its place in the list, a window that may ask only once in a while would ask for the same ids for ever.
      if (cursor !== lease.cursor)
        await keepPage(deps, lease, { records: [], rejections: [], nextCursor: cursor }, cursor);
      await releaseWindow(deps.database, lease);
      return "released";
    }
    if (pace.waitMs > 0) await deps.sleep(pace.waitMs, leased);
    for await (const page of fetchByIds(account, ids, leased)) {
      pace = await keepPage(deps, lease, { ...page, nextCursor: cursor }, cursor);
    }
    after = ids.at(-1) ?? after;
  }
  await sealWindow(deps.database, lease, "ids");
  return "sealed";
}
