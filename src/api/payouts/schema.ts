import { z } from "@hono/zod-openapi";
import { addDecimals, type Decimal, decimal, negateDecimal } from "../../core/decimal.ts";
import { type PayoutLine, type PayoutRow, payoutStates } from "../../store/books/payout-reads.ts";
import { amount, describeObject, time, withMembers } from "../object.ts";
import { isoTime } from "../present.ts";
import { referenceTo } from "../references.ts";

export const payoutStatuses = ["tied", "not_tied", "undeclared"] as const;

const example = {
  id: 12,
  account: "default",
  provider: "moonpay",
  payoutRef: "MP-2026-10-EUR",
  currency: "EUR",
  payoutDate: "2026-11-24 00:00:00+00",
  lineCount: 117,
  gross: "0",
  fees: "0",
  refunds: "1.2",
  chargebacks: "0",
  chargebackReversals: "0",
  commissions: "205.37",
  adjustments: "0",
  reserves: "0",
  netComputed: "204.17",
  netDeclared: "203.17",
  difference: "-1",
  status: "not_tied" as const,
  lastChangedAt: "2026-11-25 09:00:00+00",
  arrived: {
    received: "203.17",
    bankFee: "0",
    receivedAt: "2026-11-25 00:00:00+00",
    receivedReference: "20261125-0003",
    state: "received" as const,
  },
  conversion: null,
};

export const payout = describeObject({
  name: "Payout",
  object: "payout",
  members: {
    id: z.string(),
    account: z.string(),
    provider: z.string(),
    payout_ref: z.string(),
    currency: z.string(),
    payout_date: time.nullable(),
    line_count: z.int(),
    gross: amount,
    fees: amount,
    refunds: amount,
    chargebacks: amount,
    chargeback_reversals: amount,
    commissions: amount,
    adjustments: amount,
    reserves: amount,
    net_computed: amount,
    net_declared: amount.nullable(),
    difference: amount.nullable().describe("net_declared less net_computed."),
    transaction_hash: z.string().nullable(),
    status: z.enum(payoutStatuses),
    last_changed_at: time,
    received_amount: amount.describe("How much has arrived in bank lines and on-chain transfers."),
    bank_fee: amount.describe("What the bank kept of it."),
    received_at: time.nullable(),
    received_reference: z.string().nullable(),
    state: z
      .enum(payoutStates)
      .describe(
        "Whether it has arrived; `overdue` if nothing has by its due date, `payable` if it is below zero and we owe it, `paid` once that has gone out, `withdrawn` if no file in force declares it.",
      ),
    conversion: z
      .strictObject({
        rate: amount.describe("As the provider's file states it."),
        line: z.string().describe("The statement line that states it."),
        statement: z.string(),
        file_name: z.string(),
        line_no: z.int(),
        originals: z.array(
          z.strictObject({
            currency: z.string(),
            amount: amount.describe("The sum of the lines in this currency."),
            converted: amount.describe("That sum at the rate, not rounded."),
          }),
        ),
      })
      .nullable()
      .describe("For a payout in a currency other than that of its lines."),
  },
  present: ({ id, arrived, conversion }: PayoutRow) => ({
    id: referenceTo("payout", id),
    received_amount: arrived.received,
    bank_fee: arrived.bankFee,
    received_at: isoTime(arrived.receivedAt),
    received_reference: arrived.receivedReference,
    state: arrived.state,
    conversion: conversion && {
      rate: conversion.rate,
      line: referenceTo("line", conversion.lineId),
      statement: referenceTo("statement", conversion.statementId),
      file_name: conversion.fileName,
      line_no: conversion.lineNo,
      originals: [...conversion.originals],
    },
  }),
  example,
});

interface WaterfallStep {
  step: string;
  /** `null` where nothing was declared. */
  amount: Decimal | null;
  total: Decimal | null;
}

const waterfall = [
  { step: "gross", of: "gross", sign: "+" },
  { step: "fees", of: "fees", sign: "-" },
  { step: "refunds", of: "refunds", sign: "-" },
  { step: "chargebacks", of: "chargebacks", sign: "-" },
  { step: "chargeback_reversals", of: "chargebackReversals", sign: "+" },
  { step: "commissions", of: "commissions", sign: "+" },
  { step: "adjustments", of: "adjustments", sign: "+" },
  { step: "reserves", of: "reserves", sign: "+" },
] as const;

type Figures = Pick<
  PayoutRow,
  (typeof waterfall)[number]["of"] | "netComputed" | "netDeclared" | "difference"
>;

/** Each step with its sign, and the sum up to it: a bookkeeper can follow it step by step. */
export function waterfallOf(row: Figures): WaterfallStep[] {
  let total = decimal("0");
  const steps = waterfall.map(({ step, of, sign }): WaterfallStep => {
    const given = decimal(row[of]);
    const signed = sign === "-" ? negateDecimal(given) : given;
    total = addDecimals(total, signed);
    return { step, amount: signed, total };
  });
  const figure = (step: string, text: string | null): WaterfallStep => {
    const given = text === null ? null : decimal(text);
    return { step, amount: given, total: given };
  };
  return [
    ...steps,
    figure("net_computed", row.netComputed),
    figure("net_declared", row.netDeclared),
    figure("difference", row.difference),
  ];
}

export const payoutDetail = withMembers(
  payout,
  "PayoutDetail",
  {
    waterfall: z.array(
      z.strictObject({
        step: z.string(),
        amount: amount.nullable().describe("With its sign."),
        total: amount.nullable().describe("Up to and including this step."),
      }),
    ),
  },
  { waterfall: waterfallOf(example) },
);

export const payoutLine = describeObject({
  name: "PayoutLine",
  object: "statement_line",
  members: {
    id: z.string(),
    statement: z.string(),
    file_name: z.string(),
    line_no: z.int(),
    line_type: z.string(),
    status: z.string(),
    effective_at: time,
    provider_transaction_id: z.string().nullable(),
    fiat_currency: z.string().nullable(),
    fiat_gross: amount.nullable(),
    fee_total: amount.nullable(),
    fee_currency: z.string().nullable(),
    net_amount: amount,
    net_currency: z.string().nullable(),
    transaction_id: z
      .string()
      .nullable()
      .describe("The transaction that it settles or relates to; null when it is split over several."),
    transaction_ids: z
      .array(z.string())
      .describe("The same, as a list: all of them if a person split the line."),
  },
  present: (row: PayoutLine) => ({
    id: referenceTo("line", row.id),
    statement: referenceTo("statement", row.statement_id),
    transaction_id: row.transaction_ids.length === 1 ? (row.transaction_ids[0] ?? null) : null,
  }),
  example: {
    id: "4711",
    statement_id: "12",
    file_name: "moonpay-2026-10.csv",
    line_no: 2,
    line_type: "charge",
    status: "settled",
    effective_at: "2026-10-05 09:17:02.903+00",
    provider_transaction_id: "7f4f4f1c-0a38-4c1e-9f0e-6f3f5b1f2a01",
    fiat_currency: "EUR",
    fiat_gross: "300",
    fee_total: "4.55",
    fee_currency: "EUR",
    net_amount: "0.56",
    net_currency: "EUR",
    transaction_ids: ["01K6FJ4Z7M0000000000000001"],
  },
});
