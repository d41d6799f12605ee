import { formatInstant } from "../core/instant.ts";
import type { Zone } from "../core/zone.ts";

/**
 * The local day of a time, as a `date`. Postgres has zone data of its own, which may be older or newer than ours, so it is
 * never asked: it gets a zone's changes as arrays and adds the offset that its binary search, `width_bucket`, finds.
 */
export function localDay(time: string, zone: Zone, bind: (value: string, type: string) => string): string {
  const { changesMs, offsetsMs } = zone.dayClock;
  if (changesMs.length === 0 && offsetsMs[0] === 0) return `(${time} at time zone 'UTC')::date`;
  const array = (items: readonly string[]) => `{${items.join(",")}}`;
  const changes = bind(array(changesMs.map((at) => formatInstant(at))), "timestamptz[]");
  const offsets = bind(array(offsetsMs.map((ms) => `PT${ms / 1_000}S`)), "interval[]");
  return `(${time} at time zone 'UTC' + (${offsets})[width_bucket(${time}, ${changes}) + 1])::date`;
}
