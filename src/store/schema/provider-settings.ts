import { sql } from "drizzle-orm";
import { integer, jsonb, text, unique } from "drizzle-orm/pg-core";
import { accounts } from "./accounts.ts";
import { checks, id, tieout, time } from "./columns.ts";

/** Append-only versions of everything that is set per provider; the greatest version stored by `known_at` is in force. */
export const providerSettings = tieout.table(
  "provider_settings",
  {
    id: id(),
    accountId: integer("account_id").references(() => accounts.id),
    provider: text("provider").notNull(),
    kind: text("kind", {
      enum: [
        "profile",
        "status_map",
        "alias",
        "provider_name",
        "category",
        "tolerance",
        "calendar",
        "exclusion",
        "receipts",
      ],
    }).notNull(),
    name: text("name").notNull().default(""),
    version: integer("version").notNull(),
    value: jsonb("value"),
    savedAt: time("saved_at")
      .notNull()
      .default(sql`clock_timestamp()`),
    savedBy: text("saved_by").notNull(),
    reason: text("reason"),
  },
  (table) => [
    unique("setting_version_is_kept_once")
      .on(table.accountId, table.provider, table.kind, table.name, table.version)
      .nullsNotDistinct(),
    ...checks({
      setting_kind_is_known: sql`${table.kind} in ('profile', 'status_map', 'alias', 'provider_name', 'category', 'tolerance', 'calendar', 'exclusion', 'receipts')`,
      setting_versions_count_from_1: sql`${table.version} >= 1`,
    }),
  ],
);
