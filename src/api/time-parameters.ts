import { formatInstant, type Instant, parseInstant } from "../core/instant.ts";
import type { Range } from "../store/transactions/transaction-reads.ts";
import { isDay, nextDay, startOfDay } from "./day-in-zone.ts";
import { quote, type Refusal, single } from "./parameters.ts";

/** A time as it was asked for: an instant, or a day whose beginning depends on the zone. */
export type AskedTime = { instant: Instant } | { day: string };

export const timeParameter = (description: string) =>
  single({ description, example: "2026-11-14T00:00:00Z" }, readTime);

function readTime(text: string): AskedTime | Refusal {
  if (isDay(text)) return { day: text };
  const instant = /^\d{9,11}$/.test(text) ? formatInstant(Number(text) * 1_000) : parseInstant(text);
  if (instant !== null) return { instant };
  return {
    refused: `is not a time: ${quote(text)}. Use ISO 8601, for example 2026-11-14T00:00:00Z, unix seconds, or a date with tz.`,
    code: "invalid_time",
  };
}

const operators = { gte: ">=", gt: ">", lte: "<=", lt: "<" } as const;

/** `status_date[gte]` and its three sisters, for a schema. */
export function timeRange<Name extends string>(name: Name, what: string) {
  return {
    [`${name}[gte]`]: timeParameter(`${what} at or after this.`),
    [`${name}[gt]`]: timeParameter(`${what} after this; after the whole day, when it is a date.`),
    [`${name}[lte]`]: timeParameter(`${what} at or before this; the whole day included, when it is a date.`),
    [`${name}[lt]`]: timeParameter(`${what} before this.`),
  } as Record<`${Name}[${keyof typeof operators}]`, ReturnType<typeof timeParameter>>;
}

/** A date stands for its whole day: at most the 31st includes the 31st, after the 31st begins on the 1st. */
export function timeRanges(
  column: Range["column"],
  asked: Partial<Record<string, unknown>>,
  zone: string,
): Range[] {
  return Object.entries(operators).flatMap(([name, operator]): Range[] => {
    const time = asked[`${column}[${name}]`] as AskedTime | undefined;
    if (time === undefined) return [];
    if ("instant" in time) return [{ column, operator, value: time.instant }];
    const wholeDay = operator === ">" || operator === "<=";
    const value = startOfDay(wholeDay ? nextDay(time.day) : time.day, zone);
    return [{ column, operator: operator.startsWith(">") ? ">=" : "<", value }];
  });
}

export function instantOf(time: AskedTime, zone: string): Instant {
  return "instant" in time ? time.instant : startOfDay(time.day, zone);
}
