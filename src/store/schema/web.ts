import { sql } from "drizzle-orm";
import { check, date, index, integer, text } from "drizzle-orm/pg-core";
import { amount, bigint, tieout, time } from "./columns.ts";

/**
 * Counts and sums by day, added up in advance: with millions of transactions a screen must not wait for a sum over a
 * month. A day begins at another time in each zone, so they are kept for UTC and for each zone that someone looks in.
 * Derived from `transactions`; a day is added up again when one of its transactions has changed.
 */
export const dailyTotals = tieout.table(
  "daily_totals",
  {
    zone: text("zone").notNull(),
    accountId: integer("account_id").notNull(),
    day: date("day", { mode: "string" }).notNull(),
    provider: text("provider"),
    transactionType: text("transaction_type"),
    status: text("status").notNull(),
    sourceCurrency: text("source_currency"),
    /** Of completed transactions: how far they are tied out. */
    class: text("class"),
    transactions: bigint("transactions").notNull(),
    inAmount: amount("in_amount"),
    latestStatusDate: time("latest_status_date").notNull(),
  },
  (table) => [
    check("totals_class_is_known", sql`${table.class} in ('matched', 'pending', 'discrepant', 'excluded')`),
    index("daily_totals_by_day").on(table.zone, table.day, table.accountId),
  ],
);

/** Up to which change the daily totals of each zone have been added up. */
export const dailyTotalsProgress = tieout.table("daily_totals_progress", {
  zone: text("zone").primaryKey(),
  addedUpTo: time("added_up_to").notNull(),
  addedUpAt: time("added_up_at").notNull(),
  /** Those of a zone that is no longer looked at are dropped. */
  askedAt: time("asked_at").notNull(),
});
