import { z } from "@hono/zod-openapi";
import { approvalStates } from "../../core/approvals.ts";
import type { ErasureDetails } from "../../reconcile/erasure/approved-erasure.ts";
import type { ErasureResult } from "../../reconcile/erasure/erase.ts";
import type { ListedErasure } from "../../store/erasure/erasure-reads.ts";
import { describeObject, time } from "../object.ts";
import { reasonField, textField } from "../body-fields.ts";
import { referenceTo } from "../references.ts";

const subjectMembers = {
  kind: z.enum(["wallet", "transaction"]),
  named: z.string().describe("The transaction's id; for a wallet, only its ends."),
  counts: z
    .record(z.string(), z.number())
    .describe("How many rows of each table it affects, and how many exports are withdrawn."),
  closed_months: z.array(z.string()).openapi({
    description:
      "Signed months that contain the data: their packs can no longer be made or downloaded afterwards.",
    example: ["2026-10"],
  }),
};

const exampleCounts = { transactions: 1, transaction_statuses: 4, statements: 1, exports: 1 };

/** What it would change; nothing is proposed. */
export const erasurePreview = describeObject({
  name: "ErasurePreview",
  object: "erasure_preview",
  members: { account: z.string(), ...subjectMembers },
  present: ({
    closedMonths,
  }: ErasureResult & { account: string; kind: "wallet" | "transaction"; named: string }) => ({
    closed_months: closedMonths,
  }),
  example: {
    account: "default",
    kind: "wallet",
    named: "0x52…9EE7",
    counts: exampleCounts,
    closedMonths: ["2026-10"],
  },
});

export const erasure = describeObject({
  name: "Erasure",
  object: "erasure",
  members: {
    id: z.string().describe("Of its approval."),
    account: z.string().nullable(),
    ...subjectMembers,
    reason: z.string(),
    state: z.enum(approvalStates).describe("Once approved, the data is erased at once."),
    proposed_by: z.string(),
    proposed_by_name: z.string(),
    proposed_at: time,
    decided_by: z.string().nullable(),
    decided_by_name: z.string().nullable(),
    decided_at: time.nullable(),
    erased_at: time.nullable(),
  },
  present: (row: ListedErasure) => {
    const { what, named, counts, closed_months: months } = row.details as ErasureDetails;
    return {
      id: referenceTo("approval", row.id),
      kind: what,
      named,
      counts: row.erasedCounts ?? counts,
      closed_months: months,
      proposed_by: referenceTo("person", row.proposedBy),
      decided_by: referenceTo("person", row.decidedBy),
    };
  },
  example: {
    id: 12,
    account: "default",
    details: { what: "wallet", named: "0x52…9EE7", counts: exampleCounts, closed_months: ["2026-10"] },
    reason: "request 4711",
    state: "approved",
    proposedBy: 2,
    proposedByName: "Grace Hopper",
    proposedAt: "2026-11-14 09:00:00+00",
    decidedBy: 3,
    decidedByName: "Ada Lovelace",
    decidedAt: "2026-11-14 10:00:00+00",
    erasedAt: "2026-11-14 10:00:00+00",
  },
});

const subjectFields = {
  account: z
    .string()
    .max(100)
    .optional()
    .openapi({ description: "Needed if there are several.", example: "default" }),
  kind: subjectMembers.kind,
  value: textField(200).openapi({
    description:
      "The wallet address or the transaction's id. Sent in the body, so that it appears in no log.",
    example: "0x52908400098527886E0F7030069857D2E4169EE7",
  }),
};

export const erasureSubjectSchema = z.strictObject(subjectFields).openapi("ErasureSubject");

export const newErasureSchema = z
  .strictObject({ ...subjectFields, reason: reasonField })
  .openapi("NewErasure");

export type ShownErasure = ReturnType<typeof erasure.present>;
export type ShownErasurePreview = ReturnType<typeof erasurePreview.present>;
