import { compareInstants } from "../core/instant.ts";
import type { TransactionRecord } from "../core/transaction.ts";
import { noteDeepPage } from "../store/windows/deep-reads.ts";
import { noteQuarantinedAgain } from "../store/transactions/quarantine.ts";
import { type PageCounts, type PageToRecord, recordPage } from "../store/transactions/record-page.ts";
import type { WindowLease } from "../store/windows/window-leases.ts";
import type { SyncDeps } from "./deps.ts";
import { withoutErased } from "./erase-arrivals.ts";
import { recordAroundPoison } from "./record-around-poison.ts";
import { setAsideOverlong } from "./set-aside-overlong.ts";

type KeepDeps = Pick<SyncDeps, "database" | "recordPage" | "observe" | "erasures">;

/** Stores a page, however it was asked for, without what the database cannot hold. */
export async function keepPage(
  deps: KeepDeps,
  lease: WindowLease,
  page: PageToRecord,
  cursorBefore: string | null,
): Promise<PageCounts> {
  const storable = setAsideOverlong(page);
  const counts = await withoutErased(deps.erasures, lease.accountId, storable, (rest) =>
    recordAroundPoison(rest, cursorBefore, (safe) => recordAndNote(deps, lease, safe)),
  );
  await noteQuarantinedAgain(deps.database, lease.accountId, storable.rejections);
  const { accountId, kind } = lease;
  deps.observe?.({ accountId, kind, counts, newRecords: newestOf(page, counts.addedIds) });
  return counts;
}

/** A deep re-read also notes which transactions it saw and what was new, in the same database transaction. */
async function recordAndNote(deps: KeepDeps, lease: WindowLease, page: PageToRecord): Promise<PageCounts> {
  if (lease.kind !== "deep") return deps.recordPage(lease, page);
  return deps.database.transaction(async (tx) => {
    const counts = await recordPage(tx, lease, page);
    const metIds = page.records.map(({ record }) => record.transactionId);
    await noteDeepPage(tx, lease, { metIds, addedIds: counts.addedIds });
    return counts;
  });
}

/** The newest record of each of these transactions: a page may hold several, and old ones come with a new one. */
function newestOf(page: PageToRecord, ids: readonly string[]): TransactionRecord[] {
  if (ids.length === 0) return [];
  const wanted = new Set(ids);
  const newest = new Map<string, TransactionRecord>();
  for (const { record } of page.records) {
    const { transactionId, statusDate } = record;
    const held = newest.get(transactionId);
    if (wanted.has(transactionId) && (!held || compareInstants(statusDate, held.statusDate) > 0))
      newest.set(transactionId, record);
  }
  return [...newest.values()];
}
