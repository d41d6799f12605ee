import { noteDeepPage } from "../store/deep-reads.ts";
import { type PageCounts, type PageToRecord, recordPage } from "../store/record-page.ts";
import type { WindowLease } from "../store/window-leases.ts";
import type { SyncDeps } from "./deps.ts";
import { recordAroundPoison } from "./record-around-poison.ts";

/** Keeps a page, whatever way it was asked for, without what the database cannot hold. */
export async function keepPage(
  deps: Pick<SyncDeps, "database">,
  lease: WindowLease,
  page: PageToRecord,
  cursorBefore: string | null,
): Promise<PageCounts> {
  return recordAroundPoison(page, cursorBefore, (safe) => recordAndNote(deps, lease, safe));
}

/** A deep re-read also notes whom it met and what was new, in the same database transaction. */
async function recordAndNote(
  deps: Pick<SyncDeps, "database">,
  lease: WindowLease,
  page: PageToRecord,
): Promise<PageCounts> {
  if (lease.kind !== "deep") return recordPage(deps.database, lease, page);
  return deps.database.transaction(async (tx) => {
    const counts = await recordPage(tx, lease, page);
    const metIds = page.records.map(({ record }) => record.transactionId);
    await noteDeepPage(tx, lease, { metIds, addedIds: counts.addedIds });
    return counts;
  });
}
