import { type Instant, parseInstant } from "../../core/instant.ts";

/**
 * Reads a time in any form of ISO 8601 that names an instant: extended (`2026-09-01T00:00:00.000Z`) or basic
 * (`20260901T000000Z`), a calendar, week or ordinal date, as precise as one likes. A part that is left out is its first
 * moment, and a zone that is left out is UTC. Nothing else: no two-digit years, no durations, no words.
 */
export function parseIsoTime(text: string, { needsZone = false } = {}): Instant | null {
  const [date = "", time, ...more] = text.split("T");
  if (more.length > 0) return null;
  const dayMs = dayOf(date);
  if (dayMs === null) return null;
  const clock =
    time === undefined ? { ms: 0, fraction: "", offset: "Z" } : clockOf(time, !date.includes("-"));
  if (clock === null || (needsZone && clock.offset === "")) return null;
  const wallClock = new Date(dayMs + clock.ms).toISOString().slice(0, 19);
  return parseInstant(
    `${wallClock}${clock.fraction === "" ? "" : `.${clock.fraction}`}${clock.offset || "Z"}`,
  );
}

const dayLengthMs = 86_400_000;

/** Midnight of the date; a month alone is its first day. `YYYYMM` is not a form of ISO 8601: it looks like a date of six digits. */
function dayOf(text: string): number | null {
  const calendar = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?|(\d{2})(\d{2}))?$/.exec(text);
  if (calendar) {
    const [, year, month, day, basicMonth, basicDay] = calendar;
    return existing(`${year}-${month ?? basicMonth ?? "01"}-${day ?? basicDay ?? "01"}`);
  }
  const ordinal = /^(\d{4})-?(\d{3})$/.exec(text);
  if (ordinal) return dayOfYear(ordinal[1] ?? "", Number(ordinal[2]));
  const week = /^(\d{4})-?W(\d{2})(?:-?([1-7]))?$/.exec(text);
  return week ? dayOfWeek(week[1] ?? "", Number(week[2]), Number(week[3] ?? 1)) : null;
}

/** The engine reads 30 February as 2 March; going back shows it. */
function existing(date: string): number | null {
  const ms = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(date) ? ms : null;
}

function dayOfYear(year: string, day: number): number | null {
  const first = existing(`${year}-01-01`);
  if (first === null || day < 1) return null;
  const ms = first + (day - 1) * dayLengthMs;
  return new Date(ms).toISOString().startsWith(year) ? ms : null;
}

/** Week 1 is the one with the year's first Thursday, and weeks begin on Monday. */
function dayOfWeek(year: string, week: number, day: number): number | null {
  const fourth = existing(`${year}-01-04`);
  if (fourth === null || week < 1) return null;
  const monday = fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * dayLengthMs;
  const thursday = monday + (week - 1) * 7 * dayLengthMs + 3 * dayLengthMs;
  if (!new Date(thursday).toISOString().startsWith(year)) return null;
  return thursday + (day - 4) * dayLengthMs;
}

function clockOf(text: string, isBasic: boolean): { ms: number; fraction: string; offset: string } | null {
  const form = isBasic
    ? /^(\d{2})(?:(\d{2})(?:(\d{2}))?)?(?:[.,](\d{1,9}))?(Z|[+-]\d{2}(?:\d{2})?)?$/
    : /^(\d{2})(?::(\d{2})(?::(\d{2}))?)?(?:[.,](\d{1,9}))?(Z|[+-]\d{2}(?::?\d{2})?)?$/;
  const found = form.exec(text);
  if (!found) return null;
  const [, hours = "", minutes, seconds, fraction = "", zone = ""] = found;
  // A fraction of an hour or a minute is allowed there too, but nobody sends one, and it would not be exact.
  if (fraction !== "" && seconds === undefined) return null;
  const [h, m, s] = [Number(hours), Number(minutes ?? 0), Number(seconds ?? 0)];
  const isMidnight = h === 24 && m === 0 && s === 0 && /^0*$/.test(fraction);
  if ((h > 23 && !isMidnight) || m > 59 || s > 59) return null;
  const offset =
    zone === "Z" || zone === "" ? zone : `${zone.slice(0, 3)}:${zone.replace(":", "").slice(3) || "00"}`;
  return { ms: ((h * 60 + m) * 60 + s) * 1000, fraction, offset };
}
