import type { Blemishes } from "../ledger/blemishes.ts";
import { compareRows, type StatusRow } from "../ledger/history.ts";
import type { LedgerView } from "../ledger/ledger.ts";
import type { CursorState } from "./cursor.ts";
import type { Dialect } from "./dialect.ts";
import type { ListQuery } from "./query.ts";

/** A row and the bucket it was found in: together they are a position in the listing. */
export interface ListedRow {
  readonly row: StatusRow;
  readonly bucket: number;
}

export interface Listing {
  readonly view: LedgerView;
  readonly blemishes: Blemishes;
  readonly dialect: Dialect;
  readonly query: ListQuery;
}

/** The next rows of the listing after a position, at most so many. The cost depends on their number alone. */
export function listRows(listing: Listing, after: CursorState | null, countMax: number): ListedRow[] {
  if (countMax <= 0 || after?.ended === true) return [];
  return listing.query.transactionIds === null
    ? walkBuckets(listing, after, countMax)
    : listByIds(listing, listing.query.transactionIds, after, countMax);
}

function walkBuckets(listing: Listing, after: CursorState | null, countMax: number): ListedRow[] {
  const { view, dialect, query } = listing;
  const descending = dialect.order === "descending";
  let { first: from, last: to } = view.bucketsOf(query);
  if (after !== null && descending) to = Math.min(to, after.bucket);
  if (after !== null && !descending) from = Math.max(from, after.bucket);

  const found: ListedRow[] = [];
  const direction = descending ? -1 : 1;
  const next = (bucket: number) => view.bucketFrom(dialect.window, bucket, direction);
  for (
    let bucket = next(descending ? to : from);
    bucket >= from && bucket <= to;
    bucket = next(bucket + direction)
  ) {
    const rows = view.rowsOf(dialect.window, bucket);
    if (descending) rows.reverse();
    for (const row of rows) {
      if (after !== null && bucket === after.bucket && !isBeyond(row, after, descending)) continue;
      if (!isSelected(listing, row)) continue;
      found.push({ row, bucket });
      if (found.length === countMax) return found;
    }
  }
  return found;
}

function listByIds(
  listing: Listing,
  ids: readonly string[],
  after: CursorState | null,
  countMax: number,
): ListedRow[] {
  const descending = listing.dialect.order === "descending";
  const rows = ids.flatMap((id) => listing.view.rowsOfId(id)).filter((row) => isSelected(listing, row));
  rows.sort(descending ? (a, b) => compareRows(b, a) : compareRows);
  return rows
    .filter((row) => after === null || isBeyond(row, after, descending))
    .slice(0, countMax)
    .map((row) => ({ row, bucket: 0 }));
}

/** By the order of `compareRows`; two rows of one transaction never share both their date and their rank. */
function isBeyond(row: StatusRow, after: CursorState, descending: boolean): boolean {
  const order =
    row.dateMs - after.dateMs ||
    (row.transactionId === after.transactionId
      ? row.rank - after.rank
      : row.transactionId < after.transactionId
        ? -1
        : 1);
  return descending ? order < 0 : order > 0;
}

function isSelected({ view, blemishes, dialect, query }: Listing, row: StatusRow): boolean {
  const ms = dialect.window === "creation" ? view.createdMs(row) : row.dateMs;
  if (query.fromMs !== null && ms < query.fromMs) return false;
  if (query.toMs !== null && ms >= query.toMs) return false;
  if (!blemishes.isVisible(row, view.nowMs)) return false;
  return dialect.rows === "all" || isLatest(view, blemishes, row);
}

function isLatest(view: LedgerView, blemishes: Blemishes, row: StatusRow): boolean {
  return !view
    .rowsOfId(row.transactionId)
    .some((other) => compareRows(other, row) > 0 && blemishes.isVisible(other, view.nowMs));
}
