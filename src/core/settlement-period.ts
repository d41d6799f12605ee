import type { Instant } from "./instant.ts";
import { addDays, type Day, dayOf, firstOfMonth, startOfDay } from "./period.ts";
import type { Zone } from "./zone.ts";

export const periodLengths = ["day", "week", "month"] as const;
/** What one statement of a provider covers. Weeks begin on Monday. */
export type PeriodLength = (typeof periodLengths)[number];

/** The periods that have a part in a span of time, one after the other. */
export function periodsBetween(
  span: { from: Instant; to: Instant },
  length: PeriodLength,
  zone: Zone,
): { from: Instant; to: Instant }[] {
  const last = dayOf(span.to, zone);
  const periods: { from: Instant; to: Instant }[] = [];
  for (let day = firstDayOf(dayOf(span.from, zone), length); day <= last;) {
    const next = firstDayAfter(day, length);
    periods.push({ from: startOfDay(day, zone), to: startOfDay(next, zone) });
    day = next;
  }
  // A day that its zone left out has nothing in it.
  return periods.filter(({ from, to }) => from !== to);
}

function firstDayOf(day: Day, length: PeriodLength): Day {
  if (length === "month") return firstOfMonth(day);
  if (length === "day") return day;
  const sinceMonday = (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
  return addDays(day, -sinceMonday);
}

function firstDayAfter(first: Day, length: PeriodLength): Day {
  return length === "month" ? firstOfMonth(first, 1) : addDays(first, length === "week" ? 7 : 1);
}
