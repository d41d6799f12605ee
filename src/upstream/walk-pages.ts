import { formatInstant, type Instant, parseInstant } from "../core/instant.ts";
import { UpstreamError } from "./errors.ts";
import type { CallOptions } from "./http.ts";
import { normaliseRecord, type RecordOutcome } from "./normalise.ts";
import type { PageQuery, TransactionPage } from "./transactions.ts";

export interface TransactionFilter {
  /** A `Date`, or a text such as `2026-11-15T09:30:00Z`. */
  readonly from?: Date | string;
  readonly to?: Date | string;
  /** At most 50. */
  readonly ids?: readonly string[];
}

type FetchPage = (asked: PageQuery, call?: CallOptions) => Promise<TransactionPage>;

/** Every record from the first page to the last. One that cannot be read comes as a rejection: the rest still comes. */
export async function* walkPages(
  fetchPage: FetchPage,
  filter: TransactionFilter = {},
  call?: CallOptions,
): AsyncGenerator<RecordOutcome, void, undefined> {
  const { ids } = filter;
  const query: PageQuery = {
    ...(filter.from === undefined ? {} : { from: readTime("from", filter.from) }),
    ...(filter.to === undefined ? {} : { to: readTime("to", filter.to) }),
    ...(ids === undefined ? {} : { ids }),
  };
  const seen = new Set<string>();
  let cursor: string | null = null;
  do {
    const page: TransactionPage = await fetchPage({ ...query, cursor }, call);
    yield* page.rawRecords.map(normaliseRecord);
    const next: string | null = page.nextCursor;
    // Some servers end with an empty page that gives back the cursor it was asked with.
    if (next === cursor && page.rawRecords.length === 0) return;
    if (next !== null && seen.has(next)) {
      throw new UpstreamError("body_unexpected", "a cursor leads back to a page already read", {
        endpoint: "GET /transactions",
        field: "cursor",
      });
    }
    if (next !== null) seen.add(next);
    cursor = next;
  } while (cursor !== null);
}

function readTime(name: string, time: Date | string): Instant {
  const read = typeof time === "string" ? parseInstant(time) : formatInstant(time.getTime());
  if (read === null) throw new RangeError(`${name}: not a time with its zone, such as 2026-11-15T09:30:00Z`);
  return read;
}
