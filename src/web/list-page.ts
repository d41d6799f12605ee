import { type Paging, turnPage } from "../api/list.ts";
import type { Page, PageWanted } from "../store/keyset.ts";

interface ListWanted {
  path: string;
  /** What was chosen, and the cursor. */
  address: URLSearchParams;
  limit: number;
  sort?: string;
  /** What changes how the rows are shown, and not which they are: a cursor holds whatever these say. */
  look?: readonly string[];
}

export interface ListPage<Row> {
  rows: Row[];
  hasMore: boolean;
  pager: { path: string; query: URLSearchParams; nextCursor: string | null };
}

/**
 * One page of a screen's list, and what its pager needs. A cursor holds for the filters it was made with, and so it is
 * made with the very address that the link to the next page has: a form sends its empty fields, and that link does not.
 */
export async function listPage<Row>(
  { path, address, limit, sort = "default", look = [] }: ListWanted,
  { keyset, positionOf }: Paging<Row>,
  read: (page: PageWanted) => Promise<Page<Row>>,
): Promise<ListPage<Row>> {
  const chosen = [...new Set(address.keys())].filter((name) => !look.includes(name));
  const query = Object.fromEntries(chosen.map((name) => [name, address.getAll(name)]));
  const request = { limit, cursor: address.get("cursor") ?? undefined };
  const { rows, hasMore, nextCursor } = await turnPage(
    { path, query, sort, keyset },
    request,
    positionOf,
    read,
  );
  return { rows, hasMore, pager: { path, query: address, nextCursor } };
}
