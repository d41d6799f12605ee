import { z } from "@hono/zod-openapi";
import { time } from "../list.ts";
import { amount } from "../payouts/schema.ts";

export const matchStates = ["active", "suggested", "ended"] as const;
export const matchRules = ["provider_id", "our_reference", "hash", "suggested", "person"] as const;
export const matchRoles = ["settles", "relates"] as const;

export const matchSchema = z
  .strictObject({
    object: z.literal("match"),
    id: z.string(),
    account: z.string(),
    provider: z.string(),
    transaction_id: z.string(),
    record_hash: z.string().openapi({ description: "Of the status row that was latest then." }),
    line: z.strictObject({
      id: z.string(),
      line_type: z.string(),
      statement: z.string(),
      file_name: z.string(),
      line_no: z.int(),
      payout_ref: z.string().nullable(),
    }),
    role: z.enum(matchRoles),
    rule: z.enum(matchRules),
    keys: z.record(z.string(), z.string()).openapi({ description: "What agreed." }),
    state: z.enum(matchStates),
    made_by: z.string(),
    made_by_name: z.string(),
    reason: z.string().nullable(),
    in_expected: amount.nullable(),
    in_actual: amount.nullable(),
    in_difference: amount.nullable(),
    out_expected: amount.nullable(),
    out_actual: amount.nullable(),
    out_difference: amount.nullable(),
    difference_name: z
      .string()
      .nullable()
      .openapi({ description: "Of a difference within the tolerance: rounding, fee, quote_drift or other." }),
    effective_at: time,
    matched_at: time,
    ended_at: time.nullable(),
    ended_by: z.string().nullable(),
    ended_by_name: z.string().nullable(),
    ended_reason: z.string().nullable(),
    barred: z.boolean().openapi({ description: "A person ended it: no rule makes the pair again." }),
  })
  .openapi("Match");

export const matchExample = {
  object: "match",
  id: "mat_88",
  account: "default",
  provider: "moonpay",
  transaction_id: "01K6FJ4Z7M0000000000000001",
  record_hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  line: {
    id: "lin_4711",
    line_type: "charge",
    statement: "stm_12",
    file_name: "moonpay-2026-10.csv",
    line_no: 2,
    payout_ref: "MP-2026-10-EUR",
  },
  role: "settles",
  rule: "provider_id",
  keys: { provider_transaction_id: "7f4f4f1c-0a38-4c1e-9f0e-6f3f5b1f2a01" },
  state: "active",
  made_by: "rules",
  made_by_name: "rules",
  reason: null,
  in_expected: "300",
  in_actual: "300.01",
  in_difference: "0.01",
  out_expected: "0.0921",
  out_actual: "0.0921",
  out_difference: "0",
  difference_name: "rounding",
  effective_at: "2026-10-05T09:17:02.903Z",
  matched_at: "2026-11-25T09:00:01.000Z",
  ended_at: null,
  ended_by: null,
  ended_by_name: null,
  ended_reason: null,
  barred: false,
};
