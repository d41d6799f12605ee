import { formatInstant, type Instant, instantMs, latestInstant, parseInstant } from "../../core/instant.ts";
import { findZone, firstAtMs, localMs } from "../../core/zone.ts";

export interface TimeForm {
  readonly format: string;
  readonly zone: string;
}

export type TimeReader = (text: string) => Instant | TimeProblem;
export interface TimeProblem {
  readonly why: string;
}

/**
 * Reads times in one form, the profile's. A local hour that occurs twice takes the earlier instant, one that does not
 * exist is refused. `null` when the form itself is none.
 */
export function createTimeReader({ format, zone: zoneName }: TimeForm): TimeReader | null {
  if (format === "iso") return createIsoReader();
  if (format === "unix_s") return (text) => fromUnix(text, 1_000);
  if (format === "unix_ms") return (text) => fromUnix(text, 1);
  const zone = findZone(zoneName);
  const pattern = compilePattern(format);
  if (!zone || !pattern) return null;
  return (text) => {
    const wall = pattern(text);
    if (wall === null) return { why: `is not a time written ${format}` };
    const ms = firstAtMs(zone.clock, wall);
    if (localMs(zone.clock, ms) !== wall)
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

/** From a pattern such as `DD.MM.YYYY HH:mm` to a function that gives the wall clock as if it were UTC. */
function compilePattern(format: string): ((text: string) => number | null) | null {
  const names = [...format.matchAll(tokens)].map(([name]) => name);
  if (!["YYYY", "MM"].every((name) => names.includes(name)) || new Set(names).size !== names.length)
    return null;
  const escaped = format.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const form = new RegExp(`^${escaped.replaceAll(tokens, (name) => tokenForms[name] ?? name)}$`);
  return (text) => {
    const found = form.exec(text);
    if (!found) return null;
    const at = (name: string) => Number((found[names.indexOf(name) + 1] ?? "0").slice(0, 4) || "0");
    const part = (name: string) => (names.includes(name) ? at(name) : 0);
    // A month without a day begins with its first.
    const day = names.includes("DD") ? at("DD") : 1;
    const ms = Date.UTC(part("YYYY"), part("MM") - 1, day, part("HH"), part("mm"), part("ss"));
    // The engine reads 30 February as 2 March; going back shows it.
    const back = new Date(ms);
    const same =
      back.getUTCFullYear() === part("YYYY") &&
      back.getUTCMonth() + 1 === part("MM") &&
      back.getUTCDate() === day &&
      back.getUTCHours() === part("HH") &&
      back.getUTCMinutes() === part("mm") &&
      back.getUTCSeconds() === part("ss");
    return same && part("YYYY") > 0 ? ms + part("SSS") : null;
  };
}

const tokens = /YYYY|MM|DD|HH|mm|ss|SSS/g;
const tokenForms: Readonly<Record<string, string>> = {
  YYYY: "(\\d{4})",
  MM: "(\\d{1,2})",
  DD: "(\\d{1,2})",
  HH: "(\\d{1,2})",
  mm: "(\\d{2})",
  ss: "(\\d{2})",
  SSS: "(\\d{3})",
};
