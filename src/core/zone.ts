import assert from "node:assert";
import { DAY, SECOND } from "./duration.ts";

/**
 * Time zones. What the clocks of a zone do is asked of ICU once and kept as a list of changes; from then on everyone
 * works from that list: lists, exports, screens, statements, and SQL, which gets the list as arrays. So no two of them
 * can disagree, whatever zone data Postgres has.
 */
export interface Zone {
  /** As the zone database spells it. */
  readonly name: string;
  /** What people read off their clocks. */
  readonly clock: Clock;
  /** The same for telling days apart: it never goes back over midnight, so that no day begins twice. */
  readonly dayClock: Clock;
}

export interface Clock {
  /** When it changes, in milliseconds since 1970, ascending. */
  readonly changesMs: readonly number[];
  /** What it is ahead of UTC: before the first change, and from each change on. */
  readonly offsetsMs: readonly number[];
}

const steady: Clock = { changesMs: [], offsetsMs: [0] };
export const utc: Zone = { name: "UTC", clock: steady, dayClock: steady };

/**
 * `UTC`, or a name with its area such as `Europe/London`, in any case. Abbreviations are refused because they are
 * ambiguous (BST is London's to Postgres and Dhaka's to ICU), offsets because `+02` lies west of Greenwich in POSIX.
 */
export function findZone(name: string): Zone | null {
  const known = zones.get(name);
  if (known !== undefined) return known;
  const id = /^(UTC|\w[\w+-]*(\/[\w+-]+)+)$/i.test(name) ? resolve(name) : null;
  if (id === null) return null;
  const clock = clocks.get(id) ?? readClock(id);
  clocks.set(id, clock);
  // ICU corrects the case of a name, but it also replaces newer names by older ones: Kolkata stays Kolkata.
  const isSame = id.toLowerCase() === name.toLowerCase();
  const zone = { name: isSame ? id : name, clock, dayClock: dayClockOf(clock) };
  if (zones.size >= zonesMax) zones.clear();
  zones.set(name, zone);
  return zone;
}

/** One whose name was checked before. */
export function zoneNamed(name: string): Zone {
  const zone = findZone(name);
  assert(zone, `a known zone: ${name}`);
  return zone;
}

/** For people to choose from. */
export function zoneNames(): string[] {
  return ["UTC", ...Intl.supportedValuesOf("timeZone").filter((name) => name.includes("/"))];
}

/** The local time at an instant, both in milliseconds, the local time as if it were UTC. */
export function localMs({ changesMs, offsetsMs }: Clock, instantMs: number): number {
  const passed = firstWhere(changesMs.length, (at) => (changesMs[at] ?? 0) > instantMs);
  return instantMs + (offsetsMs[passed] ?? 0);
}

/** The first instant at which a clock shows a local time, or a later one where the clock goes forward over it. */
export function firstAtMs({ changesMs, offsetsMs }: Clock, wantedMs: number): number {
  // Before each change the clock runs up to the change plus its offset: these ends ascend as the changes do.
  const passed = firstWhere(changesMs.length, (at) => (changesMs[at] ?? 0) + (offsetsMs[at] ?? 0) > wantedMs);
  return Math.max(changesMs[passed - 1] ?? -Infinity, wantedMs - (offsetsMs[passed] ?? 0));
}

const zones = new Map([[utc.name, utc]]);
const clocks = new Map<string, Clock>();
// A name may be typed in many cases.
const zonesMax = 1_000;

function resolve(name: string): string | null {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

// The zone database vouches for what came after 1970; before and after these, clocks stay as they were at the edge.
const rulesFromMs = 0;
const rulesToMs = Date.UTC(2100, 0, 1);
// The shortest time between two changes is a week (northern Brazil, October 2000): a longer step would miss both. Of the
// years far ahead there are only rules, whose changes lie a month apart at least (Morocco before and after Ramadan).
const stepMs = (atMs: number) => (atMs < farAheadMs ? 5 * DAY : 20 * DAY);
const farAheadMs = Date.UTC(2037, 0, 1);

/** Some 15 ms of work, once for each zone. */
function readClock(id: string): Clock {
  const offsetAt = offsetReader(id);
  const changesMs: number[] = [];
  const offsetsMs = [offsetAt(rulesFromMs)];
  for (let fromMs = rulesFromMs, toMs = 0; fromMs < rulesToMs; fromMs = toMs) {
    toMs = fromMs + stepMs(fromMs);
    const before = offsetsMs.at(-1);
    if (offsetAt(toMs) === before) continue;
    const seconds = firstWhere((toMs - fromMs) / SECOND, (at) => offsetAt(fromMs + at * SECOND) !== before);
    changesMs.push(fromMs + seconds * SECOND);
    offsetsMs.push(offsetAt(toMs));
  }
  return { changesMs, offsetsMs };
}

function offsetReader(id: string): (instantMs: number) => number {
  // Only the offset is wanted; an hour beside it is the least that ICU can be asked for.
  const wanted = { hour: "numeric", hourCycle: "h23", timeZoneName: "longOffset" } as const;
  const format = new Intl.DateTimeFormat("en", { timeZone: id, ...wanted });
  return (instantMs) => {
    const text = format.format(instantMs);
    const found = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(text);
    assert(found, `ICU writes an offset such as GMT+05:45, not ${text}`);
    const [, sign, hours = 0, minutes = 0, seconds = 0] = found;
    return (sign === "-" ? -1 : 1) * ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * SECOND;
  };
}

/**
 * A clock that goes back from one minute past midnight shows the day before once more. So that every instant belongs to
 * one day, and every day is one piece, the new day goes on: for days, such a change counts from the second midnight.
 */
function dayClockOf({ changesMs, offsetsMs }: Clock): Clock {
  const delayed = changesMs.map((at, index) => {
    const midnight = Math.floor((at - 1 + (offsetsMs[index] ?? 0)) / DAY) * DAY;
    return Math.max(at, midnight - (offsetsMs[index + 1] ?? 0));
  });
  return { changesMs: delayed, offsetsMs };
}

/** The first of `count` places where something holds that holds in all later ones too; `count` when in none. */
function firstWhere(count: number, holds: (index: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
