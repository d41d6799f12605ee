import { sql } from "drizzle-orm";
import { check, index, integer, text, uniqueIndex } from "drizzle-orm/pg-core";
import { bigint, bytes, checks, id, tieout, time } from "./columns.ts";

/** Filters of a screen under a name, for everyone who may see the accounts of the person who saved them. */
export const savedViews = tieout.table(
  "saved_views",
  {
    id: id(),
    name: text("name").notNull(),
    screen: text("screen").notNull(),
    query: text("query").notNull(),
    /** The accounts that its author was limited to; none: all. */
    accountIds: integer("account_ids").array(),
    savedBy: text("saved_by").notNull(),
    savedAt: time("saved_at")
      .notNull()
      .default(sql`clock_timestamp()`),
    removedAt: time("removed_at"),
  },
  (table) => [
    uniqueIndex("view_name_is_used_once")
      .on(sql`coalesce(account_ids, '{}')`, table.screen, sql`lower(name)`)
      .where(sql`removed_at is null`),
    check("view_has_a_name", sql`length(${table.name}) between 1 and 80`),
    check("view_is_of_a_screen", sql`${table.screen} ~ '^/[a-z/]+$' and length(${table.query}) <= 2000`),
  ],
);

/** Files that people put beside a discrepancy: the mail of a provider, a picture of a dashboard. Append-only. */
export const attachments = tieout.table(
  "attachments",
  {
    id: id(),
    accountId: integer("account_id").notNull(),
    discrepancyId: bigint("discrepancy_id").notNull(),
    fileName: text("file_name").notNull(),
    kind: text("kind").notNull(),
    byteCount: integer("byte_count").notNull(),
    sha256: bytes("sha256").notNull(),
    content: bytes("content").notNull(),
    addedBy: text("added_by").notNull(),
    addedAt: time("added_at")
      .notNull()
      .default(sql`clock_timestamp()`),
  },
  (table) => [
    uniqueIndex("file_is_attached_once").on(table.accountId, table.discrepancyId, table.sha256),
    index("attachments_of_discrepancy").on(table.discrepancyId),
    ...checks({
      attachment_kind_is_known: sql`${table.kind} in ('pdf', 'png', 'jpeg', 'zip', 'text')`,
      attachment_is_small: sql`${table.byteCount} between 1 and 5242880 and length(${table.content}) = ${table.byteCount}`,
      attachment_hash_is_sha256: sql`length(${table.sha256}) = 32`,
    }),
  ],
);
