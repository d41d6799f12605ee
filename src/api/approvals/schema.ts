import { z } from "@hono/zod-openapi";
import { approvalKinds, approvalStates } from "../../core/approvals.ts";
import type { Approval } from "../../store/people/approvals.ts";
import type { WriteOffLimit } from "../../store/people/write-off-limits.ts";
import { time } from "../list.ts";
import { isoTime } from "../present.ts";
import { referenceTo } from "../references.ts";

export const approvalSchema = z
  .strictObject({
    object: z.literal("approval"),
    id: z.string(),
    kind: z.enum(approvalKinds),
    subject: z.string().openapi({ description: "What it is about.", example: "dis_31" }),
    account: z.string().nullable(),
    details: z.record(z.string(), z.unknown()).openapi({ description: "What is done when it is approved." }),
    reason: z.string(),
    proposed_by: z.string(),
    proposed_by_name: z.string(),
    proposed_at: time,
    state: z.enum(approvalStates),
    decided_by: z.string().nullable(),
    decided_by_name: z.string().nullable(),
    decided_at: time.nullable(),
    decision_reason: z.string().nullable(),
  })
  .openapi("Approval");

export function presentApproval(row: Approval): z.output<typeof approvalSchema> {
  return {
    object: "approval",
    id: referenceTo("approval", row.id),
    kind: row.kind,
    subject: row.subject,
    account: row.account,
    details: row.details,
    reason: row.reason,
    proposed_by: referenceTo("person", row.proposedBy),
    proposed_by_name: row.proposedByName,
    proposed_at: isoTime(row.proposedAt),
    state: row.state,
    decided_by: referenceTo("person", row.decidedBy),
    decided_by_name: row.decidedByName,
    decided_at: isoTime(row.decidedAt),
    decision_reason: row.decisionReason,
  };
}

export const approvalExample = presentApproval({
  id: 12,
  kind: "write_off",
  subject: "dis_31",
  accountId: 1,
  account: "default",
  details: { amount: "1250", currency: "EUR", facts_hash: "2c26…", booked_at: null },
  reason: "the provider is insolvent",
  proposedBy: 2,
  proposedByName: "Grace Hopper",
  proposedAt: "2026-11-14 09:00:00+00",
  state: "proposed",
  decidedBy: null,
  decidedByName: null,
  decidedAt: null,
  decisionReason: null,
});

export const limitSchema = z
  .strictObject({
    object: z.literal("write_off_limit"),
    role: z.enum(["accountant", "controller"]),
    currency: z.string().openapi({ description: "`*` is every currency that is not named." }),
    amount: z.string(),
    set_by: z.string(),
    set_by_name: z.string(),
    set_at: time,
  })
  .openapi("WriteOffLimit");

export function presentLimit(row: WriteOffLimit) {
  return {
    object: "write_off_limit",
    role: row.role,
    currency: row.currency,
    amount: row.amount,
    set_by: row.setBy,
    set_by_name: row.setByName,
    set_at: isoTime(row.setAt),
  };
}

export const limitExample = {
  object: "write_off_limit",
  role: "accountant",
  currency: "EUR",
  amount: "100",
  set_by: "tieout",
  set_by_name: "tieout",
  set_at: "2026-11-14T09:00:00.000Z",
};

export const limitsSchema = z
  .strictObject({ object: z.literal("write_off_limits"), data: z.array(limitSchema) })
  .openapi("WriteOffLimits");

export const newLimitSchema = z
  .strictObject({
    role: limitSchema.shape.role,
    currency: z
      .string()
      .regex(/^(\*|[A-Z0-9]{2,12})$/, "is * or a currency in capitals")
      .openapi({ example: "EUR" }),
    amount: z
      .string()
      .regex(/^\d{1,15}(\.\d{1,18})?$/, "is an amount such as 250")
      .openapi({ example: "250" }),
    reason: z.string().trim().min(1).max(1_000),
  })
  .openapi("NewWriteOffLimit");
