import { HOUR, MINUTE } from "../../core/duration.ts";
import { findZone, firstAtMs, localMs, zoneNamed } from "../../core/zone.ts";
import type { TimePair } from "../../store/statements/line-and-record-times.ts";
import type { Profile } from "./profile.ts";

export interface TimeShift {
  /** What lines are later than our records. */
  readonly shiftMs: number;
  readonly lines: number;
  /** In which the times of the file agree with our records; `null` where none of the usual ones does. */
  readonly zone: string | null;
}

/**
 * Times without a zone are read in the profile's. Where that is wrong, every line is off by the same hours, or by two
 * values where clocks change in between; where it is right, lines are off by minutes, or by days that differ.
 */
export function findTimeShift(pairs: readonly TimePair[], profile: Profile): TimeShift | null {
  if (pairs.length < pairsMin) return null;
  // The middle one: some lines may be off for reasons of their own.
  const shifts = pairs.map(({ lineMs, recordMs }) => lineMs - recordMs).toSorted((a, b) => a - b);
  const shiftMs = Math.round((shifts[shifts.length >> 1] ?? 0) / stepMs) * stepMs;
  if (Math.abs(shiftMs) < 2 * stepMs || Math.abs(shiftMs) > farthestMs) return null;
  const alike = pairs.filter(({ lineMs, recordMs }) => isAlike(lineMs - recordMs - shiftMs));
  if (alike.length < pairs.length * shareMin) return null;
  const zone = statesZone(profile) ? null : zoneFor(pairs, profile.time.zone);
  return { shiftMs, lines: alike.length, zone };
}

export function describeTimeShift({ shiftMs, lines, zone }: TimeShift, profile: Profile): string {
  const minutes = Math.abs(shiftMs) / MINUTE;
  const length = `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")} h`;
  const order = shiftMs > 0 ? "later" : "earlier";
  const what = `${lines} lines that we know are ${length} ${order} than our records, all alike`;
  if (statesZone(profile)) return `${what}: ask the provider which zone its times are in`;
  const read = `they were read in ${profile.time.zone}`;
  if (zone === null) return `${what}; ${read}: state the file's zone in a profile, under time.zone`;
  return `${what}; ${read}, and agree in ${zone}: import with a profile that says "time": {"format": ${JSON.stringify(profile.time.format)}, "zone": "${zone}"}`;
}

const pairsMin = 3;
const shareMin = 0.9;
const stepMs = 15 * MINUTE;
const nearMs = 10 * MINUTE;
const farthestMs = 14 * HOUR;

/** Such times carry their zone, so the profile's does not come into it. */
function statesZone({ time }: Profile): boolean {
  return time.format === "iso" || time.format.startsWith("unix_");
}

/** The same, or an hour more or less, where clocks change in between. */
function isAlike(differenceMs: number): boolean {
  return Math.abs(differenceMs) <= nearMs || Math.abs(Math.abs(differenceMs) - HOUR) <= nearMs;
}

function zoneFor(pairs: readonly TimePair[], readIn: string): string | null {
  const { clock } = zoneNamed(readIn);
  const agrees = (name: string) => {
    const zone = findZone(name);
    if (!zone) return false;
    const near = pairs.filter(
      ({ lineMs, recordMs }) => Math.abs(firstAtMs(zone.clock, localMs(clock, lineMs)) - recordMs) <= nearMs,
    );
    return near.length >= pairs.length * shareMin;
  };
  return usualZones.find(agrees) ?? null;
}

// Where providers keep their books, the likeliest first among those that share an offset.
const usualZones = [
  "UTC",
  "Europe/London",
  "Europe/Berlin",
  "Europe/Vilnius",
  "Europe/Istanbul",
  "America/New_York",
  "America/Chicago",
  "America/Denver",
  "America/Los_Angeles",
  "America/Phoenix",
  "America/Bogota",
  "America/Mexico_City",
  "America/Santiago",
  "America/Sao_Paulo",
  "Africa/Lagos",
  "Africa/Johannesburg",
  "Asia/Dubai",
  "Asia/Karachi",
  "Asia/Kolkata",
  "Asia/Dhaka",
  "Asia/Bangkok",
  "Asia/Singapore",
  "Asia/Tokyo",
  "Australia/Brisbane",
  "Australia/Sydney",
  "Australia/Adelaide",
  "Australia/Perth",
  "Pacific/Auckland",
];
