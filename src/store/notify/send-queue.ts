import { DAY, HOUR, MINUTE, SECOND } from "../../core/duration.ts";
import type { Database, Queryable, Transaction } from "../database.ts";
import { recordAudit } from "../people/audit-log.ts";

/** A delivery that a sender may attempt now, and what it says. */
export interface ClaimedDelivery {
  endpointId: string;
  url: string;
  secretVersion: number;
  /** Whether the secret before it signs as well. */
  bothSecrets: boolean;
  keyFingerprint: string;
  eventId: number;
  type: string;
  /** ISO 8601 with milliseconds. */
  at: string;
  /** JSON text. */
  data: string;
  /** This one included. */
  attempts: number;
}

export interface ClaimOptions {
  sender: string;
  limit: number;
  /** How many a healthy endpoint is sent at once by this sender. */
  perEndpoint: number;
  leaseMs: number;
  /** What this sender has under way, by endpoint. */
  underWay: ReadonlyMap<string, number>;
}

/**
 * Leases deliveries that are due. Of one subject only the earliest pending one: events of a subject arrive in order. An
 * endpoint that fails is tried with few at once, so that it takes no room from those that answer.
 */
export async function claimDeliveries(
  database: Queryable,
  options: ClaimOptions,
): Promise<ClaimedDelivery[]> {
  return database.query<ClaimedDelivery>(
    `with open as (
       select e.*,
              case when e.failures >= ${failuresUntilProbing} then 1
                   when e.failures > 0 then least(4, $3::int)
                   else $3::int end
                - coalesce(($6::int[])[array_position($5::text[], e.id)], 0) as room
       from tieout.webhook_endpoints as e
       where e.state = 'enabled'
     ), due as (
       select d.endpoint_id, d.event_id
       from open
       cross join lateral (
         select d.endpoint_id, d.event_id
         from tieout.webhook_deliveries as d
         where d.endpoint_id = open.id
           and d.state = 'pending'
           and d.next_at <= clock_timestamp()
           and (d.lease_until is null or d.lease_until <= clock_timestamp())
           and d.event_id = (                               -- looked up by index for each; a join would read all that wait
             select first.event_id
             from tieout.webhook_deliveries as first
             where first.endpoint_id = d.endpoint_id and first.subject = d.subject and first.state = 'pending'
             order by first.endpoint_id, first.subject, first.event_id
             limit 1
           )
         order by d.next_at, d.event_id
         limit greatest(0, open.room)
         for update of d skip locked
       ) as d
       limit $2
     ), claimed as (
       update tieout.webhook_deliveries as d
       set sender = $1,
           attempts = d.attempts + 1,
           lease_until = clock_timestamp() + $4::double precision * interval '1 millisecond'
       from due
       where d.endpoint_id = due.endpoint_id and d.event_id = due.event_id
       returning d.endpoint_id, d.event_id, d.attempts
     )
     select c.endpoint_id as "endpointId", e.url, e.secret_version as "secretVersion", e.key_fingerprint as "keyFingerprint",
            coalesce(e.previous_until > clock_timestamp(), false) as "bothSecrets",
            c.event_id::double precision as "eventId", v.type, v.data::text as data, c.attempts,
            to_char(v.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at
     from claimed as c
     join tieout.webhook_endpoints as e on e.id = c.endpoint_id
     join tieout.events as v on v.id = c.event_id
     order by c.event_id`,
    [
      options.sender,
      options.limit,
      options.perEndpoint,
      options.leaseMs,
      [...options.underWay.keys()],
      [...options.underWay.values()],
    ],
    "claim_deliveries",
  );
}

/** From then on an endpoint gets one attempt at a time until one succeeds. */
const failuresUntilProbing = 5;

/** After which wait the next attempt comes: about a day in all. */
const waitsMs = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  4 * HOUR,
  6 * HOUR,
  10 * HOUR,
];

/** An endpoint with no success for so long is disabled. */
const failingMaxMs = 3 * DAY;

export interface Attempt {
  endpointId: string;
  eventId: number;
  /** This one included. */
  attempts: number;
  /** The receiver's status; `null` without an answer. */
  status: number | null;
  /** `null`: the receiver took it. */
  error: string | null;
  /** 0 to 1, so that receivers are not called by everyone at the same moment. */
  chance: number;
}

/** Notes how attempts ended, many at once. An answer that comes after its lease was taken over changes nothing. */
export async function settleAttempts(
  database: Database,
  sender: string,
  attempts: readonly Attempt[],
): Promise<{ disabled: string[] }> {
  return database.transaction(async (tx) => {
    await holdEndpoints(
      tx,
      attempts.map(({ endpointId }) => endpointId),
    );
    await tx.query(
      `with attempt as (
         select *
         from unnest($2::text[], $3::bigint[], $4::int[], $5::text[], $6::double precision[])
           as attempt (endpoint_id, event_id, status, error, wait_ms)
       ), settled as (
         update tieout.webhook_deliveries as d
         set lease_until = null,
             status = attempt.status,
             error = attempt.error,
             state = case when attempt.error is null then 'delivered' when attempt.wait_ms is null then 'failed' else 'pending' end,
             settled_at = case when attempt.error is null or attempt.wait_ms is null then clock_timestamp() end,
             next_at = coalesce(clock_timestamp() + attempt.wait_ms * interval '1 millisecond', d.next_at)
         from attempt
         where d.endpoint_id = attempt.endpoint_id
           and d.event_id = attempt.event_id
           and d.sender = $1
           and d.state = 'pending'
         returning d.endpoint_id, d.event_id, d.subject, d.state, d.next_at, attempt.error
       )
       update tieout.webhook_deliveries as d                -- those behind it need not be looked at before it
       set next_at = settled.next_at
       from settled
       where settled.state = 'pending'
         and d.endpoint_id = settled.endpoint_id
         and d.subject = settled.subject
         and d.event_id > settled.event_id
         and d.state = 'pending'
         and d.next_at < settled.next_at`,
      [
        sender,
        attempts.map(({ endpointId }) => endpointId),
        attempts.map(({ eventId }) => eventId),
        attempts.map(({ status }) => status),
        attempts.map(({ error }) => error),
        attempts.map(waitOf),
      ],
      "settle_attempts",
    );
    return { disabled: await noteHealth(tx, attempts) };
  });
}

/**
 * Keeps endpoints from being deleted until the transaction ends. Code that changes deliveries does this first: deleting an endpoint
 * takes its deliveries along, and in the other order the two would wait for each other.
 */
export async function holdEndpoints(tx: Transaction, ids: readonly string[]): Promise<void> {
  await tx.query("select from tieout.webhook_endpoints where id = any ($1) order by id for key share", [
    [...new Set(ids)],
  ]);
}

/** `null`: no further attempt. */
function waitOf({ error, attempts, chance }: Attempt): number | null {
  if (error === null) return null;
  const waitMs = waitsMs[attempts - 1];
  return waitMs === undefined ? null : Math.round(waitMs * (1 + chance / 5));
}

/** What people see of an endpoint, and what decides how it is tried; left alone while all is well. */
async function noteHealth(tx: Transaction, attempts: readonly Attempt[]): Promise<string[]> {
  const endpoints = [...new Set(attempts.map(({ endpointId }) => endpointId))].toSorted();
  const of = (id: string) => attempts.filter(({ endpointId }) => endpointId === id);
  const changed = await tx.query<{ id: string; reason: string; gone: boolean; long: boolean }>(
    `with seen as (
       select *
       from unnest($1::text[], $2::int[], $3::boolean[], $4::text[], $5::boolean[])
         as seen (id, failed, succeeded, error, gone)
     ), told as (                                           -- in one order: two senders do not wait for each other
       select e.id
       from tieout.webhook_endpoints as e
       join seen on seen.id = e.id
       where not seen.succeeded or e.failures > 0 or e.last_success_at is null
         or e.last_success_at < clock_timestamp() - interval '5 seconds'
       order by e.id
       for no key update of e
     )
     update tieout.webhook_endpoints as e
     set failures = case when seen.succeeded then 0 else e.failures + seen.failed end,
         failing_since = case when seen.succeeded then null else coalesce(e.failing_since, clock_timestamp()) end,
         last_success_at = case when seen.succeeded then clock_timestamp() else e.last_success_at end,
         last_error = case when seen.succeeded then null else seen.error end
     from seen
     join told on told.id = seen.id
     where e.id = seen.id
     returning e.id, coalesce(e.last_error, '') as reason, seen.gone,
               coalesce(e.failing_since < clock_timestamp() - $6::double precision * interval '1 millisecond', false) as long`,
    [
      endpoints,
      endpoints.map((id) => of(id).filter(({ error }) => error !== null).length),
      endpoints.map((id) => of(id).some(({ error }) => error === null)),
      endpoints.map((id) => of(id).find(({ error }) => error !== null)?.error ?? null),
      endpoints.map((id) => of(id).some(({ status }) => status === 410)),
      failingMaxMs,
    ],
    "note_endpoint_health",
  );
  const disabled = changed.filter(({ gone, long }) => gone || long);
  for (const { id, gone, reason } of disabled) {
    const why = gone
      ? "the receiver answered 410: it wants no more events"
      : `no delivery has succeeded for 3 days; the last failure: ${reason}`;
    await tx.query(
      `update tieout.webhook_endpoints
       set state = 'disabled', disabled_at = clock_timestamp(), disabled_reason = $2, version = version + 1
       where id = $1 and state = 'enabled'`,
      [id, why],
    );
    await recordAudit(tx, { actor: "service", action: "webhook.disabled", subject: `wh_${id}`, reason: why });
  }
  return disabled.map(({ id }) => id);
}

/** Milliseconds until something is due that is not due now; `null` when nothing waits. */
export async function nextDueMs(database: Queryable): Promise<number | null> {
  const [row] = await database.query<{ ms: number | null }>(
    `select (extract(epoch from min(next.next_at) - clock_timestamp()) * 1000)::double precision as ms
     from tieout.webhook_endpoints as e
     cross join lateral (
       select d.next_at
       from tieout.webhook_deliveries as d
       where d.endpoint_id = e.id and d.state = 'pending' and d.next_at > clock_timestamp()
       order by d.next_at
       limit 1
     ) as next
     where e.state = 'enabled'`,
    [],
    "next_delivery_due",
  );
  return row?.ms ?? null;
}
