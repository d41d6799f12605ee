import { sql } from "drizzle-orm";
import { boolean, check, index, integer, text, unique } from "drizzle-orm/pg-core";
import { accountId } from "./accounts.ts";
import { amount, bigint, bytes, checks, id, tieout, time } from "./columns.ts";

/**
 * What was agreed with a provider about fees and shares, from a day on: append-only versions. Of those that are valid at the
 * time of an order, the one that begins last counts, and of two from one day the greater version.
 */
export const feeSchedules = tieout.table(
  "fee_schedules",
  {
    id: id(),
    accountId: accountId(),
    provider: text("provider").notNull(),
    version: integer("version").notNull(),
    validFrom: time("valid_from").notNull(),
    fileName: text("file_name"),
    sha256: bytes("sha256").notNull(),
    importedAt: time("imported_at")
      .notNull()
      .default(sql`clock_timestamp()`),
    importedBy: text("imported_by").notNull(),
    reason: text("reason").notNull(),
  },
  (table) => [
    unique("fee_schedule_version_is_kept_once").on(table.accountId, table.provider, table.version),
    check("fee_schedule_versions_count_from_1", sql`${table.version} >= 1`),
  ],
);

/** One rule of a schedule. Of those that fit an order, the most specific counts; of its steps, the highest reached. */
export const feeTerms = tieout.table(
  "fee_terms",
  {
    id: id(),
    scheduleId: bigint("schedule_id")
      .notNull()
      .references(() => feeSchedules.id),
    kind: text("kind", { enum: ["share", "processing_fee", "total_fee"] }).notNull(),
    side: text("side", { enum: ["buy", "sell"] }),
    paymentMethod: text("payment_method"),
    currency: text("currency"),
    over: amount("over").notNull(),
    flat: amount("flat").notNull(),
    percent: amount("percent").notNull(),
    minimum: amount("minimum"),
    maximum: amount("maximum"),
    cappedByFee: boolean("capped_by_fee").notNull().default(false),
  },
  (table) => [
    index("fee_terms_of_schedule").on(table.scheduleId),
    ...checks({
      fee_term_kind_is_known: sql`${table.kind} in ('share', 'processing_fee', 'total_fee')`,
      fee_term_side_is_known: sql`${table.side} in ('buy', 'sell')`,
      fee_term_minimum_is_not_above_maximum: sql`${table.minimum} <= ${table.maximum}`,
      fee_term_is_not_negative: sql`${table.over} >= 0 and ${table.flat} >= 0 and ${table.percent} >= 0`,
    }),
  ],
);
