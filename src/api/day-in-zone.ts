import { DAY, HOUR } from "../core/duration.ts";
import { formatInstant, type Instant } from "../core/instant.ts";

export function isZone(name: string): boolean {
  // Offsets such as +02:00 are zones to some engines and not to others; names are zones to all of them.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

/** Whether there is such a day: `2026-02-30` is none. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text < "0001-01-02" || text > "9999-12-30") return false;
  const ms = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}

/** The first instant of a day in a zone. Where a clock change skips midnight, the day begins at the change. */
export function startOfDay(day: string, zone: string): Instant {
  const midnightMs = Date.parse(`${day}T00:00:00Z`);
  // Zones lie within a day of UTC, so the day begins within a day of its midnight there; quarter hours are the finest
  // offsets in use since 1972, and older ones are found by going on in seconds.
  let fromMs = midnightMs - DAY;
  for (const stepMs of [HOUR, 60_000, 1_000]) {
    while (dayIn(zone, fromMs + stepMs) < day) fromMs += stepMs;
  }
  return formatInstant(fromMs + 1_000);
}

export function nextDay(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + DAY).toISOString().slice(0, 10);
}

const formats = new Map<string, Intl.DateTimeFormat>();

function dayIn(zone: string, epochMs: number): string {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en-CA", {
      timeZone: zone,
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
    });
    formats.set(zone, format);
  }
  const parts = new Map(format.formatToParts(epochMs).map(({ type, value }) => [type, value]));
  return `${(parts.get("year") ?? "").padStart(4, "0")}-${parts.get("month")}-${parts.get("day")}`;
}
