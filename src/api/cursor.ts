import { createHash } from "node:crypto";
import { isPosition, type Keyset } from "../store/keyset.ts";
import { problem } from "./problem.ts";

/** Where a list stands: its sort, the position of the last row, and a digest of the filters it was made with. */
const version = 1;

/** Parameters that may change from page to page. */
const free = new Set(["cursor", "limit", "expand[]", "include", "starting_after"]);

export function writeCursor(list: CursorList, position: readonly string[]): string {
  const state = [version, list.sort, digestOf(list), ...position];
  return Buffer.from(JSON.stringify(state)).toString("base64url");
}

export interface CursorList {
  /** Path and parameters, as asked. */
  path: string;
  query: Readonly<Record<string, readonly string[]>>;
  sort: string;
  keyset: Keyset<unknown>;
}

export function readCursor(list: CursorList, cursor: string): string[] {
  const [held, sort, digest, ...position] = parse(cursor);
  const isOurs = held === version && typeof sort === "string" && typeof digest === "string";
  if (!isOurs || !position.every((part) => typeof part === "string")) throw unreadable();
  if (sort !== list.sort || digest !== digestOf(list)) {
    throw problem(
      "cursor_mismatch",
      "The cursor belongs to other filters or another sort. Repeat those, or start without it.",
      {
        param: "cursor",
      },
    );
  }
  if (!isPosition(list.keyset, position)) throw unreadable();
  return position;
}

function parse(cursor: string): unknown[] {
  try {
    const state: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    return Array.isArray(state) ? state : [];
  } catch {
    return [];
  }
}

export function unreadable() {
  return problem(
    "invalid_parameter",
    "cursor is not one of ours. Pass next_cursor unchanged, or start without it.",
    {
      param: "cursor",
      errors: [{ path: "cursor", code: "invalid_cursor", message: "cursor is not one of ours" }],
    },
  );
}

function digestOf({ path, query }: CursorList): string {
  const filters = Object.entries(query)
    .filter(([name]) => !free.has(name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256")
    .update(JSON.stringify([path, filters]))
    .digest("base64url")
    .slice(0, 16);
}
