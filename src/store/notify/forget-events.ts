import { DAY } from "../../core/duration.ts";
import type { Queryable } from "../database.ts";

/** Events are kept so long that they can be sent again. */
const keepMs = 30 * DAY;

/** Removes old events with their deliveries, some at a time. Says how many events went. */
export async function forgetOldEvents(database: Queryable): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    `with old as (
       select id
       from tieout.events
       where at < clock_timestamp() - $1::double precision * interval '1 millisecond'
       order by id
       limit 10000
     ), deliveries as (
       delete from tieout.webhook_deliveries as d
       using old, tieout.webhook_endpoints as e
       where d.endpoint_id = e.id and d.event_id = old.id
     ), hints as (
       delete from tieout.upstream_events where received_at < clock_timestamp() - $1::double precision * interval '1 millisecond'
     ), gone as (
       delete from tieout.events as v using old where v.id = old.id returning 1
     )
     select count(*)::int as count
     from gone`,
    [keepMs],
  );
  return row?.count ?? 0;
}
