import { z } from "@hono/zod-openapi";
import type { DiscrepancyEvent, DiscrepancyRow } from "../../store/books/discrepancy-reads.ts";
import { discrepancyLevels, discrepancyStates } from "../../core/discrepancy-codes.ts";
import type { Scope } from "../../core/scopes.ts";
import type { Caller } from "../../access/caller.ts";
import { amount, describeObject, time } from "../object.ts";
import { isoTime, maskWallet } from "../present.ts";
import { referenceTo } from "../references.ts";

/** The two sides as words; of one code both are wallet addresses. */
export function sidesOf(
  { code, expectedText, actualText }: Pick<DiscrepancyRow, "code" | "expectedText" | "actualText">,
  { scopes }: Pick<Caller, "scopes">,
): { expectedText: string | null; actualText: string | null } {
  if (code !== "address_mismatch" || scopes.has("wallets:read")) return { expectedText, actualText };
  return { expectedText: maskWallet(expectedText), actualText: maskWallet(actualText) };
}

export const discrepancy = describeObject({
  name: "Discrepancy",
  object: "discrepancy",
  members: {
    id: z.string(),
    account: z.string(),
    provider: z.string(),
    code: z.string(),
    level: z.enum(discrepancyLevels),
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
    receipt_line: z.string().nullable().describe("The bank line, if it is about one."),
    period: z.strictObject({ from: time, to: time }).nullable(),
    expected: amount.nullable().describe("Our side."),
    actual: amount.nullable().describe("Theirs."),
    delta: amount.nullable().describe("actual less expected."),
    currency: z.string().nullable(),
    expected_text: z.string().nullable(),
    actual_text: z.string().nullable(),
    value: amount.nullable().describe("How much is at stake."),
    value_currency: z.string().nullable(),
    since: time,
    age_days: z.int().describe("Whole UTC days since then, up to when it was closed."),
    bucket: z.string(),
    near_period_edge: z.boolean(),
    state: z.enum(discrepancyStates),
    owner: z.string().nullable(),
    reason: z.string().nullable(),
    resolved_by: z.string().nullable(),
    resolved_by_name: z.string().nullable().describe("Their name as it was then."),
    resolved_at: time.nullable(),
    pending_approval: z.string().nullable().describe("A write-off that waits for a second person."),
    first_seen_at: time,
    last_changed_at: time,
    version: z.int().describe("For `If-Match`; it grows with every change."),
    approved_by_name: z
      .string()
      .nullable()
      .describe("Who approved the write-off that `resolved_by` proposed; `null`: it took one person."),
  },
  present: (row: DiscrepancyRow, caller: Pick<Caller, "scopes">) => {
    const { expectedText, actualText } = sidesOf(row, caller);
    const { periodFrom: from, periodTo: to } = row;
    return {
      id: referenceTo("discrepancy", row.id),
      line: referenceTo("line", row.lineId),
      statement: referenceTo("statement", row.statementId),
      payout: referenceTo("payout", row.payoutId),
      receipt_line: referenceTo("receipt_line", row.receiptLineId),
      period: from === null || to === null ? null : { from: isoTime(from), to: isoTime(to) },
      expected_text: expectedText,
      actual_text: actualText,
      pending_approval: referenceTo("approval", row.pendingApprovalId),
    };
  },
  example: {
    id: 31,
    account: "default",
    provider: "moonpay",
    code: "in_amount_mismatch",
    level: "error",
    subjectKind: "transaction",
    transactionId: "01K6FJ4Z7M0000000000000001",
    providerTransactionId: "7f4f4f1c-0a38-4c1e-9f0e-6f3f5b1f2a01",
    lineId: 4711,
    statementId: 12,
    fileName: "moonpay-2026-10.csv",
    lineNo: 2,
    payoutId: null,
    payoutRef: "MP-2026-10-EUR",
    receiptLineId: null,
    periodFrom: null,
    expected: "300",
    actual: "290",
    delta: "-10",
    currency: "EUR",
    value: "10",
    valueCurrency: "EUR",
    since: "2026-10-05 09:17:02.903+00",
    ageDays: 40,
    bucket: "31-60",
    nearPeriodEdge: false,
    state: "open",
    pendingApprovalId: null,
    firstSeenAt: "2026-11-13 09:00:01+00",
    lastChangedAt: "2026-11-13 09:00:01+00",
    version: 1,
  },
  exampleWith: [{ scopes: new Set<Scope>() }],
});

export const discrepancyEvent = describeObject({
  name: "DiscrepancyEvent",
  object: "discrepancy_event",
  members: {
    at: time,
    actor: z.string(),
    actor_name: z.string().describe("Their name as it was then."),
    event: z.string().openapi({ example: "resolved" }),
    state: z.enum(discrepancyStates),
    owner: z.string().nullable(),
    comment: z.string().nullable(),
    reason: z.string().nullable(),
    request_id: z.string().nullable(),
    approved_by_name: z
      .string()
      .nullable()
      .describe("Of a write-off that `actor` proposed: who approved it. `null`: it took one person."),
  },
  present: ({ comment }: DiscrepancyEvent) => ({ comment }),
  example: {
    at: "2026-11-14 10:00:00+00",
    actor: "person:2",
    actorName: "Grace Hopper",
    event: "resolved",
    state: "resolved",
    owner: "Ada",
    reason: "confirmed by mail of 12 November",
    requestId: "0c1d2e",
  },
});
