import { sql } from "drizzle-orm";
import { bigint, boolean, check, date, index, integer, text } from "drizzle-orm/pg-core";
import { amount, tieout, time } from "./columns.ts";

/**
 * Counts and sums by UTC day, added up ahead of the asking: with millions of transactions nobody should wait for a sum
 * over a month. Derived from `transactions`; a day is added up again when one of its transactions has changed.
 */
export const dailyTotals = tieout.table(
  "daily_totals",
  {
    accountId: integer("account_id").notNull(),
    day: date("day", { mode: "string" }).notNull(),
    provider: text("provider"),
    transactionType: text("transaction_type"),
    status: text("status").notNull(),
    sourceCurrency: text("source_currency"),
    /** Of completed transactions: how far they are tied out. */
    class: text("class"),
    transactions: bigint("transactions", { mode: "number" }).notNull(),
    inAmount: amount("in_amount"),
    latestStatusDate: time("latest_status_date").notNull(),
  },
  (table) => [
    check("totals_class_is_known", sql`${table.class} in ('matched', 'pending', 'discrepant', 'excluded')`),
    index("daily_totals_by_day").on(table.day, table.accountId),
  ],
);

/** Up to which change the daily totals have been added up. One row. */
export const dailyTotalsProgress = tieout.table(
  "daily_totals_progress",
  {
    onlyRow: boolean("only_row").primaryKey().default(true),
    addedUpTo: time("added_up_to").notNull(),
    addedUpAt: time("added_up_at").notNull(),
  },
  (table) => [check("progress_is_one_row", sql`${table.onlyRow}`)],
);
