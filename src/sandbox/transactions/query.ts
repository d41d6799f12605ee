import { compareInstants, instantMs, type Instant } from "../../core/instant.ts";
import { RefusedError } from "../refusal.ts";
import { hash32 } from "../world/random.ts";
import type { Dialect } from "./dialect.ts";
import { parseIsoTime } from "./iso-time.ts";

/** `GET /transactions`, read and found good. */
export interface ListQuery {
  /** Whole milliseconds, first one inside and first one outside; `null` where there is no bound. */
  readonly fromMs: number | null;
  readonly toMs: number | null;
  readonly limit: number;
  readonly transactionIds: readonly string[] | null;
  readonly cursor: string | null;
  /** One number for all that a cursor must not be used across; the limit may change between pages. */
  readonly filters: number;
}

export const limitMax = 50;
export const transactionIdsMax = 50;

export function parseListQuery(query: URLSearchParams, dialect: Dialect): ListQuery {
  const start = readBound(query, "startDateTime", dialect);
  const end = readBound(query, "endDateTime", dialect);
  const ids = readIds(query.get("transactionIds"));
  if (start !== null && end !== null && compareInstants(end.instant, start.instant) < 0) {
    throw new RefusedError("INVALID_PARAMETER", "endDateTime: lies before startDateTime", "endDateTime");
  }
  return {
    fromMs: start === null ? null : firstAfter(start, dialect.start === "inclusive"),
    toMs: end === null ? null : firstAfter(end, dialect.end === "exclusive"),
    limit: readLimit(query.get("limit"), dialect),
    transactionIds: ids,
    // Some servers end a listing with an empty cursor, and some clients start one with it.
    cursor: query.get("cursor") || null,
    filters: hash32("filters", start?.instant ?? "", end?.instant ?? "", ids?.join(",") ?? ""),
  };
}

interface Bound {
  readonly instant: Instant;
  readonly ms: number;
  /** Whether the time lies after its own millisecond began. */
  readonly beyond: boolean;
}

function readBound(query: URLSearchParams, field: string, dialect: Dialect): Bound | null {
  const text = query.get(field);
  if (text === null || text === "") return null;
  const instant = readTime(text, dialect);
  if (instant === null) {
    throw new RefusedError(
      "INVALID_PARAMETER",
      `${field}: expected an ISO 8601 time such as 2024-05-01T00:00:00.000Z`,
      field,
    );
  }
  const ms = instantMs(instant);
  return { instant, ms, beyond: instant.length > wholeMillisecondLength };
}

/** A listing asks for the same times with every page. */
const recentTimes = new Map<string, Instant | null>();
const recentTimesMax = 64;

function readTime(text: string, dialect: Dialect): Instant | null {
  const needsZone = dialect["no-zone"] === "refused";
  const key = `${needsZone} ${text}`;
  const known = recentTimes.get(key);
  if (known !== undefined) return known;
  const instant = parseIsoTime(text, { needsZone });
  if (recentTimes.size >= recentTimesMax) recentTimes.clear();
  recentTimes.set(key, instant);
  return instant;
}

const wholeMillisecondLength = "2024-05-01T00:00:00.000Z".length;

/** The first whole millisecond on the far side of a bound; `at` says whether the bound itself is already there. */
function firstAfter({ ms, beyond }: Bound, at: boolean): number {
  return at && !beyond ? ms : ms + 1;
}

function readLimit(text: string | null, dialect: Dialect): number {
  if (text === null || text === "") return limitMax;
  const limit = /^\d+$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= limitMax) return limit;
  if (limit > limitMax && dialect["limit-above"] === "capped") return limitMax;
  throw new RefusedError(
    "INVALID_PARAMETER",
    `limit: expected a whole number from 1 to ${limitMax}`,
    "limit",
  );
}

function readIds(text: string | null): string[] | null {
  if (text === null || text === "") return null;
  const ids = text.split(",").map((id) => id.trim());
  if (ids.length > transactionIdsMax) {
    throw new RefusedError(
      "INVALID_PARAMETER",
      `transactionIds: expected at most ${transactionIdsMax} ids, found ${ids.length}`,
      "transactionIds",
    );
  }
  if (ids.includes("")) {
    throw new RefusedError("INVALID_PARAMETER", "transactionIds: an id is empty", "transactionIds");
  }
  return [...new Set(ids)];
}
