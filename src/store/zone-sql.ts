import { formatInstant } from "../core/instant.ts";
import type { Zone } from "../core/zone.ts";

/**
 * Local days in SQL. Postgres has zone data of its own, which may be older or newer than ours, so it is never asked: it
 * gets a zone's changes as arrays and adds the offset that its binary search, `width_bucket`, finds for a time.
 */
export interface ZoneArrays {
  /** `timestamptz[]`: when the offset changes. */
  changes: string;
  /** `interval[]`: the offset before the first change, and from each change on. */
  offsets: string;
  /** `timestamp[]`: what the local clock shows when each change comes. */
  ends: string;
}

/** As Postgres reads them from text. */
export function zoneArrays({ dayClock: { changesMs, offsetsMs } }: Zone): ZoneArrays {
  const array = (items: readonly string[]) => `{${items.join(",")}}`;
  const offset = (index: number) => offsetsMs[index] ?? 0;
  return {
    changes: array(changesMs.map((at) => formatInstant(at))),
    offsets: array(offsetsMs.map((ms) => `PT${ms / 1_000}S`)),
    ends: array(changesMs.map((at, index) => formatInstant(at + offset(index)).slice(0, -1))),
  };
}

/** The local day of a time, as a `date`. */
export function localDay(time: string, zone: Zone, bind: (value: string, type: string) => string): string {
  const { changesMs, offsetsMs } = zone.dayClock;
  if (changesMs.length === 0 && offsetsMs[0] === 0) return `(${time} at time zone 'UTC')::date`;
  const { changes, offsets } = zoneArrays(zone);
  const bound = { changes: bind(changes, "timestamptz[]"), offsets: bind(offsets, "interval[]") };
  return `${localTime(time, bound)}::date`;
}

/** What the local clock shows, as a `timestamp`. The arrays are SQL expressions. */
export function localTime(
  time: string,
  { changes, offsets }: Pick<ZoneArrays, "changes" | "offsets">,
): string {
  return `(${time} at time zone 'UTC' + (${offsets})[width_bucket(${time}, ${changes}) + 1])`;
}

/** The first time at which the local clock shows this, or more where that is skipped. */
export function atLocalTime(local: string, { changes, offsets, ends }: ZoneArrays): string {
  const passed = `width_bucket(${local}, ${ends})`;
  return `greatest((${changes})[${passed}], (${local} - (${offsets})[${passed} + 1]) at time zone 'UTC')`;
}
