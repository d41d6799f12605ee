import type { PageCounts, PageToRecord, HashedRecord } from "../store/transactions/record-page.ts";
import { isDataError } from "../store/sql-errors.ts";
import { rejectRecord } from "./page.ts";

type Keep = (page: PageToRecord) => Promise<PageCounts>;

/**
 * Stores the whole page at once. If the database refuses some value in it, the page is halved until each refused record
 * stands alone; those are quarantined and the rest is stored: one bad record stops nothing.
 */
export async function recordAroundPoison(
  page: PageToRecord,
  cursorBefore: string | null,
  keep: Keep,
): Promise<PageCounts> {
  try {
    return await keep(page);
  } catch (error) {
    if (!isDataError(error) || page.records.length === 0) throw error;
  }
  if (page.records.length === 1) {
    const rejections = page.records.map(asRejection);
    return keep({ ...page, records: [], rejections: [...page.rejections, ...rejections] });
  }
  const middle = Math.ceil(page.records.length / 2);
  // The cursor moves with the second half only: a crash in between reads the first half again, and changes nothing.
  const firstHalf = { ...page, records: page.records.slice(0, middle), nextCursor: cursorBefore };
  const first = await recordAroundPoison(firstHalf, cursorBefore, keep);
  const secondHalf = { ...page, records: page.records.slice(middle), rejections: [] };
  const second = await recordAroundPoison(secondHalf, cursorBefore, keep);
  return {
    ...second,
    read: first.read + second.read,
    added: first.added + second.added,
    moved: first.moved + second.moved,
    quarantined: first.quarantined + second.quarantined,
    addedIds: [...first.addedIds, ...second.addedIds],
  };
}

function asRejection({ record }: HashedRecord) {
  return rejectRecord({ reason: "not_storable", field: null, raw: JSON.stringify(record) });
}
