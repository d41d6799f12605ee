import { z } from "@hono/zod-openapi";
import type { Keyset, Page, PageWanted } from "../store/keyset.ts";
import { type CursorList, readCursor, writeCursor } from "./cursor.ts";
import type { Caller } from "../access/caller.ts";
import { type Api, type ApiContext, readerFor } from "./deps.ts";
import { dataAsOf } from "../store/accounts/account-reads.ts";
import { time } from "./object.ts";
import { limitDefault, listParameters } from "./parameters.ts";
import { isoTime } from "./present.ts";
import { addRoute, type Route, type RouteInput } from "./route.ts";
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

type NoParams = z.ZodObject<{}>;
type ListQuery<Filters extends z.ZodRawShape> = z.ZodObject<typeof listParameters & Filters>;

/** A list as it is documented: of which objects, and what may be asked beside the limit and the cursor. */
interface ListRoute<Filters extends z.ZodRawShape, Params extends z.ZodObject> extends Pick<
  Route<Params, ListQuery<Filters>, z.ZodUndefined>,
  "path" | "operationId" | "summary" | "description" | "tag" | "access" | "params" | "fromPrimary" | "errors"
> {
  filters?: Filters;
  /** In the document. */
  name: string;
  of: Described;
  /** What a page is called. */
  page: string;
  /** Of the example, where the path has parameters. */
  exampleUrl?: string;
}

/** How a list is read, page by page, and what each row becomes: an object, or its JSON text. */
interface ListReading<Row> {
  paging: Paging<Row>;
  read: (page: PageWanted) => Promise<Page<Row>>;
  present: (row: Row) => object | string;
}

/** Mounts a list: every one is paged, documented and answered in the same way. */
export function addList<Row, Filters extends z.ZodRawShape = {}, Params extends z.ZodObject = NoParams>(
  api: Api,
  { filters, name, of, page, exampleUrl, ...route }: ListRoute<Filters, Params>,
  reading: (
    input: RouteInput<Params, ListQuery<Filters>, z.ZodUndefined>,
  ) => ListReading<Row> | Promise<ListReading<Row>>,
): void {
  addRoute(
    api,
    {
      ...route,
      method: "get",
      query: z.strictObject({ ...listParameters, ...filters }) as unknown as ListQuery<Filters>,
      response: listResponse(name, of, { url: exampleUrl ?? route.path, description: page }),
      errors: [...(route.errors ?? []), "cursor_mismatch"],
    },
    async (input) => {
      const { c, caller } = input;
      const { paging, read, present } = await reading(input);
      const list = cursorList(c, paging.keyset, "default");
      const { rows, hasMore, nextCursor } = await turnPage(
        list,
        input.query as ListRequest,
        paging.positionOf,
        read,
      );
      const head = { hasMore, nextCursor, dataAsOf: await freshnessFor(api, caller) };
      return sendListText(c, listText(c.req.path, head, rows.map(present)));
    },
  );
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

/** Objects may come as text: some of their numbers have more digits than a double. */
export function listText(path: string, head: ListHead, objects: readonly (object | string)[]): string {
  const { hasMore, nextCursor, dataAsOf: asOf, more = "" } = head;
  const members = JSON.stringify({
    object: "list",
    url: path,
    has_more: hasMore,
    next_cursor: nextCursor,
    data_as_of: asOf,
  });
  const texts = objects.map((object) => (typeof object === "string" ? object : JSON.stringify(object)));
  return `${members.slice(0, -1)}${more},"data":[${texts.join(",")}]}`;
}

/** A list that has one page. */
export function sendWhole(c: ApiContext, objects: readonly object[], asOf: string | null = null): Response {
  return sendListText(c, listText(c.req.path, { hasMore: false, nextCursor: null, dataAsOf: asOf }, objects));
}

interface Described {
  schema: z.ZodType;
  example: unknown;
}

/** How an answer with a list is documented. `more`: further members of the list itself, with an example of them. */
export function listResponse(
  name: string,
  of: Described,
  { url, description }: { url: string; description: string },
  more: { members: z.ZodRawShape; example: object } = { members: {}, example: {} },
) {
  const schema = z
    .strictObject({
      object: z.literal("list"),
      url: z.string(),
      has_more: z.boolean(),
      next_cursor: z.string().nullable().describe("For the next page, as `cursor`."),
      data_as_of: time.nullable().describe("All accounts of the key have been read up to then."),
      ...more.members,
      data: z.array(of.schema),
    })
    .openapi(name);
  const example = {
    object: "list",
    url,
    has_more: false,
    next_cursor: null,
    data_as_of: "2026-11-14T10:00:00.000Z",
    data: [of.example],
    ...more.example,
  };
  return { description, schema, example };
}
