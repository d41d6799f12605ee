import { z } from "@hono/zod-openapi";
import { decimal, zero } from "../../core/decimal.ts";
import type { SplitLine } from "../../reconcile/split-by-hand.ts";
import type { MatchRow } from "../../store/books/match-reads.ts";
import { amount, describeObject, time } from "../object.ts";
import { referenceTo } from "../references.ts";

export const matchStates = ["active", "suggested", "ended"] as const;
export const matchRules = ["provider_id", "our_reference", "hash", "suggested", "person"] as const;
export const matchRoles = ["settles", "relates"] as const;

export const transactionIdField = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[^\0]*$/, "holds a NUL character")
  .openapi({ example: "01K6FJ4Z7M0000000000000001" });

const line = z.strictObject({
  id: z.string(),
  line_type: z.string(),
  statement: z.string(),
  file_name: z.string(),
  line_no: z.int(),
  payout_ref: z.string().nullable(),
});

export const match = describeObject({
  name: "Match",
  object: "match",
  members: {
    id: z.string(),
    account: z.string(),
    provider: z.string(),
    transaction_id: z.string(),
    record_hash: z.string().describe("Of the status row that was latest then."),
    line,
    part_amount: amount
      .nullable()
      .describe("If a person split the line: the part of its fiat amount that belongs to this transaction."),
    role: z.enum(matchRoles),
    rule: z.enum(matchRules),
    keys: z.record(z.string(), z.string()).describe("What agreed."),
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
      .describe("Name of a difference within the tolerance: rounding, fee, quote_drift or other."),
    effective_at: time,
    matched_at: time,
    ended_at: time.nullable(),
    ended_by: z.string().nullable(),
    ended_by_name: z.string().nullable(),
    ended_reason: z.string().nullable(),
    barred: z.boolean().describe("A person ended it, so no rule makes the pair again."),
  },
  present: (row: MatchRow) => ({
    id: referenceTo("match", row.id),
    record_hash: row.recordHash.toString("hex"),
    made_by_name: row.madeByName ?? row.madeBy,
    line: {
      id: referenceTo("line", row.lineId),
      line_type: row.lineType,
      statement: referenceTo("statement", row.statementId),
      file_name: row.fileName,
      line_no: row.lineNo,
      payout_ref: row.payoutRef,
    },
  }),
  example: {
    id: 88,
    account: "default",
    provider: "moonpay",
    transactionId: "01K6FJ4Z7M0000000000000001",
    recordHash: Buffer.from("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "hex"),
    lineId: 4711,
    lineType: "charge",
    statementId: 12,
    fileName: "moonpay-2026-10.csv",
    lineNo: 2,
    payoutRef: "MP-2026-10-EUR",
    role: "settles",
    rule: "provider_id",
    keys: { provider_transaction_id: "7f4f4f1c-0a38-4c1e-9f0e-6f3f5b1f2a01" },
    state: "active",
    madeBy: "rules",
    madeByName: "rules",
    inExpected: "300",
    inActual: "300.01",
    inDifference: "0.01",
    outExpected: "0.0921",
    outActual: "0.0921",
    outDifference: "0",
    differenceName: "rounding",
    effectiveAt: "2026-10-05 09:17:02.903+00",
    matchedAt: "2026-11-25 09:00:01+00",
    barred: false,
  },
});

export const split = describeObject({
  name: "Split",
  object: "split",
  members: {
    line: z.string(),
    amount: amount.describe("Of the line, without its sign."),
    currency: z.string(),
    rest: amount.describe("What is left after all parts; if not zero, it is a discrepancy of the line."),
    matches: z.array(match.schema).describe("In the order of the parts."),
  },
  present: (row: SplitLine) => ({
    line: referenceTo("line", row.lineId),
    matches: row.matches.map((one) => match.present(one)),
  }),
  example: {
    lineId: 4711,
    amount: decimal("300"),
    currency: "EUR",
    rest: zero,
    matches: [],
  },
});
