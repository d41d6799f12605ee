import { z } from "@hono/zod-openapi";
import { receiptFormats } from "../../core/receipt-line.ts";
import { amount, time } from "../object.ts";

const day = z.string().openapi({ example: "2026-11-25" });

export const receiptFileSchema = z
  .strictObject({
    object: z.literal("receipt_file"),
    id: z.string().openapi({ example: "rcf_12" }),
    account: z.string(),
    file_name: z.string(),
    sha256: z.string(),
    format: z.enum(receiptFormats),
    bank_account: z.string().nullable().openapi({ description: "null where the file tells of several." }),
    state: z.enum(["imported", "withdrawn"]),
    period_from: day.nullable(),
    period_to: day.nullable(),
    balances: z.array(
      z.strictObject({
        bank_account: z.string(),
        currency: z.string().nullable(),
        statement: z.string().nullable(),
        opening: amount.nullable(),
        lines: amount.openapi({ description: "The sum of the lines, money out negative." }),
        line_count: z.int(),
        closing: amount.nullable(),
        adds_up: z
          .boolean()
          .nullable()
          .openapi({ description: "Whether opening plus lines is closing; null where the file lacks one." }),
      }),
    ),
    rows: z.strictObject({
      of_file: z.int(),
      other: z.int(),
      read: z.int(),
      accepted: z.int(),
      restated: z.int(),
      duplicate: z.int(),
      rejected: z.int(),
    }),
    imported_at: time,
    imported_by: z.string(),
    accepted_codes: z.array(z.string()).nullable(),
    accepted_reason: z.string().nullable(),
    withdrawn_at: time.nullable(),
    withdrawn_by: z.string().nullable(),
    withdrawn_reason: z.string().nullable(),
  })
  .openapi("ReceiptFile");

export const receiptImportSchema = z
  .strictObject({
    object: z.literal("receipt_import"),
    state: z.enum(["imported", "already_imported", "previewed"]),
    file: receiptFileSchema,
    problems: z
      .array(z.strictObject({ code: z.string(), message: z.string() }))
      .openapi({ description: "What would refuse the file." }),
    rejects: z.array(
      z.strictObject({
        line_no: z.int(),
        code: z.string().nullable(),
        field: z.string().nullable(),
        reason: z.string().nullable(),
        original_text: z.string().nullable().openapi({ description: "null without `wallets:read`." }),
      }),
    ),
    consequences: z
      .record(z.string(), z.int())
      .nullable()
      .openapi({ description: "What matching made of it." }),
  })
  .openapi("ReceiptImport");

export const receiptLineSchema = z
  .strictObject({
    object: z.literal("receipt_line"),
    id: z.string().openapi({ example: "rcl_4711" }),
    account: z.string(),
    file: z.string(),
    file_name: z.string(),
    line_no: z.int(),
    bank_account: z.string(),
    value_date: day,
    booking_date: day.nullable(),
    effective_at: time,
    amount,
    currency: z.string(),
    direction: z.enum(["credit", "debit"]),
    is_reversal: z.boolean(),
    reference: z.string().nullable(),
    end_to_end_id: z.string().nullable(),
    bank_reference: z.string().nullable(),
    hash: z.string().nullable(),
    remittance: z.string().nullable(),
    counterparty: z.string().nullable(),
    charges: amount,
    original_amount: amount.nullable(),
    original_currency: z.string().nullable(),
    counts: z.boolean().openapi({ description: "false: withdrawn, or a newer version stands in its place." }),
    settled_amount: amount,
    unmatched_amount: amount.openapi({ description: "What came in and settles no payout." }),
  })
  .openapi("ReceiptLine");

export const receiptMatchSchema = z
  .strictObject({
    object: z.literal("receipt_match"),
    id: z.string().openapi({ example: "rcm_9" }),
    line: z.string(),
    payout: z.string(),
    provider: z.string(),
    payout_ref: z.string(),
    rule: z.enum(["reference", "end_to_end_id", "hash", "person"]),
    key: z.string().nullable().openapi({ description: "The name that both carry." }),
    amount,
    currency: z.string(),
    bank_fee: amount,
    rounding: amount,
    state: z.enum(["active", "ended"]),
    made_by: z.string(),
    reason: z.string().nullable(),
    effective_at: time,
    matched_at: time,
    ended_at: time.nullable(),
    ended_by: z.string().nullable(),
    ended_reason: z.string().nullable(),
  })
  .openapi("ReceiptMatch");

export const receiptLineDetailSchema = z
  .strictObject({ ...receiptLineSchema.shape, matches: z.array(receiptMatchSchema) })
  .openapi("ReceiptLineDetail");

export const suggestionSchema = z
  .strictObject({
    object: z.literal("payout_suggestion"),
    payout: z.string(),
    provider: z.string(),
    payout_ref: z.string(),
    currency: z.string(),
    payout_date: time.nullable(),
    expected: amount,
    outstanding: amount,
    days_apart: z.int().nullable(),
    same_amount: z.boolean(),
    named: z
      .boolean()
      .openapi({ description: "The line names it, and it names a payout of another provider too." }),
  })
  .openapi("PayoutSuggestion");

export const receiptFileExample = {
  object: "receipt_file",
  id: "rcf_12",
  account: "default",
  file_name: "bank-2026-11.xml",
  sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  format: "camt053",
  bank_account: "DE89370400440532013000",
  state: "imported",
  period_from: "2026-11-01",
  period_to: "2026-11-30",
  balances: [
    {
      bank_account: "DE89370400440532013000",
      currency: "EUR",
      statement: "228",
      opening: "1000",
      lines: "731.32",
      line_count: 5,
      closing: "1731.32",
      adds_up: true,
    },
  ],
  rows: { of_file: 6, other: 1, read: 5, accepted: 5, restated: 0, duplicate: 0, rejected: 0 },
  imported_at: "2026-12-01T09:00:00.000Z",
  imported_by: "key_3fK9ZQ2b",
  accepted_codes: null,
  accepted_reason: null,
  withdrawn_at: null,
  withdrawn_by: null,
  withdrawn_reason: null,
};

export const receiptImportExample = {
  object: "receipt_import",
  state: "imported",
  file: receiptFileExample,
  problems: [],
  rejects: [],
  consequences: { matched: 3, unmatched: 0, raised: 1, changed: 0, reopened: 0, agreed: 3 },
};

export const receiptLineExample = {
  object: "receipt_line",
  id: "rcl_4711",
  account: "default",
  file: "rcf_12",
  file_name: "bank-2026-11.xml",
  line_no: 30,
  bank_account: "DE89370400440532013000",
  value_date: "2026-11-25",
  booking_date: "2026-11-25",
  effective_at: "2026-11-25T00:00:00.000Z",
  amount: "204.17",
  currency: "EUR",
  direction: "credit",
  is_reversal: false,
  reference: null,
  end_to_end_id: "PO-MOONPAY-2026-10-EUR",
  bank_reference: "20261125-BATCH-17/1",
  hash: null,
  remittance: "Partner share October",
  counterparty: "Moon Pay Limited",
  charges: "0",
  original_amount: null,
  original_currency: null,
  counts: true,
  settled_amount: "204.17",
  unmatched_amount: "0",
};

export const receiptMatchExample = {
  object: "receipt_match",
  id: "rcm_9",
  line: "rcl_4711",
  payout: "po_12",
  provider: "moonpay",
  payout_ref: "PO-MOONPAY-2026-10-EUR",
  rule: "end_to_end_id",
  key: "POMOONPAY202610EUR",
  amount: "204.17",
  currency: "EUR",
  bank_fee: "0",
  rounding: "0",
  state: "active",
  made_by: "rules",
  reason: null,
  effective_at: "2026-11-25T00:00:00.000Z",
  matched_at: "2026-12-01T09:00:00.000Z",
  ended_at: null,
  ended_by: null,
  ended_reason: null,
};

export const suggestionExample = {
  object: "payout_suggestion",
  payout: "po_12",
  provider: "moonpay",
  payout_ref: "PO-MOONPAY-2026-10-EUR",
  currency: "EUR",
  payout_date: "2026-11-24T00:00:00.000Z",
  expected: "204.17",
  outstanding: "204.17",
  days_apart: 1,
  same_amount: true,
  named: false,
};
