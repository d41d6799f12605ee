import { z } from "@hono/zod-openapi";
import { receiptCodes } from "../../core/discrepancy-codes.ts";
import { compareDecimals, parseDecimal, zero } from "../../core/decimal.ts";
import { parseInstant } from "../../core/instant.ts";
import { notAZone, parseDay } from "../../core/period.ts";
import { findZone } from "../../core/zone.ts";
import { reasonField } from "../body-fields.ts";

const decimalText = z
  .string()
  .refine((text) => isNotNegative(text), 'is not an amount of 0 or more, such as "0.01"')
  .openapi({ example: "0.01" });

function isNotNegative(text: string): boolean {
  const amount = parseDecimal(text);
  return amount !== null && compareDecimals(amount, zero) >= 0;
}

const currency = z.string().regex(/^[A-Za-z0-9]{2,12}$/, "is not a currency, such as EUR");
const days = z.int().min(0).max(3_660);
const hours = z.int().min(1).max(87_600);

export const calendarSchema = z
  .strictObject({
    period: z.enum(["day", "week", "month"]).default("month").describe("What one statement covers."),
    zone: z
      .string()
      .refine((name) => findZone(name) !== null, { error: ({ input }) => `is ${notAZone(String(input))}` })
      .overwrite((name) => findZone(name)?.name ?? name)
      .default("UTC"),
    statement_lag_days: days.default(30).describe("From the end of the period to its statement."),
    statement_grace_days: days.default(0).describe("Grace days before a statement counts as late."),
    payout_lag_days: days.default(30).describe("From the end of the period to its payout."),
    payout_grace_days: days.default(0).describe("Grace days before a payout counts as late."),
    closed_on_weekends: z
      .boolean()
      .default(false)
      .describe("A payout that is due on a Saturday or Sunday is due on the next business day."),
    holidays: z
      .array(
        z.strictObject({
          day: z.string().refine((text) => parseDay(text) !== null, "is not a day, such as 2026-12-25"),
          name: z.string().regex(/^[^\0]{0,100}$/),
        }),
      )
      .max(1_000)
      .default([])
      .describe("Days on which banks are closed; they have the same effect."),
    minimum_payout: z.record(currency, decimalText).nullable().default(null),
    statements_with_payout: z
      .boolean()
      .default(false)
      .describe("Statements come only with a payout: below the minimum it moves to the next period."),
    our_share: decimalText
      .nullable()
      .default(null)
      .describe("Our share of the fiat leg: 0.01 is one per cent. null: not known."),
    stale_card_hours: hours.default(24),
    stale_bank_hours: hours.default(120),
    rate_tolerance: decimalText
      .default("0.0005")
      .describe("How far a printed rate may be off: 0.0005 is 0.05 %."),
  })
  .openapi("SettlementCalendar");

const toleranceSchema = z
  .strictObject({
    currency: currency.or(z.literal("*")).default("*"),
    leg: z
      .enum(["in", "out", "fee", "*"])
      .default("*")
      .describe("fee: how far a line's fees and share may differ from the schedule."),
    absolute_under: decimalText.optional(),
    absolute_over: decimalText.optional(),
    relative_under: decimalText.optional(),
    relative_over: decimalText.optional(),
  })
  .openapi("Tolerance");

/** What is expected of the bank: when money must have come, and how much less is a fee and no discrepancy. */
export const receiptSettingsSchema = z
  .strictObject({
    due_days: days
      .max(365)
      .default(5)
      .describe("From the date of a payout to the day by which its money must have arrived."),
    tolerances: z
      .array(
        z.strictObject({
          currency: currency.or(z.literal("*")).default("*"),
          under: decimalText
            .default("0")
            .describe("A shortfall up to this much is booked as the bank's fee."),
          over: decimalText.default("0"),
        }),
      )
      .max(200)
      .default([]),
    levels: z
      .partialRecord(z.enum(receiptCodes), z.enum(["error", "warning"]))
      .default({})
      .describe("The level of each code; error by default."),
  })
  .openapi("ReceiptSettings");

export const newSettingsSchema = z
  .strictObject({
    calendar: calendarSchema.nullable().optional(),
    tolerances: z.array(toleranceSchema).max(500).nullable().optional(),
    exclusion: z
      .strictObject({
        everything: z.boolean().default(false),
        before: z
          .string()
          .refine((text) => parseInstant(text) !== null, "is not a time, such as 2026-01-01T00:00:00Z")
          .nullable()
          .default(null),
        transaction_ids: z
          .array(z.string().regex(/^[^\0]{1,200}$/))
          .max(10_000)
          .default([]),
      })
      .nullable()
      .optional(),
    aliases: z
      .record(z.string().regex(/^[^\0]{1,100}$/), z.string().regex(/^[^\0]{1,100}$/))
      .nullable()
      .optional(),
    names: z
      .array(z.string().regex(/^[^\0]{1,100}$/))
      .max(100)
      .nullable()
      .optional()
      .describe("Other names of the provider in files and records."),
    categories: z
      .array(z.string().regex(/^[^\0]{1,100}$/))
      .max(500)
      .nullable()
      .optional()
      .describe("Words that explain an adjustment or a reserve, in addition to those of the profile."),
    receipts: receiptSettingsSchema.nullable().optional(),
    reason: reasonField,
  })
  .openapi("NewProviderSettings");
