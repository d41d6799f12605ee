import { formatInstant } from "../../core/instant.ts";
import { addDays, dayOf, firstOfMonth } from "../../core/period.ts";
import { zoneNamed } from "../../core/zone.ts";

/** Periods that people export most, as days of their own zone. */
export interface NamedPeriod {
  title: string;
  from: string;
  /** The last day, included; empty: up to now. */
  to: string;
}

export function namedPeriods(nowMs: number, zone: string): [lastMonth: NamedPeriod, ...NamedPeriod[]] {
  const today = dayOf(formatInstant(nowMs), zoneNamed(zone));
  const first = (monthsLater: number) => firstOfMonth(today, monthsLater);
  return [
    { title: "Last month", from: first(-1), to: addDays(first(0), -1) },
    { title: "The month before", from: first(-2), to: addDays(first(-1), -1) },
    // Up to what has been read: today is not over, and many reports refuse a period that has not been read completely.
    { title: "This month so far", from: first(0), to: "" },
    { title: "Everything", from: "", to: "" },
  ];
}
