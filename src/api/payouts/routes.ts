import { z } from "@hono/zod-openapi";
import { addDecimals, type Decimal, decimal, negateDecimal } from "../../core/decimal.ts";
import {
  listPayoutLines,
  listPayouts,
  payoutLinePaging,
  type PayoutLine,
  payoutPaging,
  type PayoutRow,
  readPayout,
} from "../../store/books/payout-reads.ts";
import { needs } from "../../access/access.ts";
import type { Api } from "../deps.ts";
import { answerList, listExample, listOf } from "../list.ts";
import { listParameters, oneOf, several } from "../parameters.ts";
import { isoTime } from "../present.ts";
import { foundReference, notFound, referenceParams, referenceTo } from "../references.ts";
import { addRoute } from "../route.ts";
import { sendObject } from "../send.ts";
import {
  payoutDetailSchema,
  payoutExample,
  payoutLineExample,
  payoutLineSchema,
  payoutSchema,
  payoutStatuses,
  waterfallExample,
} from "./schema.ts";

const tag = "Payouts";
const reading = needs("reconcile:read");

/** What providers declare to have paid, with the sum of their lines. */
export function addPayoutRoutes(api: Api): void {
  addRoute(
    api,
    {
      method: "get",
      path: "/v1/payouts",
      operationId: "listPayouts",
      summary: "Payouts, newest first",
      tag,
      access: reading,
      query: z.strictObject({
        ...listParameters,
        account: several({ description: "Only of these accounts.", example: "default" }),
        provider: several({ description: "Only of these providers.", example: "moonpay" }),
        status: several(
          { description: "Whether the lines add up to what was declared.", enum: [...payoutStatuses] },
          oneOf(payoutStatuses),
        ),
      }),
      response: {
        description: "A page of payouts.",
        schema: listOf("PayoutList", payoutSchema),
        example: listExample("/v1/payouts", payoutExample),
      },
      errors: ["cursor_mismatch"],
    },
    (input) =>
      answerList(
        api,
        input,
        payoutPaging,
        (page) => listPayouts(input.reader, input.query, page),
        (row) => JSON.stringify(presentPayout(row)),
      ),
  );

  addRoute(
    api,
    {
      method: "get",
      path: "/v1/payouts/{id}",
      operationId: "getPayout",
      summary: "One payout with its waterfall, from gross to the difference",
      tag,
      access: reading,
      params: referenceParams("payout"),
      response: {
        description: "The payout.",
        schema: payoutDetailSchema,
        example: { ...payoutExample, waterfall: waterfallExample },
      },
      errors: ["not_found"],
    },
    async ({ c, reader, params }) => {
      const payout = (await readPayout(reader, foundReference("payout", params.id))) ?? notFound("payout");
      return sendObject(c, JSON.stringify({ ...presentPayout(payout), waterfall: waterfallOf(payout) }));
    },
  );

  addRoute(
    api,
    {
      method: "get",
      path: "/v1/payouts/{id}/lines",
      operationId: "listPayoutLines",
      summary: "The lines that make up a payout, in the order they were read",
      tag,
      access: reading,
      params: referenceParams("payout"),
      query: z.strictObject(listParameters),
      response: {
        description: "A page of lines.",
        schema: listOf("PayoutLineList", payoutLineSchema),
        example: listExample("/v1/payouts/po_12/lines", payoutLineExample),
      },
      errors: ["not_found", "cursor_mismatch"],
    },
    async (input) => {
      const { reader, params } = input;
      const payout = (await readPayout(reader, foundReference("payout", params.id))) ?? notFound("payout");
      return answerList(
        api,
        input,
        payoutLinePaging,
        (page) => listPayoutLines(reader, payout, page),
        (row) => JSON.stringify(presentLine(row)),
      );
    },
  );
}

function presentPayout(row: PayoutRow) {
  return {
    object: "payout",
    id: referenceTo("payout", row.id),
    account: row.account,
    provider: row.provider,
    payout_ref: row.payoutRef,
    currency: row.currency,
    line_count: row.lineCount,
    gross: row.gross,
    fees: row.fees,
    refunds: row.refunds,
    chargebacks: row.chargebacks,
    chargeback_reversals: row.chargebackReversals,
    commissions: row.commissions,
    adjustments: row.adjustments,
    reserves: row.reserves,
    net_computed: row.netComputed,
    net_declared: row.netDeclared,
    difference: row.difference,
    transaction_hash: row.transactionHash,
    status: row.status,
    payout_date: isoTime(row.payoutDate),
    last_changed_at: isoTime(row.lastChangedAt),
    received_amount: row.arrived.received,
    bank_fee: row.arrived.bankFee,
    received_at: isoTime(row.arrived.receivedAt),
    received_reference: row.arrived.receivedReference,
    state: row.arrived.state,
  };
}

interface WaterfallStep {
  step: string;
  /** `null` where nothing was declared. */
  amount: Decimal | null;
  total: Decimal | null;
}

/** Each step with its sign, and the sum up to it: a bookkeeper can follow it with a finger. */
function waterfallOf(payout: PayoutRow): WaterfallStep[] {
  let total = decimal("0");
  const steps = waterfall.map(({ step, of, sign }): WaterfallStep => {
    const amount = decimal(payout[of]);
    const signed = sign === "-" ? negateDecimal(amount) : amount;
    total = addDecimals(total, signed);
    return { step, amount: signed, total };
  });
  const figure = (step: string, text: string | null): WaterfallStep => {
    const amount = text === null ? null : decimal(text);
    return { step, amount, total: amount };
  };
  return [
    ...steps,
    figure("net_computed", payout.netComputed),
    figure("net_declared", payout.netDeclared),
    figure("difference", payout.difference),
  ];
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

function presentLine({ id, statement_id, effective_at, ...line }: PayoutLine) {
  return {
    object: "statement_line",
    id: referenceTo("line", id),
    statement: referenceTo("statement", statement_id),
    ...line,
    effective_at: isoTime(effective_at),
  };
}
