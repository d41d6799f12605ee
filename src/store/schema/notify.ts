import { sql } from "drizzle-orm";
import { check, foreignKey, index, integer, jsonb, primaryKey, text } from "drizzle-orm/pg-core";
import { accountId } from "./accounts.ts";
import { bigint, checks, id, tieout, time } from "./columns.ts";

const now = sql`clock_timestamp()`;

/** Webhook endpoints. Signing secrets are not here: they are derived from a key outside the database. */
export const webhookEndpoints = tieout.table(
  "webhook_endpoints",
  {
    id: text("id").primaryKey(),
    url: text("url").notNull(),
    description: text("description").notNull().default(""),
    /** Types of events; `*` means all. */
    events: text("events").array().notNull(),
    /** `null`: every account. */
    accountIds: integer("account_ids").array(),
    state: text("state").$type<"enabled" | "disabled">().notNull().default("enabled"),
    disabledReason: text("disabled_reason"),
    disabledAt: time("disabled_at"),
    /** The secret is made of the signing key, the id and this number. */
    secretVersion: integer("secret_version").notNull().default(1),
    /** Until then the secret before it signs as well. */
    previousUntil: time("previous_until"),
    /** Of the signing key, so that a process with another one notices before it signs. */
    keyFingerprint: text("key_fingerprint").notNull(),
    createdAt: time("created_at").notNull().default(now),
    createdBy: text("created_by").notNull(),
    /** Attempts that failed since the last success. */
    failures: integer("failures").notNull().default(0),
    failingSince: time("failing_since"),
    lastSuccessAt: time("last_success_at"),
    lastError: text("last_error"),
    version: integer("version").notNull().default(1),
  },
  (table) => [
    ...checks({
      endpoint_id_has_its_form: sql`${table.id} ~ '^[0-9A-Za-z]{12}$'`,
      endpoint_hears_something: sql`cardinality(${table.events}) > 0`,
      endpoint_state_is_known: sql`${table.state} in ('enabled', 'disabled')`,
      disabled_endpoint_says_when_and_why: sql`(${table.state} = 'disabled') = (${table.disabledAt} is not null)
        and (${table.state} = 'disabled') = (${table.disabledReason} is not null)`,
      limited_endpoint_has_accounts: sql`${table.accountIds} is null or cardinality(${table.accountIds}) > 0`,
    }),
  ],
);

/** The outbox: what happened, written in the database transaction in which it happened. Kept for some weeks. */
export const events = tieout.table(
  "events",
  {
    id: id(),
    accountId: integer("account_id"),
    type: text("type").notNull(),
    /** What it happened to. Events of one subject are delivered in the order of their numbers. */
    subject: text("subject").notNull(),
    at: time("at").notNull().default(now),
    data: jsonb("data").notNull(),
  },
  (table) => [index("outbox_by_time").using("brin", table.at)],
);

/** One event for one endpoint, and how far it has got. */
export const webhookDeliveries = tieout.table(
  "webhook_deliveries",
  {
    endpointId: text("endpoint_id").notNull(),
    eventId: bigint("event_id").notNull(),
    subject: text("subject").notNull(),
    state: text("state").$type<"pending" | "delivered" | "failed">().notNull().default("pending"),
    attempts: integer("attempts").notNull().default(0),
    nextAt: time("next_at").notNull().default(now),
    leaseUntil: time("lease_until"),
    /** Who holds the lease: a late answer of another must change nothing. */
    sender: text("sender"),
    /** The receiver's HTTP status at the last attempt; `null` when there was no answer. */
    status: integer("status"),
    error: text("error"),
    createdAt: time("created_at").notNull().default(now),
    settledAt: time("settled_at"),
  },
  (table) => [
    primaryKey({ name: "event_is_delivered_once", columns: [table.endpointId, table.eventId] }),
    foreignKey({
      name: "delivery_has_an_endpoint",
      columns: [table.endpointId],
      foreignColumns: [webhookEndpoints.id],
    }).onDelete("cascade"),
    check("delivery_state_is_known", sql`${table.state} in ('pending', 'delivered', 'failed')`),
    check("settled_delivery_says_when", sql`(${table.state} = 'pending') = (${table.settledAt} is null)`),
    index("deliveries_due")
      .on(table.endpointId, table.nextAt, table.eventId)
      .where(sql`state = 'pending'`),
    index("deliveries_in_order")
      .on(table.endpointId, table.subject, table.eventId)
      .where(sql`state = 'pending'`),
    index("deliveries_by_time").using("brin", table.createdAt),
  ],
);

/** Signed hints of the aggregator: a transaction has changed. The truth is read again; a hint changes no figure. */
export const upstreamEvents = tieout.table(
  "upstream_events",
  {
    accountId: accountId(),
    eventId: text("event_id").notNull(),
    transactionId: text("transaction_id").notNull(),
    /** The window in which the transaction is read again. */
    windowId: bigint("window_id").notNull(),
    receivedAt: time("received_at").notNull().default(now),
  },
  (table) => [
    primaryKey({ name: "upstream_event_is_heard_once", columns: [table.accountId, table.eventId] }),
    index("upstream_events_of_window").on(table.windowId, table.transactionId),
    index("upstream_events_by_time").using("brin", table.receivedAt),
  ],
);
