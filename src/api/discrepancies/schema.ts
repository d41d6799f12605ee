import { z } from "@hono/zod-openapi";
import { parseInstant } from "../../core/instant.ts";
import { time } from "../list.ts";
import { amount } from "../payouts/schema.ts";
import { reasonField } from "../reason-field.ts";

export const discrepancyStates = ["open", "investigating", "resolved", "written_off"] as const;

export const discrepancySchema = z
  .strictObject({
    object: z.literal("discrepancy"),
    id: z.string(),
    account: z.string(),
    provider: z.string(),
    code: z.string(),
    level: z.enum(["error", "warning"]),
    subject_kind: z.enum(["transaction", "line", "payout", "period", "receipt"]),
    transaction_id: z.string().nullable(),
    provider_transaction_id: z.string().nullable(),
    transaction_hash: z.string().nullable(),
    line: z.string().nullable(),
    statement: z.string().nullable(),
    file_name: z.string().nullable(),
    line_no: z.int().nullable(),
    payout: z.string().nullable(),
    payout_ref: z.string().nullable(),
    receipt_line: z.string().nullable().openapi({ description: "The bank line, where it is about one." }),
    period: z.strictObject({ from: time, to: time }).nullable(),
    expected: amount.nullable().openapi({ description: "Our side." }),
    actual: amount.nullable().openapi({ description: "Theirs." }),
    delta: amount.nullable().openapi({ description: "actual less expected." }),
    currency: z.string().nullable(),
    expected_text: z.string().nullable(),
    actual_text: z.string().nullable(),
    value: amount.nullable().openapi({ description: "How much is at stake." }),
    value_currency: z.string().nullable(),
    since: time,
    age_days: z.int().openapi({ description: "Whole UTC days since then, up to when it was closed." }),
    bucket: z.string(),
    near_period_edge: z.boolean(),
    state: z.enum(discrepancyStates),
    owner: z.string().nullable(),
    reason: z.string().nullable(),
    resolved_by: z.string().nullable(),
    resolved_by_name: z.string().nullable().openapi({ description: "Their name as it was then." }),
    resolved_at: time.nullable(),
    pending_approval: z
      .string()
      .nullable()
      .openapi({ description: "A write-off that waits for a second person." }),
    first_seen_at: time,
    last_changed_at: time,
    version: z.int().openapi({ description: "Of `If-Match`; it grows with every change." }),
  })
  .openapi("Discrepancy");

export const eventSchema = z
  .strictObject({
    object: z.literal("discrepancy_event"),
    at: time,
    actor: z.string(),
    actor_name: z.string().openapi({ description: "Their name as it was then." }),
    event: z.string().openapi({ example: "resolved" }),
    state: z.enum(discrepancyStates),
    owner: z.string().nullable(),
    comment: z.string().nullable(),
    reason: z.string().nullable(),
    request_id: z.string().nullable(),
  })
  .openapi("DiscrepancyEvent");

const words = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .regex(/^[^\0]*$/, "holds a NUL character");

const closing = {
  reason: reasonField,
  booked_at: z
    .string()
    .refine((text) => parseInstant(text) !== null, "is no time, such as 2026-10-31T00:00:00Z")
    .optional()
    .openapi({
      description: "From when it counts in reports: not in the future. Left out: from now.",
      example: "2026-10-31T12:00:00Z",
    }),
};

const action = {
  assign: z.strictObject({ action: z.literal("assign"), owner: words(100).nullable() }),
  comment: z.strictObject({ action: z.literal("comment"), comment: words(4_000) }),
  investigate: z.strictObject({ action: z.literal("investigate") }),
  resolve: z.strictObject({ action: z.literal("resolve"), ...closing }),
  writeOff: z.strictObject({ action: z.literal("write_off"), ...closing }),
  reopen: z.strictObject({ action: z.literal("reopen") }),
};

/** What somebody does about a discrepancy. */
export const actionSchema = z
  .discriminatedUnion("action", [
    action.assign,
    action.comment,
    action.investigate,
    action.resolve,
    action.writeOff,
    action.reopen,
  ])
  .openapi("DiscrepancyAction");

export const bulkSchema = z
  .strictObject({
    action: actionSchema,
    discrepancies: z
      .array(
        z.strictObject({
          id: z.string().regex(/^dis_[1-9]\d{0,14}$/, "is no id of a discrepancy, such as dis_12"),
          version: z.int().min(1).openapi({ description: "As it was seen." }),
        }),
      )
      .min(1)
      .max(200),
  })
  .openapi("BulkDiscrepancyAction");

export const bulkResultSchema = z
  .strictObject({
    object: z.literal("discrepancy_changes"),
    changed: z.array(z.string()),
    proposed: z
      .array(z.strictObject({ id: z.string(), approval: z.string() }))
      .openapi({ description: "Write-offs above your limit, which another person has to approve." }),
    refused: z.array(
      z.strictObject({
        id: z.string(),
        code: z.enum(["not_found", "version_mismatch", "state_conflict", "approval_required"]),
        state: z.enum(discrepancyStates).nullable().openapi({ description: "As it is now." }),
      }),
    ),
  })
  .openapi("DiscrepancyChanges");

export const discrepancyExample = {
  object: "discrepancy",
  id: "dis_31",
  account: "default",
  provider: "moonpay",
  code: "in_amount_mismatch",
  level: "error",
  subject_kind: "transaction",
  transaction_id: "01K6FJ4Z7M0000000000000001",
  provider_transaction_id: "7f4f4f1c-0a38-4c1e-9f0e-6f3f5b1f2a01",
  transaction_hash: null,
  line: "lin_4711",
  statement: "stm_12",
  file_name: "moonpay-2026-10.csv",
  line_no: 2,
  payout: null,
  payout_ref: "MP-2026-10-EUR",
  receipt_line: null,
  period: null,
  expected: "300",
  actual: "290",
  delta: "-10",
  currency: "EUR",
  expected_text: null,
  actual_text: null,
  value: "10",
  value_currency: "EUR",
  since: "2026-10-05T09:17:02.903Z",
  age_days: 40,
  bucket: "31-60",
  near_period_edge: false,
  state: "open",
  owner: null,
  reason: null,
  resolved_by: null,
  resolved_by_name: null,
  pending_approval: null,
  resolved_at: null,
  first_seen_at: "2026-11-13T09:00:01.000Z",
  last_changed_at: "2026-11-13T09:00:01.000Z",
  version: 1,
};

export const eventExample = {
  object: "discrepancy_event",
  at: "2026-11-14T10:00:00.000Z",
  actor: "person:2",
  actor_name: "Grace Hopper",
  event: "resolved",
  state: "resolved",
  owner: "Ada",
  comment: null,
  reason: "confirmed by mail of 12 November",
  request_id: "0c1d2e",
};
