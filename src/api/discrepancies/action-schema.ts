import { z } from "@hono/zod-openapi";
import type { ChangeOutcome } from "../../store/books/discrepancy-changes.ts";
import { bookedAtField, reasonField, textField } from "../body-fields.ts";
import { describeObject } from "../object.ts";
import { referenceTo } from "../references.ts";
import { discrepancyStates } from "../../core/discrepancy-codes.ts";

const closing = {
  reason: reasonField,
  booked_at: bookedAtField,
};

const action = {
  assign: z.strictObject({
    action: z.literal("assign"),
    owner: textField(100)
      .nullable()
      .describe("Name or e-mail of an active person who sees the account; `null` to unassign it."),
  }),
  comment: z.strictObject({ action: z.literal("comment"), comment: textField(4_000) }),
  investigate: z.strictObject({ action: z.literal("investigate") }),
  resolve: z.strictObject({ action: z.literal("resolve"), ...closing }),
  writeOff: z.strictObject({ action: z.literal("write_off"), ...closing }),
  reopen: z.strictObject({ action: z.literal("reopen") }),
};

/** What someone does about a discrepancy. */
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
          id: z.string().regex(/^dis_[1-9]\d{0,14}$/, "is not the id of a discrepancy, such as dis_12"),
          version: z.int().min(1).describe("As you saw it."),
        }),
      )
      .min(1)
      .max(200),
  })
  .openapi("BulkDiscrepancyAction");

export const discrepancyChanges = describeObject({
  name: "DiscrepancyChanges",
  object: "discrepancy_changes",
  members: {
    changed: z.array(z.string()),
    proposed: z
      .array(z.strictObject({ id: z.string(), approval: z.string() }))
      .describe("Write-offs above your limit, which need another person's approval."),
    refused: z.array(
      z.strictObject({
        id: z.string(),
        code: z.enum([
          "not_found",
          "version_mismatch",
          "state_conflict",
          "approval_required",
          "already_proposed",
          "owner_unknown",
        ]),
        state: z.enum(discrepancyStates).nullable().describe("As it is now."),
        approval: z.string().nullable().describe("For `already_proposed`: the proposal that waits."),
      }),
    ),
  },
  present: ({ changed, proposed, refused }: ChangeOutcome) => ({
    changed: changed.map((id) => referenceTo("discrepancy", id)),
    proposed: proposed.map(({ id, approvalId }) => ({
      id: referenceTo("discrepancy", id),
      approval: referenceTo("approval", approvalId),
    })),
    refused: refused.map(({ id, why, state, approvalId }) => ({
      id: referenceTo("discrepancy", id),
      code: why,
      state: state as (typeof discrepancyStates)[number] | null,
      approval: referenceTo("approval", approvalId ?? null),
    })),
  }),
  example: {
    changed: [31, 32],
    proposed: [{ id: 34, approvalId: 12 }],
    refused: [{ id: 33, why: "version_mismatch", state: "resolved" }],
  },
});
