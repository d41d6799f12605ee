import { z } from "@hono/zod-openapi";
import { time } from "../list.ts";

export const amount = z.string().openapi({ example: "204.17" });
export const payoutStatuses = ["tied", "not_tied", "undeclared"] as const;

export const payoutStates = ["expected", "declared", "received", "short", "over", "overdue"] as const;

export const payoutSchema = z
  .strictObject({
    object: z.literal("payout"),
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
    difference: amount.nullable().openapi({ description: "net_declared less net_computed." }),
    transaction_hash: z.string().nullable(),
    status: z.enum(payoutStatuses),
    last_changed_at: time,
    received_amount: amount.openapi({
      description: "What bank lines and transfers on chain have brought of it.",
    }),
    bank_fee: amount.openapi({ description: "What the bank kept of it." }),
    received_at: time.nullable(),
    received_reference: z.string().nullable(),
    state: z.enum(payoutStates).openapi({
      description: "Whether it has arrived; `overdue` where nothing has by its due date.",
    }),
  })
  .openapi("Payout");

export const payoutDetailSchema = z
  .strictObject({
    ...payoutSchema.shape,
    waterfall: z.array(
      z.strictObject({
        step: z.string(),
        amount: amount.nullable().openapi({ description: "With its sign." }),
        total: amount.nullable().openapi({ description: "Up to and with this step." }),
      }),
    ),
  })
  .openapi("PayoutDetail");

export const payoutLineSchema = z
  .strictObject({
    object: z.literal("statement_line"),
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
      .openapi({ description: "The transaction that it settles or relates to." }),
  })
  .openapi("PayoutLine");

export const payoutExample = {
  object: "payout",
  id: "po_12",
  account: "default",
  provider: "moonpay",
  payout_ref: "MP-2026-10-EUR",
  currency: "EUR",
  payout_date: "2026-11-24T00:00:00.000Z",
  line_count: 117,
  gross: "0",
  fees: "0",
  refunds: "1.2",
  chargebacks: "0",
  chargeback_reversals: "0",
  commissions: "205.37",
  adjustments: "0",
  reserves: "0",
  net_computed: "204.17",
  net_declared: "203.17",
  difference: "-1",
  transaction_hash: null,
  status: "not_tied",
  last_changed_at: "2026-11-25T09:00:00.000Z",
  received_amount: "203.17",
  bank_fee: "0",
  received_at: "2026-11-25T00:00:00.000Z",
  received_reference: "20261125-0003",
  state: "received",
};

export const waterfallExample = [
  { step: "gross", amount: "0", total: "0" },
  { step: "refunds", amount: "-1.2", total: "-1.2" },
  { step: "commissions", amount: "205.37", total: "204.17" },
  { step: "net_computed", amount: "204.17", total: "204.17" },
  { step: "net_declared", amount: "203.17", total: "203.17" },
  { step: "difference", amount: "-1", total: "-1" },
];

export const payoutLineExample = {
  object: "statement_line",
  id: "lin_4711",
  statement: "stm_12",
  file_name: "moonpay-2026-10.csv",
  line_no: 2,
  line_type: "charge",
  status: "settled",
  effective_at: "2026-10-05T09:17:02.903Z",
  provider_transaction_id: "7f4f4f1c-0a38-4c1e-9f0e-6f3f5b1f2a01",
  fiat_currency: "EUR",
  fiat_gross: "300",
  fee_total: "4.55",
  fee_currency: "EUR",
  net_amount: "0.56",
  net_currency: "EUR",
  transaction_id: "01K6FJ4Z7M0000000000000001",
};
