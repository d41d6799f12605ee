import { z } from "@hono/zod-openapi";
import type { Keyset, Page, PageWanted } from "../store/keyset.ts";
import { type CursorList, readCursor, writeCursor } from "./cursor.ts";
import type { Caller } from "../access/caller.ts";
import { type Api, type ApiContext, readerFor } from "./deps.ts";
import { dataAsOf } from "../store/accounts/account-reads.ts";
import { limitDefault } from "./parameters.ts";
import { isoTime } from "./present.ts";
import { sendListText } from "./send.ts";

/** One way to page through a list. */
export interface Paging<Row> {
  keyset: Keyset<unknown>;
  positionOf: (row: Row) => readonly string[];
}

interface ListRequest {
  limit?: number | undefined;
  cursor?: string | undefined;
}

/** Reads the cursor of a request, asks for the page, and sends it. `present` makes the JSON text of one object. */
export async function answerList<Row>(
  api: Api,
  input: { c: ApiContext; caller: Caller; query: ListRequest },
  paging: Paging<Row>,
  read: (page: PageWanted) => Promise<Page<Row>>,
  present: (row: Row) => string,
): Promise<Response> {
  const { c, caller, query } = input;
  const list = cursorList(c, paging.keyset, "default");
  const { rows, hasMore, nextCursor } = await turnPage(list, query, paging.positionOf, read);
  const head = { hasMore, nextCursor, dataAsOf: await freshnessFor(api, caller) };
  return sendListText(c, listText(c.req.path, head, rows.map(present)));
}

/** The page that a cursor leads to, and the cursor of the one after it. */
export async function turnPage<Row>(
  list: CursorList,
  request: ListRequest,
  positionOf: Paging<Row>["positionOf"],
  read: (page: PageWanted) => Promise<Page<Row>>,
): Promise<Page<Row> & { nextCursor: string | null }> {
  const page = await read(wantedPage(list, request));
  const last = page.rows.at(-1);
  const nextCursor = page.hasMore && last !== undefined ? writeCursor(list, positionOf(last)) : null;
  return { ...page, nextCursor };
}

export function cursorList(c: ApiContext, keyset: Keyset<unknown>, sort: string): CursorList {
  return { path: c.req.path, query: c.req.queries(), sort, keyset };
}

export function wantedPage(list: CursorList, { limit, cursor }: ListRequest): PageWanted {
  return { limit: limit ?? limitDefault, after: cursor === undefined ? null : readCursor(list, cursor) };
}

/** Asked for with every list, and the same for a second. */
export async function freshnessFor(api: Api, caller: Caller): Promise<string | null> {
  const reader = readerFor(api, caller);
  const subject = reader.accountIds === null ? "all" : reader.accountIds.join(",");
  return isoTime(await api.freshness.get(subject, () => dataAsOf(reader)));
}

interface ListHead {
  hasMore: boolean;
  nextCursor: string | null;
  dataAsOf: string | null;
  /** Further members, as JSON text that begins with a comma. */
  more?: string;
}

/** Objects come as text: some of their numbers have more digits than a double. */
export function listText(path: string, head: ListHead, objects: readonly string[]): string {
  const { hasMore, nextCursor, dataAsOf: asOf, more = "" } = head;
  const members = JSON.stringify({
    object: "list",
    url: path,
    has_more: hasMore,
    next_cursor: nextCursor,
    data_as_of: asOf,
  });
  return `${members.slice(0, -1)}${more},"data":[${objects.join(",")}]}`;
}

/** `more`: further members of the list itself. */
export function listOf<T extends z.ZodType, More extends z.ZodRawShape = {}>(
  name: string,
  item: T,
  more = {} as More,
) {
  return z
    .strictObject({
      object: z.literal("list"),
      url: z.string(),
      has_more: z.boolean(),
      next_cursor: z.string().nullable().openapi({ description: "For the next page, as `cursor`." }),
      data_as_of: time
        .nullable()
        .openapi({ description: "Up to then all accounts of the key have been read." }),
      ...more,
      data: z.array(item),
    })
    .openapi(name);
}

export const time = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  .openapi({ format: "date-time", example: "2026-11-14T10:00:00.000Z" });

export function listExample(path: string, item: unknown): object {
  return {
    object: "list",
    url: path,
    has_more: false,
    next_cursor: null,
    data_as_of: "2026-11-14T10:00:00.000Z",
    data: [item],
  };
}
