import { sql } from "drizzle-orm";
import { check, date, index, text } from "drizzle-orm/pg-core";
import { amount, bytes, id, tieout, time } from "./columns.ts";

/** Rates of exchange by day, as a source states them: append-only, and of one day the row that was imported last counts. */
export const rates = tieout.table(
  "rates",
  {
    id: id(),
    day: date("day", { mode: "string" }).notNull(),
    base: text("base").notNull(),
    quote: text("quote").notNull(),
    rate: amount("rate").notNull(),
    source: text("source").notNull(),
    fileName: text("file_name").notNull(),
    sha256: bytes("sha256").notNull(),
    importedAt: time("imported_at")
      .notNull()
      .default(sql`clock_timestamp()`),
    importedBy: text("imported_by").notNull(),
  },
  (table) => [
    index("rates_by_day").on(table.base, table.quote, table.day, table.importedAt),
    check("rate_is_positive", sql`${table.rate} > 0`),
    check("rate_is_between_two_currencies", sql`${table.base} <> ${table.quote}`),
  ],
);
