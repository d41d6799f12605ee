import { type Instant, latestInstant, parseInstant } from "../../core/instant.ts";
import { addDays, dayOf, monthOf, parseDay, startOfDay } from "../../core/period.ts";
import { utc, type Zone } from "../../core/zone.ts";

export interface FileNameMoments {
  readonly generatedAt: Instant | null;
  readonly periodFrom: Instant | null;
  /** Excluded: the day after the last one that is named. */
  readonly periodTo: Instant | null;
}

/**
 * What a file's name says: a time in UTC is when it was made, two days are its first and its last day, one month is the
 * whole month, both in the provider's zone. One day alone could be either, so it says nothing.
 */
export function readFileName(name: string, zone: Zone = utc): FileNameMoments {
  const made = /(\d{4})-?(\d{2})-?(\d{2})T(\d{2})[-:]?(\d{2})[-:]?(\d{2})Z/.exec(name);
  const generatedAt = made
    ? parseInstant(`${made[1]}-${made[2]}-${made[3]}T${made[4]}:${made[5]}:${made[6]}Z`)
    : null;
  const rest = made ? name.replace(made[0], " ") : name;
  const days = [...rest.matchAll(/(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)/g)].map(([day]) => parseDay(day));
  const [first, last] = days;
  if (first && last && days.length === 2 && first <= last) {
    return { generatedAt, periodFrom: startOfDay(first, zone), periodTo: startOfDay(addDays(last, 1), zone) };
  }
  const months = [...rest.matchAll(/(?<!\d)\d{4}-\d{2}(?![\d-]*\d)/g)];
  const month = months.length === 1 && days.length === 0 ? monthOf(months[0]?.[0] ?? "", zone) : null;
  return { generatedAt, periodFrom: month?.from ?? null, periodTo: month?.to ?? null };
}

/**
 * Whole days around the given times, in the provider's zone. Nothing can be written after the last day of
 * 9999, which some files mean by never.
 */
export function daysAround(
  { first, last }: { first: Instant; last: Instant },
  zone: Zone = utc,
): { from: Instant; to: Instant } {
  const end = parseDay(addDays(dayOf(last, zone), 1));
  return {
    from: startOfDay(dayOf(first, zone), zone),
    to: end === null ? latestInstant : startOfDay(end, zone),
  };
}
