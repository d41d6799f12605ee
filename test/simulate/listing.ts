import { hash32 } from "../../src/sandbox/world/random.ts";
import { instantMs } from "../../src/core/instant.ts";
import type { PageQuery } from "../../src/upstream/transactions.ts";
import type { Row } from "./history.ts";
import type { Dialect } from "./world.ts";

export interface ListedPage {
  readonly rows: readonly Row[];
  readonly nextCursor: string | null;
}

/** The rows there are at this moment. A listing of the latest shows one of each transaction. */
export function visibleRows(rows: readonly Row[], dialect: Pick<Dialect, "rows">, atMs: number): Row[] {
  const visible = rows.filter((row) => row.visibleFromMs <= atMs && atMs < row.visibleToMs);
  if (dialect.rows === "all") return visible;
  const latest = new Map<string, Row>();
  for (const row of visible) {
    const other = latest.get(row.transactionId);
    if (!other || row.dateMs > other.dateMs || (row.dateMs === other.dateMs && row.number > other.number))
      latest.set(row.transactionId, row);
  }
  return visible.filter((row) => latest.get(row.transactionId) === row);
}

/** The time that a window selects a row by. */
export function keyMs(dialect: Pick<Dialect, "window">, row: Row): number {
  return dialect.window === "creation" ? row.createdMs : row.dateMs;
}

export interface Lister {
  /** `null` for a cursor that this server has never given out. */
  list(query: PageQuery, atMs: number, sizeOf: (most: number) => number): ListedPage | null;
}

/** Pages of a listing in some dialect. */
export function createLister(rows: readonly Row[], dialect: Dialect): Lister {
  const snapshots: Row[][] = [];
  const places = new Map(rows.map((row) => [row.number, row]));

  function found(query: PageQuery, atMs: number): Row[] {
    const ids = query.ids ? new Set(query.ids) : null;
    const fromMs = query.from === undefined ? -Infinity : instantMs(query.from);
    const toMs = query.to === undefined ? Infinity : instantMs(query.to);
    const { startInclusive, endInclusive } = dialect;
    return visibleRows(rows, dialect, atMs)
      .filter((row) => {
        if (ids) return ids.has(row.transactionId);
        const ms = keyMs(dialect, row);
        return (startInclusive ? ms >= fromMs : ms > fromMs) && (endInclusive ? ms <= toMs : ms < toMs);
      })
      .toSorted(inOrder);
  }

  const ranks: Record<Dialect["order"], (row: Row) => number> = {
    ascending: (row) => keyMs(dialect, row),
    descending: (row) => -keyMs(dialect, row),
    scrambled: (row) => hash32("scrambled", row.number),
    arrival: (row) => row.visibleFromMs,
  };
  const rankOf = ranks[dialect.order];
  const inOrder = (a: Row, b: Row) => rankOf(a) - rankOf(b) || a.number - b.number;

  /** What follows a cursor, and how the place after `count` more rows is written. */
  function follow(query: PageQuery, place: string | null, atMs: number) {
    if (dialect.cursor === "snapshot") {
      const [name, offset] = (place ?? `${snapshots.push(found(query, atMs)) - 1}:0`).split(":").map(Number);
      const list = snapshots[name ?? -1];
      if (!list) return null;
      const rest = list.slice(offset);
      return { rest, placeAfter: (count: number) => `${name}:${(offset ?? 0) + count}` };
    }
    const list = found(query, atMs);
    if (dialect.cursor === "offset") {
      const offset = Number(place ?? 0);
      return { rest: list.slice(offset), placeAfter: (count: number) => String(offset + count) };
    }
    const last = place === null || place === "start" ? null : (places.get(Number(place)) ?? null);
    const rest = last ? list.filter((row) => inOrder(row, last) > 0) : list;
    return {
      rest,
      placeAfter: (count: number) => (count === 0 ? (place ?? "start") : String(rest[count - 1]?.number)),
    };
  }

  return {
    list(query, atMs, sizeOf) {
      // Between two pages with records there may be one without: it has a cursor of its own. So have those that a fault
      // puts in.
      const cursor = query.cursor?.replaceAll("^", "") ?? null;
      const isBetween = cursor?.endsWith("~") ?? false;
      const place = cursor?.replace("~", "") ?? null;
      const following = follow(query, place, atMs);
      if (!following) return null;
      const { rest, placeAfter } = following;
      if (isBetween && place !== null) return { rows: [], nextCursor: place };
      const count = Math.min(rest.length, sizeOf(Math.min(dialect.pageSize, query.limit ?? 50)));
      const next = placeAfter(count);
      const page = rest.slice(0, count);
      if (count < rest.length)
        return { rows: page, nextCursor: dialect.pages === "empty-between" ? `${next}~` : next };
      if (dialect.lastCursor === "absent") return { rows: page, nextCursor: null };
      if (count > 0 || cursor !== next) return { rows: page, nextCursor: next };
      return { rows: page, nextCursor: dialect.lastCursor === "echo" ? (query.cursor ?? next) : null };
    },
  };
}
