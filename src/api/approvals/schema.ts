import { z } from "@hono/zod-openapi";
import { approvalKinds, approvalStates, bookingOf } from "../../core/approvals.ts";
import type { Approval } from "../../store/people/approvals.ts";
import type { WriteOffLimit } from "../../store/people/write-off-limits.ts";
import { describeObject, time } from "../object.ts";
import { referenceTo } from "../references.ts";

export const approval = describeObject({
  name: "Approval",
  object: "approval",
  members: {
    id: z.string(),
    kind: z.enum(approvalKinds),
    subject: z.string().openapi({ description: "What it is about.", example: "dis_31" }),
    account: z.string().nullable(),
    amount: z.string().nullable().describe("The amount written off."),
    currency: z.string().nullable().describe("Of `amount`."),
    booked_at: z
      .string()
      .nullable()
      .describe("When the write-off starts to count; `null`: when it is approved."),
    details: z.record(z.string(), z.unknown()).describe("What approval will do."),
    reason: z.string(),
    proposed_by: z.string(),
    proposed_by_name: z.string(),
    proposed_at: time,
    state: z.enum(approvalStates),
    decided_by: z.string().nullable(),
    decided_by_name: z.string().nullable(),
    decided_at: time.nullable(),
    decision_reason: z.string().nullable(),
  },
  present: (row: Approval) => ({
    ...presentBooking(row),
    id: referenceTo("approval", row.id),
    proposed_by: referenceTo("person", row.proposedBy),
    decided_by: referenceTo("person", row.decidedBy),
  }),
  example: {
    id: 12,
    kind: "write_off",
    subject: "dis_31",
    account: "default",
    details: { amount: "1250", currency: "EUR", facts_hash: "2c26…", booked_at: null },
    reason: "the provider is insolvent",
    proposedBy: 2,
    proposedByName: "Grace Hopper",
    proposedAt: "2026-11-14 09:00:00+00",
    state: "proposed",
  },
});

function presentBooking({ details }: Pick<Approval, "details">) {
  const { amount, currency, bookedAt } = bookingOf(details);
  return { amount, currency, booked_at: bookedAt };
}

export const presentApproval = approval.present;

const exampleLimit: WriteOffLimit = {
  role: "accountant",
  currency: "EUR",
  amount: "100",
  setBy: "tieout",
  setByName: "tieout",
  setAt: "2026-11-14 09:00:00+00",
};

export const limit = describeObject({
  name: "WriteOffLimit",
  object: "write_off_limit",
  members: {
    role: z.enum(["accountant", "controller"]),
    currency: z.string().describe("`*` is every currency that is not named."),
    amount: z.string(),
    set_by: z.string(),
    set_by_name: z.string(),
    set_at: time,
  },
  present: ({ currency }: WriteOffLimit) => ({ currency }),
  example: exampleLimit,
});

export const everyLimit = describeObject({
  name: "WriteOffLimits",
  object: "write_off_limits",
  members: { data: z.array(limit.schema) },
  present: ({ limits }: { limits: WriteOffLimit[] }) => ({ data: limits.map((row) => limit.present(row)) }),
  example: { limits: [exampleLimit] },
});

export const newLimitSchema = z
  .strictObject({
    role: limit.schema.shape.role,
    currency: z
      .string()
      .regex(/^(\*|[A-Z0-9]{2,12})$/, "must be * or a currency in capitals, such as EUR")
      .openapi({ example: "EUR" }),
    amount: z
      .string()
      .regex(/^\d{1,15}(\.\d{1,18})?$/, "is not an amount, such as 250")
      .openapi({ example: "250" }),
    reason: z.string().trim().min(1).max(1_000),
  })
  .openapi("NewWriteOffLimit");
