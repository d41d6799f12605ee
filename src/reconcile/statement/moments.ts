import { formatInstant, type Instant, instantMs, parseInstant } from "../../core/instant.ts";

/** A time with its zone, or a day, which means its begin in UTC; `null` for anything else. */
export function parseMoment(text: string): Instant | null {
  return parseInstant(text) ?? parseInstant(`${text}T00:00:00Z`);
}

export interface FileNameMoments {
  readonly generatedAt: Instant | null;
  readonly periodFrom: Instant | null;
  /** Excluded: the day after the last one that is named. */
  readonly periodTo: Instant | null;
}

/**
 * What a file's name says: a time in UTC is when it was made, two days are its first and its last day, one month is the
 * whole month. One day alone could be either, so it says nothing.
 */
export function readFileName(name: string): FileNameMoments {
  const made = /(\d{4})-?(\d{2})-?(\d{2})T(\d{2})[-:]?(\d{2})[-:]?(\d{2})Z/.exec(name);
  const generatedAt = made
    ? parseInstant(`${made[1]}-${made[2]}-${made[3]}T${made[4]}:${made[5]}:${made[6]}Z`)
    : null;
  const rest = made ? name.replace(made[0], " ") : name;
  const days = [...rest.matchAll(/(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)/g)].map(([day]) => parseMoment(day));
  const [first, last] = days;
  if (first && last && days.length === 2 && first <= last) {
    return { generatedAt, periodFrom: first, periodTo: formatInstant(instantMs(last) + DAY) };
  }
  const months = [...rest.matchAll(/(?<!\d)(\d{4})-(\d{2})(?![\d-]*\d)/g)];
  const month = months.length === 1 && days.length === 0 ? months[0] : undefined;
  const periodFrom = month ? parseMoment(`${month[1]}-${month[2]}-01`) : null;
  if (!month || periodFrom === null) return { generatedAt, periodFrom: null, periodTo: null };
  return {
    generatedAt,
    periodFrom,
    periodTo: formatInstant(Date.UTC(Number(month[1]), Number(month[2]), 1)),
  };
}

const DAY = 86_400_000;

/** Whole days in UTC around the given times. */
export function daysAround({ first, last }: { first: Instant; last: Instant }): {
  from: Instant;
  to: Instant;
} {
  const day = (instant: Instant) => Math.floor(instantMs(instant) / DAY) * DAY;
  return { from: formatInstant(day(first)), to: formatInstant(day(last) + DAY) };
}
