import { sql } from "drizzle-orm";
import { check, index, jsonb, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { accountId } from "./accounts.ts";
import { bigint, bytes, checks, id, tieout, time } from "./columns.ts";

const period = {
  accountId: accountId(),
  /** `2026-10`, a month in the account's zone. */
  month: text("month").notNull(),
};

/** Where the month lies: fixed by its first event, because the zone is a setting and settings change. */
const bounds = {
  zone: text("zone").notNull(),
  fromAt: time("from_at").notNull(),
  toAt: time("to_at").notNull(),
};

/** How each period stands: the fold of its events, written only by their trigger. Without a row it is open. */
export const periods = tieout.table(
  "periods",
  {
    ...period,
    ...bounds,
    state: text("state").notNull(),
    knownAt: time("known_at"),
    packSha256: bytes("pack_sha256"),
    preparedBy: text("prepared_by"),
    preparedByName: text("prepared_by_name"),
    preparedAt: time("prepared_at"),
    closedBy: text("closed_by"),
    closedByName: text("closed_by_name"),
    closedAt: time("closed_at"),
    reopenAskedBy: text("reopen_asked_by"),
    reopenAskedByName: text("reopen_asked_by_name"),
    lastEventId: bigint("last_event_id").notNull(),
  },
  (table) => [
    primaryKey({ name: "period_is_kept_once", columns: [table.accountId, table.month] }),
    ...checks({
      period_month_is_a_month: sql`${table.month} ~ '^[0-9]{4}-(0[1-9]|1[0-2])$'`,
      period_has_a_length: sql`${table.fromAt} < ${table.toAt}`,
      period_state_is_known: sql`${table.state} in ('open', 'prepared', 'closed', 'reopened')`,
      signed_period_is_pinned: sql`${table.state} in ('open', 'reopened')
        or ${table.knownAt} is not null and ${table.packSha256} is not null and ${table.preparedBy} is not null`,
      closed_period_is_approved: sql`(${table.state} = 'closed') = (${table.closedBy} is not null)`,
      two_people_close_a_period: sql`${table.closedBy} <> ${table.preparedBy}`,
    }),
  ],
);

/** Append-only, each chained to the one before it in its period: all that was ever signed, and what became of it. */
export const periodEvents = tieout.table(
  "period_events",
  {
    id: id(),
    ...period,
    ...bounds,
    event: text("event").notNull(),
    actor: text("actor").notNull(),
    actorName: text("actor_name").notNull(),
    vouchedBy: text("vouched_by"),
    at: time("at")
      .notNull()
      .default(sql`clock_timestamp()`),
    knownAt: time("known_at"),
    packSha256: bytes("pack_sha256"),
    checklist: jsonb("checklist"),
    accepted: jsonb("accepted"),
    changes: jsonb("changes"),
    reason: text("reason"),
    requestId: text("request_id"),
    previousHash: bytes("previous_hash").notNull(),
    hash: bytes("hash").notNull(),
  },
  (table) => [
    index("events_of_period").on(table.accountId, table.month, table.id),
    // The chain of a period does not fork.
    uniqueIndex("period_event_has_one_successor").on(table.accountId, table.month, table.previousHash),
    ...checks({
      period_event_is_known: sql`${table.event} in ('prepared', 'lapsed', 'approved', 'reopen_asked', 'reopened')`,
      period_event_has_a_name: sql`${table.actor} <> '' and ${table.actorName} <> ''`,
      signature_is_pinned: sql`${table.event} not in ('prepared', 'approved')
        or ${table.knownAt} is not null and length(${table.packSha256}) = 32`,
      preparation_has_a_checklist: sql`(${table.event} = 'prepared') = (${table.checklist} is not null and ${table.accepted} is not null)`,
      reopening_has_a_reason: sql`${table.event} not in ('reopen_asked', 'reopened') or coalesce(${table.reason}, '') <> ''`,
    }),
  ],
);

/** Append-only: a discrepancy that is still open at the end of a month and is taken into the next, by whom and why. */
export const carriedDiscrepancies = tieout.table(
  "carried_discrepancies",
  {
    id: id(),
    ...period,
    discrepancyId: bigint("discrepancy_id").notNull(),
    owner: text("owner").notNull(),
    reason: text("reason").notNull(),
    actor: text("actor").notNull(),
    actorName: text("actor_name").notNull(),
    at: time("at")
      .notNull()
      .default(sql`clock_timestamp()`),
  },
  (table) => [
    index("carried_by_period").on(table.accountId, table.month, table.discrepancyId),
    check("carried_with_owner_and_reason", sql`${table.owner} <> '' and ${table.reason} <> ''`),
  ],
);
