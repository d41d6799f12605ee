import { z } from "@hono/zod-openapi";
import type { ReceiptLineRow, ReceiptMatchRow, SuggestedPayout } from "../../store/receipts/receipt-reads.ts";
import { amount, describeObject, time, withMembers } from "../object.ts";
import { maskWallet, maskWalletsIn, type Sight } from "../present.ts";
import { referenceTo } from "../references.ts";
import { day } from "./file-schema.ts";

export const receiptLine = describeObject({
  name: "ReceiptLine",
  object: "receipt_line",
  members: {
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
    counts: z.boolean().describe("false: withdrawn, or replaced by a newer version."),
    settled_amount: amount,
    unmatched_amount: amount.describe(
      "What came in and settles no payout; below zero, what the bank took back of no known payout.",
    ),
  },
  present: (line: ReceiptLineRow, { wallets }: Sight) => {
    // On chain the account and the other side are wallets.
    const shown = <Text extends string | null>(text: Text) =>
      wallets || line.hash === null ? text : (maskWallet(text) as Text);
    return {
      id: referenceTo("receipt_line", line.id),
      file: referenceTo("receipt_file", line.fileId),
      bank_account: shown(line.bankAccount),
      remittance: wallets ? line.remittance : maskWalletsIn(line.remittance),
      counterparty: shown(line.counterparty),
      settled_amount: line.settled,
      unmatched_amount: line.unmatched,
    };
  },
  example: {
    id: 4711,
    account: "default",
    fileId: 12,
    fileName: "bank-2026-11.xml",
    lineNo: 30,
    bankAccount: "DE89370400440532013000",
    valueDate: "2026-11-25",
    bookingDate: "2026-11-25",
    effectiveAt: "2026-11-25 00:00:00+00",
    amount: "204.17",
    currency: "EUR",
    direction: "credit",
    isReversal: false,
    endToEndId: "PO-MOONPAY-2026-10-EUR",
    bankReference: "20261125-BATCH-17/1",
    remittance: "Partner share October",
    counterparty: "Moon Pay Limited",
    charges: "0",
    counts: true,
    settled: "204.17",
    unmatched: "0",
  },
  exampleWith: [{ wallets: true }],
});

export const receiptMatch = describeObject({
  name: "ReceiptMatch",
  object: "receipt_match",
  members: {
    id: z.string().openapi({ example: "rcm_9" }),
    line: z.string(),
    payout: z.string(),
    provider: z.string(),
    payout_ref: z.string(),
    rule: z.enum(["reference", "end_to_end_id", "hash", "person"]),
    key: z.string().nullable().describe("The name found in both."),
    amount,
    currency: z.string(),
    bank_fee: amount,
    rounding: amount,
    state: z.enum(["active", "ended"]),
    made_by: z.string(),
    reason: z.string().nullable(),
    bank_day: day.describe("The day on which the bank booked the line."),
    effective_at: time.describe(
      "When it starts to count in the books: the line's time, or the day on which a person booked the match.",
    ),
    matched_at: time,
    ended_at: time.nullable(),
    ended_by: z.string().nullable(),
    ended_reason: z
      .string()
      .nullable()
      .describe(
        "In the person's words; for rules, `line_withdrawn`, `line_superseded`, `payout_withdrawn`, `figures_changed` or `no_longer_found`. A person's match that the rules ended holds again when its line and its payout are back.",
      ),
  },
  present: (match: ReceiptMatchRow) => ({
    id: referenceTo("receipt_match", match.id),
    line: referenceTo("receipt_line", match.lineId),
    payout: referenceTo("payout", match.payoutId),
  }),
  example: {
    id: 9,
    lineId: 4711,
    payoutId: 12,
    provider: "moonpay",
    payoutRef: "PO-MOONPAY-2026-10-EUR",
    rule: "end_to_end_id",
    key: "POMOONPAY202610EUR",
    amount: "204.17",
    currency: "EUR",
    bankFee: "0",
    rounding: "0",
    state: "active",
    madeBy: "rules",
    bankDay: "2026-11-25",
    effectiveAt: "2026-11-25 00:00:00+00",
    matchedAt: "2026-12-01 09:00:00+00",
  },
});

export const receiptLineDetail = withMembers(
  receiptLine,
  "ReceiptLineDetail",
  { matches: z.array(receiptMatch.schema) },
  { matches: [receiptMatch.example] },
);

export const suggestion = describeObject({
  name: "PayoutSuggestion",
  object: "payout_suggestion",
  members: {
    payout: z.string(),
    provider: z.string(),
    payout_ref: z.string(),
    currency: z.string(),
    payout_date: time.nullable(),
    expected: amount,
    outstanding: amount,
    days_apart: z.int().nullable(),
    same_amount: z.boolean(),
    named: z.boolean().describe("The line names it, and it names a payout of another provider too."),
  },
  present: ({ payoutId }: SuggestedPayout) => ({ payout: referenceTo("payout", payoutId) }),
  example: {
    payoutId: 12,
    provider: "moonpay",
    payoutRef: "PO-MOONPAY-2026-10-EUR",
    currency: "EUR",
    payoutDate: "2026-11-24 00:00:00+00",
    expected: "204.17",
    outstanding: "204.17",
    daysApart: 1,
    sameAmount: true,
    named: false,
  },
});
