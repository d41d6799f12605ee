import type { Database, Queryable } from "../database.ts";
import { isDeadlock, isUniqueViolation } from "../sql-errors.ts";
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
  /** The newest erasure that was known when the page was made ready; none when left out. */
  erasures?: number;
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
  /** Wait this long before the next request: someone met trouble, or was told to wait. */
  waitMs: number;
  /** More leases are out than the aggregator bears by now, or a person has paused the account: give this one back. */
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
  const pages = [{ lease, page }];
  const [counts] = await runStatement(database, "tolerant", pages, rowsOf(pages));
  if (!counts) throw new LeaseLost(lease.windowId);
  return counts;
}

/**
 * The same for pages of several windows at once, which costs each of them less. Of a window whose lease was lost nothing
 * is written, and its place in the answer is `null`; the others are kept. Not inside a database transaction: the optimistic
 * statement fails when another worker is adding one of the records, and the tolerant one then starts anew. The same after
 * a deadlock: rows that turn out to exist are locked out of order.
 */
export async function recordPages(
  database: Database,
  pages: readonly LeasedPage[],
): Promise<(PageCounts | null)[]> {
  const rows = rowsOf(pages);
  // At the edge of two windows, or where one is read again while another is read for the first time.
  const someTwice = rows.some((row, at) => at > 0 && row.recordHash === rows[at - 1]?.recordHash);
  if (someTwice) return runStatement(database, "tolerant", pages, rows);
  try {
    return await runStatement(database, "optimistic", pages, rows);
  } catch (error) {
    if (!isUniqueViolation(error) && !isDeadlock(error)) throw error;
    return runStatement(database, "tolerant", pages, rows);
  }
}

async function runStatement(
  database: Queryable,
  form: keyof typeof recordPagesSql,
  pages: readonly LeasedPage[],
  rows: readonly SentRow[],
): Promise<(PageCounts | null)[]> {
  const rejections = pages
    .flatMap(({ lease, page }) => page.rejections.map((one) => ({ ...one, windowId: lease.windowId })))
    .toSorted((a, b) => (a.rawHash < b.rawHash ? -1 : 1));
  const recorded = await database.query<RecordedRow>(
    recordPagesSql[form],
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
      Math.min(...pages.map(({ page }) => page.erasures ?? 0)),
      ...sentColumns.map(({ of }) => rows.map(of)),
    ],
    `record_pages_${form}`,
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

/** Several copies of one record in a page are normal, and go as one. */
function rowsOf(pages: readonly LeasedPage[]): SentRow[] {
  return pages
    .flatMap(({ lease: { windowId }, page }) =>
      page.records.map(({ record, recordHash, hashVersion, receivedStatus }) => ({
        windowId,
        record,
        recordHash,
        hashVersion,
        receivedStatus,
      })),
    )
    .toSorted(inOrder)
    .filter((row, at, all) => at === 0 || inOrder(row, all[at - 1] ?? row) !== 0);
}

/**
 * One order for all workers, so that two pages with the same rows cannot wait for each other; the order of the index, so that
 * one row goes next to the other.
 */
function inOrder(a: SentRow, b: SentRow): number {
  const [ours, theirs] = [a.record.statusDate, b.record.statusDate];
  if (ours !== theirs) return ours < theirs ? -1 : 1;
  if (a.recordHash !== b.recordHash) return a.recordHash < b.recordHash ? -1 : 1;
  return a.windowId - b.windowId;
}
