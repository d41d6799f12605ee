import { z } from "@hono/zod-openapi";
import { parseInstant } from "../../core/instant.ts";
import { feeTermsSchema, presentFeeTerm } from "../../reconcile/fees/fee-schedule.ts";
import type { FeeSchedule, WholeFeeSchedule } from "../../store/fees/fee-schedules.ts";
import { describeObject, time, withMembers } from "../object.ts";
import { providerName, reasonField } from "../body-fields.ts";
import { referenceTo } from "../references.ts";

const termSchema = z
  .strictObject({
    kind: z.enum(["share", "processing_fee", "total_fee"]),
    side: z.enum(["buy", "sell"]).nullable(),
    payment_method: z.string().nullable(),
    currency: z.string().nullable(),
    over: z.string().describe("Applies to orders of this amount and more, up to the next step."),
    flat: z.string(),
    percent: z.string().describe("Percentage of the order before fees; 1 is one percent."),
    minimum: z.string().nullable(),
    maximum: z.string().nullable(),
    capped_by_fee: z.boolean().describe("Whether our share is never more than the fee that the line states."),
  })
  .openapi("FeeTerm");

export const feeSchedule = describeObject({
  name: "FeeSchedule",
  object: "fee_schedule",
  members: {
    id: z.string(),
    account: z.string(),
    provider: z.string(),
    version: z.int(),
    valid_from: time.describe("Applies to orders from then on, until the next schedule begins."),
    file_name: z.string().nullable(),
    imported_at: time,
    imported_by: z.string(),
    reason: z.string(),
  },
  present: (row: FeeSchedule) => ({ id: referenceTo("fee_schedule", row.id) }),
  example: {
    id: 12,
    account: "default",
    provider: "moonpay",
    version: 2,
    validFrom: "2026-10-01 00:00:00+00",
    fileName: "moonpay-2026.csv",
    importedAt: "2026-09-20 09:00:00+00",
    importedBy: "key_3fK9ZQ2b",
    reason: "contract of September",
  },
});

export const wholeSchedule = withMembers(
  feeSchedule,
  "FeeScheduleWithTerms",
  {
    terms: z.array(termSchema),
    unknown_payment_methods: z
      .array(z.string())
      .describe(
        "Payment methods that neither the aggregator's catalogue nor any of the newest orders has: their terms apply to no order.",
      ),
  },
  {
    unknown_payment_methods: [],
    terms: [
      {
        kind: "share",
        side: null,
        payment_method: "creditcard",
        currency: "EUR",
        over: "0",
        flat: "0",
        percent: "1",
        minimum: "0.5",
        maximum: null,
        capped_by_fee: false,
      },
    ],
  },
);

export function presentWhole({ terms, unknownPaymentMethods, ...schedule }: WholeFeeSchedule) {
  return {
    ...feeSchedule.present(schedule),
    terms: terms.map(presentFeeTerm),
    unknown_payment_methods: unknownPaymentMethods,
  };
}

export type PresentedTerm = ReturnType<typeof presentFeeTerm>;

export const newSchema = z
  .strictObject({
    account: z
      .string()
      .optional()
      .openapi({ description: "The account; needed if the key may see several.", example: "default" }),
    provider: providerName,
    valid_from: z
      .string()
      .refine((text) => parseInstant(text) !== null, "is not a time, such as 2026-10-01T00:00:00Z"),
    terms: feeTermsSchema,
    reason: reasonField,
  })
  .openapi("NewFeeSchedule");
