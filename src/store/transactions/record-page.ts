import type { Queryable } from "../database.ts";
import type { WindowLease } from "../windows/window-leases.ts";
import { recordPagesSql } from "./record-pages-sql.ts";
import { sentColumns, type SentRow } from "./sent-columns.ts";

/** A record with its identity, ready to be kept. */
export type HashedRecord = Omit<SentRow, "windowId">;

export interface RejectedRecord {
  reason: string;
  field: string | null;
  raw: string;
  /** Hex SHA-256 of `raw`. */
  rawHash: string;
}

export interface PageToRecord {
  records: readonly HashedRecord[];
  rejections: readonly RejectedRecord[];
  /** Where the walk goes on; `null` at the end. */
  nextCursor: string | null;
}

export interface PageCounts {
  read: number;
  /** Status rows that were new. */
  added: number;
  /** Transactions whose latest row this page had to change. */
  moved: number;
  quarantined: number;
  /** The transactions that the new status rows belong to; not of a backfill, where nobody asks. */
  addedIds: string[];
  /** Wait this long before the next request: somebody met trouble, or was told to wait. */
  waitMs: number;
  /** More leases are out than the aggregator bears by now: give this one back. */
  crowded: boolean;
}

/** The lease was lost to another worker: nothing was written, and this worker has to stop. */
export class LeaseLost extends Error {
  constructor(windowId: number) {
    super(`window ${windowId}: the lease was lost; nothing was written`);
    this.name = "LeaseLost";
  }
}

/** A page and the right to keep it. */
export interface LeasedPage {
  lease: WindowLease;
  page: PageToRecord;
}

/**
 * Writes a page and the cursor after it: one statement, one round trip, one database transaction. A crash leaves all of
 * it or none; a worker whose lease was taken over writes nothing; a page read twice changes no row.
 */
export async function recordPage(
  database: Queryable,
  lease: WindowLease,
  page: PageToRecord,
): Promise<PageCounts> {
  const [counts] = await recordPages(database, [{ lease, page }]);
  if (!counts) throw new LeaseLost(lease.windowId);
  return counts;
}

/**
 * The same for pages of several windows at once, which costs each of them less. Of a window whose lease was lost nothing
 * is written, and its place in the answer is `null`; the others are kept.
 */
export async function recordPages(
  database: Queryable,
  pages: readonly LeasedPage[],
): Promise<(PageCounts | null)[]> {
  const rejections = pages
    .flatMap(({ lease, page }) => page.rejections.map((one) => ({ ...one, windowId: lease.windowId })))
    .toSorted(inOrderOf(({ rawHash }) => rawHash));
  const rows = rowsOf(pages);
  const recorded = await database.query<RecordedRow>(
    recordPagesSql,
    [
      pages.map(({ lease }) => lease.windowId),
      pages.map(({ lease }) => lease.fence),
      pages.map(({ lease }) => lease.leaseMs),
      pages.map(({ page }) => page.nextCursor),
      pages.map(({ page }) => page.records.length + page.rejections.length),
      pages.map(({ lease }) => lease.requestsMax),
      rejections.map(({ rawHash }) => `\\x${rawHash}`),
      rejections.map(({ raw }) => raw),
      rejections.map(({ reason }) => reason),
      rejections.map(({ field }) => field),
      rejections.map(({ windowId }) => windowId),
      ...sentColumns.map(({ of }) => rows.map(of)),
    ],
    "record_pages",
  );
  const kept = new Map(recorded.map((row) => [row.window_id, row]));
  return pages.map(({ lease, page }) => countsOf(page, kept.get(lease.windowId)));
}

interface RecordedRow {
  window_id: number;
  added: number;
  added_ids: string[];
  moved: number;
  wait_ms: number;
  crowded: boolean;
}

function countsOf(page: PageToRecord, row: RecordedRow | undefined): PageCounts | null {
  if (!row) return null;
  return {
    read: page.records.length + page.rejections.length,
    added: row.added,
    moved: row.moved,
    quarantined: page.rejections.length,
    addedIds: row.added_ids,
    waitMs: row.wait_ms,
    crowded: row.crowded,
  };
}

/** One order for all workers, so that two pages with the same rows cannot wait for each other. */
function inOrderOf<T>(keyOf: (one: T) => string): (a: T, b: T) => number {
  return (a, b) => (keyOf(a) < keyOf(b) ? -1 : 1);
}

/** Several copies of one record in a page are normal, and go as one. */
function rowsOf(pages: readonly LeasedPage[]): SentRow[] {
  const rows = new Map<string, SentRow>();
  for (const { lease, page } of pages) {
    for (const one of page.records)
      rows.set(`${one.record.transactionId}\n${one.recordHash}\n${lease.windowId}`, {
        ...one,
        windowId: lease.windowId,
      });
  }
  return [...rows.entries()].toSorted(inOrderOf(([identity]) => identity)).map(([, row]) => row);
}
