import { and, eq, sql } from "drizzle-orm";
import { anyOf, type Filters } from "../conditions.ts";
import type { Database, Queryable } from "../database.ts";
import type { Page, PageWanted } from "../keyset.ts";
import { type Author, recordAudit } from "../people/audit-log.ts";
import { events, webhookDeliveries } from "../schema/notify.ts";
import { pagingBy, selectPage } from "../select-page.ts";
import { holdEndpoints } from "./send-queue.ts";

const columns = {
  eventId: webhookDeliveries.eventId,
  type: events.type,
  at: events.at,
  data: sql<string>`${events.data}::text`,
  state: webhookDeliveries.state,
  attempts: webhookDeliveries.attempts,
  nextAt: webhookDeliveries.nextAt,
  status: webhookDeliveries.status,
  error: webhookDeliveries.error,
  settledAt: webhookDeliveries.settledAt,
};

export interface DeliveryRow {
  eventId: number;
  type: string;
  at: string;
  /** JSON text. */
  data: string;
  state: "pending" | "delivered" | "failed";
  attempts: number;
  nextAt: string;
  status: number | null;
  error: string | null;
  settledAt: string | null;
}

export const deliveryPaging = pagingBy(webhookDeliveries, "descending", "eventId");

/** Deliveries of one endpoint, newest event first. */
export async function listDeliveries(
  database: Queryable,
  endpointId: string,
  filters: Filters<"state" | "type">,
  page: PageWanted,
): Promise<Page<DeliveryRow>> {
  const select = database.orm
    .select(columns)
    .from(webhookDeliveries)
    .innerJoin(events, eq(events.id, webhookDeliveries.eventId))
    .$dynamic();
  return selectPage(select, deliveryPaging, page, [
    eq(webhookDeliveries.endpointId, endpointId),
    anyOf(webhookDeliveries.state, filters.state),
    anyOf(events.type, filters.type),
  ]);
}

export interface ReplayWanted {
  /** These events; left out: by time. */
  eventIds?: readonly number[] | undefined;
  /** Events from then on; with `eventIds` left out. */
  from?: string | undefined;
  to?: string | undefined;
  /** Only those that have not been delivered, missed ones included. */
  undelivered: boolean;
}

const replayMax = 100_000;

/**
 * Sends events again, also those that the endpoint missed while it was disabled. What waits anyway is left alone. Says how
 * many will be sent.
 */
export async function replayEvents(
  database: Database,
  endpointId: string,
  wanted: ReplayWanted,
  author: Author,
): Promise<number> {
  return database.transaction(async (tx) => {
    await holdEndpoints(tx, [endpointId]);
    const [row] = await tx.query<{ count: number }>(
      `with wanted as (
         select v.id, coalesce(v.account_id, 0) || ' ' || v.subject as subject
         from tieout.events as v
         join tieout.webhook_endpoints as e on e.id = $1
         left join tieout.webhook_deliveries as d on d.endpoint_id = e.id and d.event_id = v.id
         where ($2::bigint[] is null or v.id = any ($2::bigint[]))
           and v.at >= coalesce($3::timestamptz, '-infinity')
           and v.at < coalesce($4::timestamptz, 'infinity')
           and (v.type <> 'webhook.test' or $2::bigint[] is not null)
           and (e.account_ids is null or v.account_id = any (e.account_ids))
           and (e.events && array[v.type, '*'] or d.event_id is not null)
           -- Before the limit: what was delivered must not take the places of what was missed after it.
           and (d.event_id is null or d.state = 'failed' or (d.state = 'delivered' and not $5::boolean))
         order by v.id
         limit ${replayMax}
       ), again as (
         insert into tieout.webhook_deliveries as d (endpoint_id, event_id, subject)
         select $1, id, subject
         from wanted
         order by id
         on conflict on constraint event_is_delivered_once do update
         set state = 'pending', attempts = 0, next_at = clock_timestamp(), settled_at = null, lease_until = null
         where d.state = 'failed' or (d.state = 'delivered' and not $5::boolean)
         returning 1
       ), rung as (
         select pg_notify('tieout_webhooks', '')
       )
       select (select count(*)::int from again) as count
       from rung`,
      [endpointId, wanted.eventIds ?? null, wanted.from ?? null, wanted.to ?? null, wanted.undelivered],
    );
    const count = row?.count ?? 0;
    const { eventIds, from, to, undelivered } = wanted;
    const after = { events: eventIds?.map((id) => `evt_${id}`), from, to, undelivered, count };
    await recordAudit(tx, { ...author, action: "webhook.replayed", subject: `wh_${endpointId}`, after });
    return count;
  });
}

/** An event for one endpoint alone, whatever it has asked for. Returns its number. */
export async function sendTestEvent(
  database: Database,
  endpointId: string,
  author: Author,
): Promise<DeliveryRow> {
  return database.transaction(async (tx) => {
    const [event] = await tx.orm
      .insert(events)
      .values({
        type: "webhook.test",
        subject: `endpoint ${endpointId}`,
        data: { endpoint: `wh_${endpointId}` },
      })
      .returning({ id: events.id });
    const eventId = event?.id ?? 0;
    await tx.orm
      .insert(webhookDeliveries)
      .values({ endpointId, eventId, subject: `0 endpoint ${endpointId}` });
    await tx.query("select pg_notify('tieout_webhooks', '')");
    await recordAudit(tx, { ...author, action: "webhook.tested", subject: `wh_${endpointId}` });
    const [row] = await tx.orm
      .select(columns)
      .from(webhookDeliveries)
      .innerJoin(events, eq(events.id, webhookDeliveries.eventId))
      .where(and(eq(webhookDeliveries.endpointId, endpointId), eq(webhookDeliveries.eventId, eventId)));
    if (row === undefined) throw new Error("a delivery that was just made is there");
    return row;
  });
}
