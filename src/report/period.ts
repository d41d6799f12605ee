import assert from "node:assert";
import { compareInstants, formatInstant, type Instant, parseInstant } from "../core/instant.ts";
import type { Queryable } from "../store/database.ts";
import { InvalidParameters } from "./errors.ts";

/** An edge of a period as it was asked for: an instant, or a day whose begin depends on the zone. */
export type PeriodBound = { instant: Instant } | { day: string };

/** A half-open period, in instants and in the days that people call it by. */
export interface Period {
  from: Instant | null;
  to: Instant | null;
  firstDay: string | null;
  /** The last day that has a part in it; that of the snapshot when the period has no end. */
  lastDay: string;
}

/** `2026-10-01`, `2026-10-01T00:00:00+02:00` or unix seconds; `null` for anything else. */
export function parseBound(text: string): PeriodBound | null {
  // There was no aggregator before 1970, and no zone moves such a day out of the years that can be written.
  if (/^\d{4}/.test(text) && !/^\d{9}/.test(text) && text < "1970") return null;
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return parseInstant(`${text}T00:00:00Z`) ? { day: text } : null;
  // Fewer digits are more likely a year or a day than a second of the seventies.
  if (/^\d{9,11}$/.test(text)) return { instant: formatInstant(Number(text) * 1_000) };
  const instant = parseInstant(text);
  return instant === null ? null : { instant };
}

/** A name of the zone database. Offsets are refused: Postgres reads `+02` as west of Greenwich, others as east. */
export function isTimeZone(text: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/.test(text)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: text }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

/** Days become instants in the database: the same zone rules then make the period and the dates in the rows. */
export async function resolvePeriod(
  snapshot: Queryable,
  { from, to }: { from: PeriodBound | null; to: PeriodBound | null },
  tz: string,
): Promise<Period> {
  const [row] = await snapshot
    .query<Record<"from_at" | "to_at" | "first_day" | "last_day", string | null>>(
      `select to_char(from_at, ${instantForm}) as from_at,
              to_char(to_at, ${instantForm}) as to_at,
              to_char(from_at at time zone $1, 'YYYY-MM-DD') as first_day,
              to_char(coalesce(to_at - interval '1 microsecond', now()) at time zone $1, 'YYYY-MM-DD') as last_day
       from (
         select coalesce($2::timestamptz, $3::timestamp at time zone $1) as from_at,
                coalesce($4::timestamptz, $5::timestamp at time zone $1) as to_at
       ) as period`,
      [tz, instantOf(from), dayOf(from), instantOf(to), dayOf(to)],
    )
    .catch((error: unknown) => {
      if (!unknownZone(error)) throw error;
      throw invalid(
        "tz",
        "invalid_zone",
        `tz: the database does not know the time zone ${JSON.stringify(tz)}`,
      );
    });
  const fromAt = parseInstant(row?.from_at ?? "");
  const toAt = parseInstant(row?.to_at ?? "");
  if (fromAt !== null && toAt !== null && compareInstants(fromAt, toAt) >= 0)
    throw invalid("to", "empty_period", `to: must lie after from; ${toAt} does not lie after ${fromAt}`);
  return { from: fromAt, to: toAt, firstDay: row?.first_day ?? null, lastDay: row?.last_day ?? "" };
}

/** One edge alone. */
export async function resolveBound(snapshot: Queryable, bound: PeriodBound, tz: string): Promise<Instant> {
  const { from } = await resolvePeriod(snapshot, { from: bound, to: null }, tz);
  assert(from !== null, "an edge that was given is an instant");
  return from;
}

const instantForm = `'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'`;

function instantOf(bound: PeriodBound | null): string | null {
  return bound !== null && "instant" in bound ? bound.instant : null;
}

function dayOf(bound: PeriodBound | null): string | null {
  return bound !== null && "day" in bound ? bound.day : null;
}

function unknownZone(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === "22023";
}

function invalid(path: string, code: string, message: string): InvalidParameters {
  return new InvalidParameters([{ path, code, message }]);
}
