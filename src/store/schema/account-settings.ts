import { sql } from "drizzle-orm";
import { integer, jsonb, text, unique } from "drizzle-orm/pg-core";
import { accountId } from "./accounts.ts";
import { checks, id, tieout, time } from "./columns.ts";

/** Append-only versions of what is set for an account; the greatest version stored by `known_at` is in force. */
export const accountSettings = tieout.table(
  "account_settings",
  {
    id: id(),
    accountId: accountId(),
    name: text("name", { enum: ["chart_of_accounts", "functional_currency", "calendar"] }).notNull(),
    version: integer("version").notNull(),
    value: jsonb("value"),
    setAt: time("set_at")
      .notNull()
      .default(sql`clock_timestamp()`),
    setBy: text("set_by").notNull(),
    reason: text("reason").notNull(),
  },
  (table) => [
    unique("account_setting_version_is_kept_once").on(table.accountId, table.name, table.version),
    ...checks({
      account_setting_name_is_known: sql`${table.name} in ('chart_of_accounts', 'functional_currency', 'calendar')`,
      account_setting_versions_count_from_1: sql`${table.version} >= 1`,
    }),
  ],
);
