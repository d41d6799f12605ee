import { z } from "@hono/zod-openapi";
import { needs } from "../../access/access.ts";
import { matchReceipt, unmatchReceipt } from "../../reconcile/receipts/match-receipt.ts";
import {
  listReceiptLines,
  listReceiptMatches,
  readReceiptLine,
  receiptLinePaging,
  suggestPayouts,
} from "../../store/receipts/receipt-reads.ts";
import type { Api } from "../deps.ts";
import { addList, listResponse, sendWhole } from "../list.ts";
import { accountFilter, booleanParameter, choices, several } from "../parameters.ts";
import { sightOf } from "../present.ts";
import {
  foundReference,
  notFound,
  referenceField,
  referenceParameter,
  referenceParams,
} from "../references.ts";
import { addRoute } from "../route.ts";
import { throwMatchProblem } from "../match-problem.ts";
import { amountField, bookedAtField, reasonField } from "../body-fields.ts";
import { authorOf } from "../send-file.ts";
import { sendObject } from "../send.ts";
import { receiptLine, receiptLineDetail, receiptMatch, suggestion } from "./line-schema.ts";

const tag = "Receipts";
const reading = needs("reconcile:read");
const writing = needs("reconcile:write");

const amount = amountField("204.17");

/** Bank lines, the payouts that they settle, and matching by hand. */
export function addReceiptLineRoutes(api: Api): void {
  addReads(api);

  addRoute(
    api,
    {
      method: "post",
      path: "/v1/receipt-matches",
      operationId: "createReceiptMatch",
      summary: "Matches a bank line with a payout",
      description:
        "A line may settle several payouts and a payout may come in several lines: one match each. Counts from now on, or from the day in booked_at; both are reassessed at once.",
      tag,
      access: writing,
      body: z.strictObject({
        line: referenceField("receipt_line"),
        payout: referenceField("payout"),
        amount: amount
          .optional()
          .describe("In the payout's currency; if left out: the rest of the line, at most what is owed."),
        bank_fee: amount.optional().describe("What the bank kept of the payout."),
        reason: reasonField,
        booked_at: bookedAtField,
      }),
      response: {
        status: 201,
        description: "The match.",
        schema: receiptMatch.schema,
        example: { ...receiptMatch.example, rule: "person", key: null, reason: "confirmed by e-mail" },
      },
      errors: ["not_found", "match_refused", "period_refused"],
    },
    async ({ c, caller, writing: { database }, body }) => {
      const wanted = {
        lineId: body.line,
        payoutId: body.payout,
        amount: body.amount,
        bankFee: body.bank_fee,
        reason: body.reason,
        bookedAt: body.booked_at,
      };
      const match = await matchReceipt(database, caller, wanted, authorOf(c, caller)).catch(
        throwMatchProblem,
      );
      return sendObject(c, receiptMatch.present(match), 201);
    },
  );

  addRoute(
    api,
    {
      method: "post",
      path: "/v1/receipt-matches/{id}/end",
      operationId: "endReceiptMatch",
      summary: "Ends the match of a bank line with a payout",
      description: "This is remembered: no rule matches the two again, but a person may.",
      tag,
      access: writing,
      params: referenceParams("receipt_match"),
      body: z.strictObject({ reason: reasonField }),
      response: {
        description: "The match, ended.",
        schema: receiptMatch.schema,
        example: { ...receiptMatch.example, state: "ended" },
      },
      errors: ["not_found", "match_refused"],
    },
    async ({ c, caller, writing: { database }, params, body }) => {
      const ending = { matchId: foundReference("receipt_match", params.id), reason: body.reason };
      const match = await unmatchReceipt(database, caller, ending, authorOf(c, caller)).catch(
        throwMatchProblem,
      );
      return sendObject(c, receiptMatch.present(match));
    },
  );
}

function addReads(api: Api): void {
  addList(
    api,
    {
      path: "/v1/receipt-lines",
      operationId: "listReceiptLines",
      summary: "Bank lines and transfers on chain, newest first",
      tag,
      access: reading,
      filters: {
        account: accountFilter,
        currency: several({ description: "Only in these currencies.", example: "EUR" }),
        direction: choices("Only money in, or money out.", ["credit", "debit"]),
        file: referenceParameter("receipt_file", "Only of this file, including those that do not count."),
        payout: referenceParameter("payout", "Only those that settle this payout."),
        matched: booleanParameter("true: settles a payout; false: money that came in and settles none."),
      },
      name: "ReceiptLineList",
      of: receiptLine,
      page: "A page of lines.",
    },
    ({ caller, reader, query: { file: fileId, payout: payoutId, ...others } }) => ({
      paging: receiptLinePaging,
      read: (page) => listReceiptLines(reader, { ...others, fileId, payoutId }, page),
      present: (row) => receiptLine.present(row, sightOf(caller)),
    }),
  );

  addRoute(
    api,
    {
      method: "get",
      path: "/v1/receipt-lines/{id}",
      operationId: "getReceiptLine",
      summary: "One bank line, and the payouts that it settles or has settled",
      tag,
      access: reading,
      params: referenceParams("receipt_line"),
      response: {
        description: "The line.",
        ...receiptLineDetail,
      },
      errors: ["not_found"],
    },
    async ({ c, caller, reader, params }) => {
      const lineId = foundReference("receipt_line", params.id);
      const line = (await readReceiptLine(reader, lineId)) ?? notFound("receipt_line");
      const matches = await listReceiptMatches(reader.database, { lineId });
      return sendObject(c, {
        ...receiptLine.present(line, sightOf(caller)),
        matches: matches.map((match) => receiptMatch.present(match)),
      });
    },
  );

  addRoute(
    api,
    {
      method: "get",
      path: "/v1/receipt-lines/{id}/suggestions",
      operationId: "suggestPayouts",
      summary: "Payouts that a bank line might settle",
      description: "By amount and date, which prove nothing: a person decides.",
      tag,
      access: reading,
      params: referenceParams("receipt_line"),
      response: listResponse("PayoutSuggestionList", suggestion, {
        url: "/v1/receipt-lines/rcl_4711/suggestions",
        description: "The nearest first.",
      }),
      errors: ["not_found"],
    },
    async ({ c, reader, params }) => {
      const lineId = foundReference("receipt_line", params.id);
      if ((await readReceiptLine(reader, lineId)) === null) notFound("receipt_line");
      const data = (await suggestPayouts(reader.database, lineId)).map((one) => suggestion.present(one));
      return sendWhole(c, data);
    },
  );
}
