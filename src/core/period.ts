import { DAY } from "./duration.ts";
import { compareInstants, formatInstant, type Instant, instantMs, parseInstant } from "./instant.ts";
import { quote } from "./quote.ts";
import { firstAtMs, localMs, utc, type Zone } from "./zone.ts";

/** A calendar day, `2026-10-01`. When it begins depends on the zone. */
export type Day = string & { readonly brand: "day" };

/** A time as people write it: an instant, or a day, which stands for its beginning. */
export type DayOrInstant = { day: Day } | { instant: Instant };

/** `null` for any other text, and for a day that does not exist. The first and the last day are not days in all zones. */
export function parseDay(text: string): Day | null {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text) && parseInstant(`${text}T00:00:00Z`) !== null;
  return isDay && text > "0001-01-01" && text < "9999-12-31" ? (text as Day) : null;
}

/** `2026-10-01`, `2026-10-01T00:00:00+02:00`, its seconds left out if wanted, or unix seconds; `null` for anything else. */
export function parseDayOrInstant(text: string): DayOrInstant | null {
  const day = parseDay(text);
  if (day !== null) return { day };
  // Fewer digits are more likely a year or a day than a second of the seventies.
  const isUnix = /^\d{9,11}$/.test(text);
  const instant = isUnix
    ? formatInstant(Number(text) * 1_000)
    : parseInstant(text.replace(toTheMinute, "$1:00$2"));
  return instant === null ? null : { instant };
}

const toTheMinute = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(Z|[+-]\d\d:?\d\d)$/;

/** The same, where no zone can be given. */
export function parseTime(text: string): Instant | null {
  const time = parseDayOrInstant(text);
  return time === null ? null : instantAt(time, utc);
}

/** What is wrong with a text, and what to write instead; to follow the name of what was given, and `is` or a colon. */
export function notATime(text: string): string {
  // In an address, a plus sign means a space.
  const lostPlus = /T[\d:.]+ \d\d:?\d\d$/.test(text)
    ? " In an address, write the + of an offset as %2B."
    : "";
  return `not a day or a time: ${quote(text)}. Use 2026-11-14, 2026-11-14T09:30:00Z or unix seconds.${lostPlus}`;
}

export function notAZone(text: string): string {
  return `not a time zone: ${quote(text)}. Use UTC or an IANA name such as Europe/London.`;
}

export function instantAt(time: DayOrInstant, zone: Zone): Instant {
  return "day" in time ? startOfDay(time.day, zone) : time.instant;
}

export function startOfDay(day: Day, zone: Zone): Instant {
  return formatInstant(firstAtMs(zone.dayClock, midnightMs(day)));
}

export function dayOf(instant: Instant, zone: Zone): Day {
  return dayAt(localMs(zone.dayClock, instantMs(instant)));
}

export function addDays(day: Day, days: number): Day {
  return dayAt(midnightMs(day) + days * DAY);
}

/** The first day of the month that a day is in, or of one so many months later. */
export function firstOfMonth(day: Day, monthsLater = 0): Day {
  const months = Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1 + monthsLater;
  const digits = (number: number, count: number) => String(number).padStart(count, "0");
  return `${digits(Math.floor(months / 12), 4)}-${digits((months % 12) + 1, 2)}-01` as Day;
}

/** The month `2026-10`, half-open; `null` for anything else. */
export function monthOf(text: string, zone: Zone): { from: Instant; to: Instant } | null {
  const first = parseDay(`${text}-01`);
  // The last month of the year 9999 has no end that could be written.
  const next = first && parseDay(firstOfMonth(first, 1));
  return first && next && { from: startOfDay(first, zone), to: startOfDay(next, zone) };
}

/** A half-open period, in instants and in the days that people call it by. */
export interface Period {
  readonly from: Instant | null;
  readonly to: Instant | null;
  readonly firstDay: Day | null;
  /** The last day that has a part in it. */
  readonly lastDay: Day | null;
}

/** Refuses a period that ends before it begins. */
export function resolvePeriod(
  asked: { from: DayOrInstant | null; to: DayOrInstant | null },
  zone: Zone,
): Period | { refused: string } {
  const from = asked.from && instantAt(asked.from, zone);
  const to = asked.to && instantAt(asked.to, zone);
  if (asked.from && asked.to && from && to && !isBefore(asked.from, asked.to, zone))
    return { refused: `must lie after from; ${to} does not lie after ${from}` };
  return {
    from,
    to,
    firstDay: asked.from && dayIn(asked.from, zone),
    lastDay: asked.to && lastDayBefore(asked.to, zone),
  };
}

/** A day that its zone left out begins when the next one does, and still comes before it: there is nothing in it. */
function isBefore(from: DayOrInstant, to: DayOrInstant, zone: Zone): boolean {
  if ("day" in from && "day" in to) return from.day < to.day;
  return compareInstants(instantAt(from, zone), instantAt(to, zone)) < 0;
}

function dayIn(time: DayOrInstant, zone: Zone): Day {
  return "day" in time ? time.day : dayOf(time.instant, zone);
}

export function lastDayBefore(end: DayOrInstant, zone: Zone): Day {
  if ("day" in end) return addDays(end.day, -1);
  // A day begins with a whole second, so the millisecond of an instant with a fraction lies in the same day.
  const ms = instantMs(end.instant);
  return dayAt(localMs(zone.dayClock, formatInstant(ms) === end.instant ? ms - 1 : ms));
}

function midnightMs(day: Day): number {
  return Date.parse(`${day}T00:00:00Z`);
}

function dayAt(ms: number): Day {
  return new Date(ms).toISOString().slice(0, 10) as Day;
}
