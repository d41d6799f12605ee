import { z } from "@hono/zod-openapi";
import { receiptCodes } from "../../core/discrepancy-codes.ts";
import { compareDecimals, parseDecimal, zero } from "../../core/decimal.ts";
import { parseInstant } from "../../core/instant.ts";
import { notAZone } from "../../core/period.ts";
import { findZone } from "../../core/zone.ts";
import { time } from "../list.ts";
import { reasonField } from "../reason-field.ts";

const decimalText = z
  .string()
  .refine((text) => isNotNegative(text), 'is no amount of 0 or more, such as "0.01"')
  .openapi({ example: "0.01" });

function isNotNegative(text: string): boolean {
  const amount = parseDecimal(text);
  return amount !== null && compareDecimals(amount, zero) >= 0;
}

const currency = z.string().regex(/^[A-Za-z0-9]{2,12}$/, "is no currency, such as EUR");
const days = z.int().min(0).max(3_660);
const hours = z.int().min(1).max(87_600);

export const calendarSchema = z
  .strictObject({
    period: z
      .enum(["day", "week", "month"])
      .default("month")
      .openapi({ description: "What one statement covers." }),
    zone: z
      .string()
      .refine((name) => findZone(name) !== null, { error: ({ input }) => `is ${notAZone(String(input))}` })
      .overwrite((name) => findZone(name)?.name ?? name)
      .default("UTC"),
    statement_lag_days: days
      .default(30)
      .openapi({ description: "From the end of the period to its statement." }),
    statement_grace_days: days
      .default(0)
      .openapi({ description: "How much later a statement is not yet late." }),
    payout_lag_days: days.default(30).openapi({ description: "From the end of the period to its payout." }),
    payout_grace_days: days.default(0).openapi({ description: "How much later a payout is not yet late." }),
    minimum_payout: z.record(currency, decimalText).nullable().default(null),
    statements_with_payout: z.boolean().default(false).openapi({
      description: "Statements come only with a payout: below the minimum it moves to the next period.",
    }),
    our_share: decimalText
      .nullable()
      .default(null)
      .openapi({ description: "Of the fiat leg, what is ours: 0.01 is one per cent. null: not known." }),
    stale_card_hours: hours.default(24),
    stale_bank_hours: hours.default(120),
    rate_tolerance: decimalText
      .default("0.0005")
      .openapi({ description: "How far a printed rate may be off: 0.0005 is 0.05 %." }),
  })
  .openapi("SettlementCalendar");

const toleranceSchema = z
  .strictObject({
    currency: currency.or(z.literal("*")).default("*"),
    leg: z
      .enum(["in", "out", "fee", "*"])
      .default("*")
      .openapi({ description: "fee: what a line's fees and share may differ from the schedule." }),
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
      .openapi({ description: "From the date of a payout to the day by which its money must have arrived." }),
    tolerances: z
      .array(
        z.strictObject({
          currency: currency.or(z.literal("*")).default("*"),
          under: decimalText
            .default("0")
            .openapi({ description: "So much less is booked as the bank's fee." }),
          over: decimalText.default("0"),
        }),
      )
      .max(200)
      .default([]),
    levels: z
      .partialRecord(z.enum(receiptCodes), z.enum(["error", "warning"]))
      .default({})
      .openapi({ description: "How grave each code is; error where nothing is said." }),
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
          .refine((text) => parseInstant(text) !== null, "is no time, such as 2026-01-01T00:00:00Z")
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
      .openapi({
        description: "Other names of the provider, in files and records; each stands for this one.",
      }),
    categories: z
      .array(z.string().regex(/^[^\0]{1,100}$/))
      .max(500)
      .nullable()
      .optional()
      .openapi({
        description: "Words that explain an adjustment or a reserve, beside those of the profile.",
      }),
    receipts: receiptSettingsSchema.nullable().optional(),
    reason: reasonField,
  })
  .openapi("NewProviderSettings");

const section = <T extends z.ZodType>(value: T) =>
  z.strictObject({
    value,
    version: z.int().nullable().openapi({ description: "null: nobody has set it, and the defaults stand." }),
    shared: z.boolean().openapi({ description: "Set for all accounts." }),
    saved_by: z.string().nullable(),
    saved_by_name: z.string().nullable(),
    saved_at: time.nullable(),
  });

export const settingsSchema = z
  .strictObject({
    object: z.literal("provider_settings"),
    account: z.string(),
    provider: z.string(),
    calendar: section(z.looseObject({ period: z.string(), zone: z.string(), statement_lag_days: z.int() })),
    tolerances: section(z.array(z.looseObject({}))),
    exclusion: section(z.looseObject({}).nullable()),
    aliases: section(z.record(z.string(), z.string())),
    names: section(z.array(z.string())),
    categories: section(z.array(z.string())),
    receipts: section(z.looseObject({ due_days: z.int() })),
    learnt: z
      .strictObject({
        statement_lag_days: z.int().nullable(),
        statements: z.int().openapi({ description: "How many files this was read from." }),
        payout_lag_days: z.int().nullable(),
        payouts: z.int().openapi({ description: "How many payouts this was read from." }),
      })
      .openapi({
        description:
          "What nineteen of twenty files and payouts kept to so far: a proposal for `calendar`. null where too few have been seen.",
      }),
  })
  .openapi("ProviderSettings");

const pair = z.strictObject({
  transaction_id: z.string(),
  line: z.string(),
  rule: z.string(),
  file_name: z.string(),
  line_no: z.int(),
});

const changedDiscrepancy = z.strictObject({
  event: z.enum(["raised", "changed", "reopened", "agreed"]),
  code: z.string(),
  level: z.string(),
  transaction_id: z.string().nullable(),
  line: z.string().nullable(),
  file_name: z.string().nullable(),
  line_no: z.int().nullable(),
  value: z.string().nullable(),
  value_currency: z.string().nullable(),
});

const classSum = z.strictObject({
  currency: z.string(),
  class: z.string(),
  transactions: z.int(),
  amount: z.string().openapi({ description: "In the fiat leg." }),
});

export const settingsPreviewSchema = z
  .strictObject({
    object: z.literal("settings_preview"),
    account: z.string(),
    provider: z.string(),
    matches: z.strictObject({ gained: z.int(), lost: z.int() }),
    discrepancies: z.strictObject({ raised: z.int(), changed: z.int(), reopened: z.int(), agreed: z.int() }),
    gained: z.array(pair).openapi({ description: "The first 100." }),
    lost: z.array(pair).openapi({ description: "The first 100." }),
    changes: z
      .array(changedDiscrepancy)
      .openapi({ description: "What would happen to discrepancies: the first 100, the gravest first." }),
    classes: z
      .strictObject({ before: z.array(classSum), after: z.array(classSum) })
      .openapi({ description: "How much of what was completed is in which class." }),
  })
  .openapi("SettingsPreview");

const unset = { version: null, shared: false, saved_by: null, saved_by_name: null, saved_at: null };
export const settingsExample = {
  object: "provider_settings",
  account: "default",
  provider: "moonpay",
  calendar: {
    value: calendarSchema.parse({ statement_lag_days: 25, minimum_payout: { EUR: "100" } }),
    version: 2,
    shared: false,
    saved_by: "person:2",
    saved_by_name: "Grace Hopper",
    saved_at: "2026-11-14T10:00:00.000Z",
  },
  tolerances: { ...unset, value: [] },
  exclusion: { ...unset, value: null },
  aliases: { ...unset, value: {} },
  names: { ...unset, value: [] },
  categories: { ...unset, value: [] },
  receipts: { ...unset, value: receiptSettingsSchema.parse({}) },
  learnt: { statement_lag_days: 3, statements: 12, payout_lag_days: 24, payouts: 12 },
};

export const settingsPreviewExample = {
  object: "settings_preview",
  account: "default",
  provider: "moonpay",
  matches: { gained: 1, lost: 0 },
  discrepancies: { raised: 0, changed: 0, reopened: 0, agreed: 2 },
  gained: [
    {
      transaction_id: "01K6FJ4Z7M0001",
      line: "lin_4711",
      rule: "hash",
      file_name: "moonpay-2026-10.csv",
      line_no: 2,
    },
  ],
  lost: [],
  changes: [
    {
      event: "agreed",
      code: "missing_from_statement",
      level: "error",
      transaction_id: "01K6FJ4Z7M0001",
      line: null,
      file_name: null,
      line_no: null,
      value: "250",
      value_currency: "EUR",
    },
  ],
  classes: {
    before: [{ currency: "EUR", class: "discrepant", transactions: 1, amount: "250" }],
    after: [{ currency: "EUR", class: "matched", transactions: 1, amount: "250" }],
  },
};
