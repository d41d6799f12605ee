import { sql } from "drizzle-orm";
import { boolean, index, integer, text, uniqueIndex } from "drizzle-orm/pg-core";
import { amount, bigint, checks, id, tieout, time } from "./columns.ts";

const now = sql`clock_timestamp()`;

/** What people want to be told about, and how. The page shows all of them. */
export const alertRules = tieout.table(
  "alert_rules",
  {
    id: integer("id").primaryKey().generatedAlwaysAsIdentity(),
    kind: text("kind").notNull(),
    /** `null`: every account. */
    accountIds: integer("account_ids").array(),
    limitSeconds: bigint("limit_seconds"),
    limitAmount: amount("limit_amount"),
    currency: text("currency"),
    byEmail: boolean("by_email").notNull().default(false),
    byWebhook: boolean("by_webhook").notNull().default(false),
    createdAt: time("created_at").notNull().default(now),
    createdBy: text("created_by").notNull(),
    version: integer("version").notNull().default(1),
  },
  (table) => [
    ...checks({
      alert_kind_is_known: sql`${table.kind} in ('data_old', 'value_at_risk', 'payout_overdue', 'statement_missing', 'account_paused', 'quarantine')`,
      alert_limit_is_positive: sql`${table.limitSeconds} >= 0 and ${table.limitAmount} >= 0`,
      old_data_has_a_limit: sql`${table.kind} <> 'data_old' or ${table.limitSeconds} is not null`,
      value_at_risk_has_a_limit: sql`(${table.kind} = 'value_at_risk') = (${table.limitAmount} is not null)
        and (${table.limitAmount} is null) = (${table.currency} is null)`,
    }),
  ],
);

/** One row: where e-mail goes, when not, and when the daily digest is due. */
export const alertSettings = tieout.table(
  "alert_settings",
  {
    /** Always true, so that there is one row. */
    one: boolean("one").primaryKey().default(true),
    recipients: text("recipients").array().notNull().default([]),
    zone: text("zone").notNull().default("UTC"),
    /** Minutes after midnight in `zone`; both or none. */
    quietFrom: integer("quiet_from"),
    quietTo: integer("quiet_to"),
    digestAt: integer("digest_at"),
    /** The day, in `zone`, of the last digest. */
    digestDay: text("digest_day"),
  },
  (table) => [
    ...checks({
      alert_settings_are_one_row: sql`${table.one}`,
      quiet_hours_have_two_ends: sql`(${table.quietFrom} is null) = (${table.quietTo} is null)
        and ${table.quietFrom} between 0 and 1439 and ${table.quietTo} between 0 and 1439`,
      digest_is_at_a_time_of_day: sql`${table.digestAt} between 0 and 1439`,
    }),
  ],
);

/** One thing that a rule found. While it stays true it is one alert, told once. */
export const alerts = tieout.table(
  "alerts",
  {
    id: id(),
    ruleId: integer("rule_id").notNull(),
    accountId: integer("account_id"),
    kind: text("kind").notNull(),
    /** Tells two things of one rule apart. */
    subject: text("subject").notNull(),
    title: text("title").notNull(),
    /** Where on the page to look. */
    path: text("path").notNull(),
    raisedAt: time("raised_at").notNull().default(now),
    clearedAt: time("cleared_at"),
    /** When it went out by e-mail; `null` while it waits, or if no e-mail was requested. */
    emailedAt: time("emailed_at"),
  },
  (table) => [
    uniqueIndex("alert_is_open_once")
      .on(table.ruleId, table.subject)
      .where(sql`cleared_at is null`),
    index("alerts_by_time").on(table.raisedAt, table.id),
  ],
);
