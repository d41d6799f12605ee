import { findZone, utc } from "../../core/zone.ts";
import type { Queryable } from "../database.ts";
import { atLocalTime, localTime, zoneArrays } from "../zone-sql.ts";

/** Passes the zones of all settlement calendars to the statements of a database transaction. */
export async function passZones(tx: Queryable): Promise<void> {
  const named = await tx.query<{ zone: string }>(
    `select distinct value ->> 'zone' as zone
     from tieout.provider_settings
     where kind = 'calendar'
       and value ->> 'zone' is not null`,
  );
  const names = new Set([utc.name, ...named.map(({ zone }) => zone)]);
  const zones = [...names].flatMap((name) => {
    const zone = findZone(name);
    return zone === null ? [] : [{ name, ...zoneArrays(zone) }];
  });
  await tx.query("select set_config('tieout.zones', $1, true)", [JSON.stringify(zones)]);
}

/** As rows. */
export const passedZones = `jsonb_to_recordset(current_setting('tieout.zones')::jsonb)
    as zone (name text, changes timestamptz[], offsets interval[], ends timestamp[])`;

/** The period of a calendar `c` that a time lies in: its start, and its end, which is excluded. */
export function periodStart(time: string): string {
  return periodEdge(time, "");
}

export function periodEnd(time: string): string {
  return periodEdge(time, " + c.length");
}

/** Nearly every calendar counts in UTC, and asked for millions of transactions the search would take as long again. */
function periodEdge(time: string, later: string): string {
  const edge = (local: string) => `(date_trunc(c.period, ${local})${later})`;
  return `case when c.is_utc then ${edge(`${time} at time zone 'UTC'`)} at time zone 'UTC'
           else ${atLocalTime(edge(localTime(time, arrays)), arrays)} end`;
}

const arrays = { changes: "c.changes", offsets: "c.offsets", ends: "c.ends" };
