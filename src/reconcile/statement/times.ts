import { formatInstant, type Instant, instantMs, latestInstant, parseInstant } from "../../core/instant.ts";
import { monthNames } from "../../core/month-names.ts";
import { findZone, firstAtMs, localMs } from "../../core/zone.ts";

export interface TimeForm {
  readonly format: string;
  readonly zone: string;
  /** Of the months' names; English where it is left out. */
  readonly language?: string | undefined;
}

export type TimeReader = (text: string) => Instant | TimeProblem;
export interface TimeProblem {
  readonly why: string;
}

/**
 * Reads times in one form, the profile's. A local hour that occurs twice takes the earlier instant, one that does not
 * exist is refused. `null` when the form itself is none.
 */
export function createTimeReader({ format, zone: zoneName, language }: TimeForm): TimeReader | null {
  if (format === "iso") return createIsoReader();
  if (format === "unix_s") return (text) => fromUnix(text, 1_000);
  if (format === "unix_ms") return (text) => fromUnix(text, 1);
  const zone = findZone(zoneName);
  const pattern = format === "excel" ? wallOfSerial : compilePattern(format, language);
  if (!zone || !pattern) return null;
  // A day begins with its first hour, also where the clocks go forward at midnight.
  const isDay = format !== "excel" && !/HH|hh/.test(format);
  return (text) => {
    const wall = pattern(text);
    if (wall === null) return { why: `is not a time written ${format}` };
    const ms = firstAtMs(zone.clock, wall);
    if (!isDay && localMs(zone.clock, ms) !== wall)
      return { why: `does not exist in ${zoneName}: the clocks went forward over it` };
    return ms <= latestMs ? formatInstant(ms) : { why: "lies after the year 9999 in UTC" };
  };
}

function createIsoReader(): TimeReader {
  // Rows come in order of time, so the day of one is nearly always that of the one before: it need not be proven again.
  let knownDay = "";
  return (text) => {
    if (canonical.test(text) && text.startsWith(knownDay) && knownDay !== "") return text as Instant;
    const instant = parseInstant(text);
    if (instant === null) return { why: "is not a time with its zone, such as 2026-01-31T10:00:00Z" };
    if (instant === text) knownDay = text.slice(0, dayLength);
    return instant;
  };
}

const canonical = /^\d{4}-\d{2}-\d{2}T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;
const dayLength = "2026-01-31T".length;

function fromUnix(text: string, unitMs: number): Instant | TimeProblem {
  // Twelve digits of seconds reach beyond the year 9999; a fraction of milliseconds is dropped.
  const found =
    /^(\d{1,12})(?:\.(\d{1,9}))?$/.exec(text) ?? (unitMs === 1 ? /^(\d{1,15})$/.exec(text) : null);
  const wrong = { why: `is not a number of ${unitMs === 1 ? "milliseconds" : "seconds"} since 1970` };
  if (!found) return wrong;
  const fractionMs = unitMs === 1 ? 0 : Number((found[2] ?? "").slice(0, 3).padEnd(3, "0"));
  const ms = Number(found[1]) * unitMs + fractionMs;
  return ms <= latestMs ? formatInstant(ms) : wrong;
}

const latestMs = instantMs(latestInstant);

/** `46145.604167`, days since 30 December 1899 as spreadsheets count them, to the second: more digits are seldom printed. */
function wallOfSerial(text: string): number | null {
  if (!/^\d{5,7}(?:[.,]\d+)?$/.test(text)) return null;
  const days = Number(text.replace(",", ".")) - serialOf1970;
  return days < 0 ? null : Math.round(days * secondsPerDay) * 1_000;
}

const serialOf1970 = 25_569;
const secondsPerDay = 86_400;

/** How times on the wall clock, given as if they were UTC, are written in a form: what `createTimeReader` reads back. */
export function createWallWriter({ format, language }: Omit<TimeForm, "zone">): (wallMs: number) => string {
  if (format === "excel") return (wallMs) => String(serialOf1970 + wallMs / 1_000 / secondsPerDay);
  const tokens = tokensOf(format);
  const months = format.includes("MMM") ? monthNames(language) : [];
  return (wallMs) => {
    const iso = new Date(wallMs).toISOString();
    const hour = Number(iso.slice(11, 13));
    const parts: Readonly<Record<string, string>> = {
      YYYY: iso.slice(0, 4),
      YY: iso.slice(2, 4),
      MMM: months[Number(iso.slice(5, 7)) - 1]?.[0] ?? "",
      MM: iso.slice(5, 7),
      DD: iso.slice(8, 10),
      HH: iso.slice(11, 13),
      hh: String(hour % 12 || 12),
      mm: iso.slice(14, 16),
      ss: iso.slice(17, 19),
      SSS: iso.slice(20, 23),
      A: hour < 12 ? "AM" : "PM",
    };
    return format.replaceAll(tokens, (name) => parts[name] ?? name);
  };
}

/** From a pattern such as `DD.MM.YYYY HH:mm` to a function that gives the wall clock as if it were UTC. */
function compilePattern(
  format: string,
  language: string | undefined,
): ((text: string) => number | null) | null {
  const tokens = tokensOf(format);
  const names = [...format.matchAll(tokens)].map(([name]) => name);
  const has = (name: string) => names.includes(name);
  if (has("YYYY") === has("YY") || has("MM") === has("MMM") || new Set(names).size !== names.length)
    return null;
  if (has("hh") && (has("HH") || !has("A"))) return null;
  const form = new RegExp(`^${sourceOf(format)}$`, "u");
  const months = has("MMM") ? monthNames(language).map((month) => month.map(bareWord)) : [];
  return (text) => {
    const found = form.exec(text);
    if (!found) return null;
    const word = (name: string) => found[names.indexOf(name) + 1] ?? "";
    const part = (name: string) => (has(name) ? Number(word(name)) : 0);
    const year = has("YY") ? 2000 + part("YY") : part("YYYY");
    const month = has("MMM") ? monthOf(word("MMM"), months) : part("MM");
    // A month without a day begins with its first.
    const day = has("DD") ? part("DD") : 1;
    const hour = has("hh") ? hourOf(part("hh"), word("A")) : part("HH");
    const ms = Date.UTC(year, month - 1, day, hour, part("mm"), part("ss"));
    // The engine reads 30 February as 2 March; going back shows it.
    const back = new Date(ms);
    const same =
      back.getUTCFullYear() === year &&
      back.getUTCMonth() + 1 === month &&
      back.getUTCDate() === day &&
      back.getUTCHours() === hour &&
      back.getUTCMinutes() === part("mm") &&
      back.getUTCSeconds() === part("ss");
    return same && year > 0 ? ms + part("SSS") : null;
  };
}

function sourceOf(format: string): string {
  const escaped = format.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return escaped.replaceAll(tokensOf(format), (name) => tokenForms[name] ?? name);
}

/**
 * The days that a text mentions, whatever is around them: as 2026-01-31, or in the form of the rows without their hour. A day
 * is given as the instant at which it begins; none, where one of them is not a day.
 */
export function createDayFinder(time: TimeForm): (text: string) => Instant[] {
  const format = time.format.replace(/[\sT,]*(?:HH|hh).*$/, "");
  const forms = ["YYYY-MM-DD", ...(compilePattern(format, time.language) ? [format] : [])].map((each) => ({
    found: new RegExp(`(?<!\\d)${sourceOf(each)}(?!\\d)`, "gu"),
    read: createTimeReader({ ...time, format: each }),
  }));
  return (text) => {
    for (const { found, read } of forms) {
      const days = (text.match(found) ?? []).map((day) => read?.(day) ?? null);
      if (days.length > 0) return days.every((day) => typeof day === "string") ? days : [];
    }
    return [];
  };
}

/** From 1; 0 for what is not a month, or may be two, as the French `jui` is. `Sept.` is one too. */
function monthOf(word: string, months: readonly (readonly string[])[]): number {
  const name = bareWord(word);
  const fitting = months.flatMap((names, at) =>
    names.some((each) => each.startsWith(name)) ? [at + 1] : [],
  );
  return fitting.length === 1 ? (fitting[0] ?? 0) : 0;
}

/** Without what people leave out: case, accents and a point. */
function bareWord(word: string): string {
  return word
    .normalize("NFD")
    .replaceAll(/[\p{M}.]/gu, "")
    .toLowerCase();
}

/** Of a clock that goes from 12 over 1 to 11, twice a day; -1 for an hour that it does not have. */
function hourOf(hour: number, half: string): number {
  if (hour < 1 || hour > 12) return -1;
  return (hour % 12) + (half.toUpperCase() === "PM" ? 12 : 0);
}

/** An A is a letter like any other, unless the hours need it. */
function tokensOf(format: string): RegExp {
  return format.includes("hh") ? /YYYY|YY|MMM|MM|DD|HH|hh|mm|ss|SSS|A/g : /YYYY|YY|MMM|MM|DD|HH|mm|ss|SSS/g;
}

const tokenForms: Readonly<Record<string, string>> = {
  YYYY: "(\\d{4})",
  YY: "(\\d{2})",
  MMM: "([\\p{L}\\p{M}]{3,20}\\.?)",
  MM: "(\\d{1,2})",
  DD: "(\\d{1,2})",
  HH: "(\\d{1,2})",
  hh: "(\\d{1,2})",
  mm: "(\\d{2})",
  ss: "(\\d{2})",
  SSS: "(\\d{3})",
  A: "([AaPp][Mm])",
};
