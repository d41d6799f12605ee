import { type Instant, instantMs } from "../core/instant.ts";
import {
  addDays,
  type DayOrInstant,
  notATime,
  notAZone,
  parseDayOrInstant,
  startOfDay,
} from "../core/period.ts";
import { findZone, type Zone } from "../core/zone.ts";
import type { Range } from "../store/transactions/transaction-reads.ts";
import { type Refusal, single } from "./parameters.ts";
import { refuseReversed } from "./reversed-range.ts";

export const timeParameter = (description: string) =>
  single(
    { description, example: "2026-11-14T00:00:00Z" },
    (text): DayOrInstant | Refusal =>
      parseDayOrInstant(text) ?? { refused: `is ${notATime(text)}`, code: "invalid_time" },
  );

export const zoneParameter = single(
  { description: "IANA time zone of plain dates.", example: "Europe/London", default: "UTC" },
  (text): Zone | Refusal => findZone(text) ?? { refused: `is ${notAZone(text)}`, code: "invalid_zone" },
);

const operators = { gte: ">=", gt: ">", lte: "<=", lt: "<" } as const;

/** `status_date[gte]`, `[gt]`, `[lte]` and `[lt]`, for a schema. */
export function timeRange<Name extends string>(name: Name, what: string) {
  return {
    [`${name}[gte]`]: timeParameter(`${what} at or after this.`),
    [`${name}[gt]`]: timeParameter(`${what} after this; after the whole day if it is a date.`),
    [`${name}[lte]`]: timeParameter(`${what} at or before this; including the whole day if it is a date.`),
    [`${name}[lt]`]: timeParameter(`${what} before this.`),
  } as Record<`${Name}[${keyof typeof operators}]`, ReturnType<typeof timeParameter>>;
}

/** Our own times have microseconds, and are shown without: "at most" a time that was shown includes all that show it. */
function asShown(column: Range["column"], operator: Range["operator"], instant: Instant): string {
  const isShown = column !== "status_date" && instant.length === "2026-11-14T09:30:00.123Z".length;
  return isShown && (operator === ">" || operator === "<=") ? `${instant.slice(0, -1)}999Z` : instant;
}

/** A date stands for its whole day: at most the 31st includes the 31st, after the 31st begins on the 1st. */
export function timeRanges(
  column: Range["column"],
  asked: Partial<Record<string, unknown>>,
  zone: Zone,
): Range[] {
  refuseReversedTimes(column, asked, zone);
  return Object.entries(operators).flatMap(([name, operator]): Range[] => {
    const time = asked[`${column}[${name}]`] as DayOrInstant | undefined;
    if (time === undefined) return [];
    if ("instant" in time) return [{ column, operator, value: asShown(column, operator, time.instant) }];
    const wholeDay = operator === ">" || operator === "<=";
    const value = startOfDay(wholeDay ? addDays(time.day, 1) : time.day, zone);
    return [{ column, operator: operator.startsWith(">") ? ">=" : "<", value }];
  });
}

/** By the time at which each day begins: from the 5th to the 4th is reversed, from noon of the 5th up to the 5th is not. */
function refuseReversedTimes(column: string, asked: Partial<Record<string, unknown>>, zone: Zone): void {
  const given = (names: (keyof typeof operators)[]) =>
    names.flatMap((name) => {
      const parameter = `${column}[${name}]`;
      const value = asked[parameter] as DayOrInstant | undefined;
      return value === undefined ? [] : [{ parameter, value: { time: value, name } }];
    });
  const begins = (time: DayOrInstant) =>
    instantMs("instant" in time ? time.instant : startOfDay(time.day, zone));
  refuseReversed({ starts: given(["gte", "gt"]), ends: given(["lte", "lt"]) }, (start, end) => {
    const upTo =
      "day" in end.time && "instant" in start.time && end.name === "lte"
        ? { day: addDays(end.time.day, 1) }
        : end.time;
    return begins(start.time) > begins(upTo);
  });
}
