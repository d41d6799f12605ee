import { z } from "@hono/zod-openapi";
import { endMatch, makeMatch } from "../../reconcile/match-by-hand.ts";
import { listMatches, matchPaging, type MatchRow, readMatch } from "../../store/books/match-reads.ts";
import { needs } from "../../access/access.ts";
import type { Api } from "../deps.ts";
import { answerList, listExample, listOf } from "../list.ts";
import { listParameters, oneOf, several } from "../parameters.ts";
import { isoTime } from "../present.ts";
import { throwMatchProblem } from "../match-problem.ts";
import {
  foundReference,
  notFound,
  referenceField,
  referenceParameter,
  referenceParams,
  referenceTo,
} from "../references.ts";
import { addRoute } from "../route.ts";
import { authorOf } from "../send-file.ts";
import { sendObject } from "../send.ts";
import { matchExample, matchRoles, matchRules, matchSchema, matchStates } from "./schema.ts";
import { reasonField } from "../reason-field.ts";

const tag = "Matches";
const reading = needs("reconcile:read");
const writing = needs("reconcile:write");

/** Which line of a statement and which transaction are the same event, and who says so. */
export function addMatchRoutes(api: Api): void {
  addReads(api);

  addRoute(
    api,
    {
      method: "post",
      path: "/v1/matches",
      operationId: "createMatch",
      summary: "Matches a line and a transaction by hand",
      description:
        "Also confirms a suggestion. Both sides are judged again at once, and discrepancies that the match settles agree. What is matched already has to be parted first.",
      tag,
      access: writing,
      body: z.strictObject({
        transaction_id: z
          .string()
          .min(1)
          .max(200)
          .regex(/^[^\0]*$/, "holds a NUL character")
          .openapi({ example: "01K6FJ4Z7M0000000000000001" }),
        line: referenceField("line"),
        reason: reasonField,
      }),
      response: {
        status: 201,
        description: "The match.",
        schema: matchSchema,
        example: {
          ...matchExample,
          rule: "person",
          made_by: "person:2",
          made_by_name: "Grace Hopper",
          reason: "same order, seen by mail",
        },
      },
      errors: ["not_found", "match_refused"],
    },
    async ({ c, caller, writing: { database }, body }) => {
      const wanted = { lineId: body.line, transactionId: body.transaction_id, reason: body.reason };
      const match = await makeMatch(database, caller, wanted, authorOf(c, caller)).catch(throwMatchProblem);
      c.header("Location", `/v1/matches/${referenceTo("match", match.id)}`);
      return sendObject(c, JSON.stringify(presentMatch(match)), 201);
    },
  );

  addRoute(
    api,
    {
      method: "post",
      path: "/v1/matches/{id}/end",
      operationId: "endMatch",
      summary: "Ends a match, or turns a suggestion down",
      description: "It is remembered: no rule makes this pair again. A person may.",
      tag,
      access: writing,
      params: referenceParams("match"),
      body: z.strictObject({ reason: reasonField }),
      response: {
        description: "The match, ended.",
        schema: matchSchema,
        example: { ...matchExample, state: "ended", barred: true },
      },
      errors: ["not_found", "match_refused"],
    },
    async ({ c, caller, writing: { database }, params, body }) => {
      const ending = { matchId: foundReference("match", params.id), reason: body.reason };
      const match = await endMatch(database, caller, ending, authorOf(c, caller)).catch(throwMatchProblem);
      return sendObject(c, JSON.stringify(presentMatch(match)));
    },
  );
}

function addReads(api: Api): void {
  addRoute(
    api,
    {
      method: "get",
      path: "/v1/matches",
      operationId: "listMatches",
      summary: "Matches, newest first; those that ended are among them",
      tag,
      access: reading,
      query: z.strictObject({
        ...listParameters,
        account: several({ description: "Only of these accounts.", example: "default" }),
        provider: several({ description: "Only of these providers.", example: "moonpay" }),
        state: several({ description: "Whether it holds.", enum: [...matchStates] }, oneOf(matchStates)),
        rule: several({ description: "What made it.", enum: [...matchRules] }, oneOf(matchRules)),
        role: several(
          { description: "Whether the line settles the transaction.", enum: [...matchRoles] },
          oneOf(matchRoles),
        ),
        transaction_id: several({ description: "Only of these transactions.", example: "01K6FJ4Z7M0001" }),
        line: referenceParameter("line", "Only of this line."),
      }),
      response: {
        description: "A page of matches.",
        schema: listOf("MatchList", matchSchema),
        example: listExample("/v1/matches", matchExample),
      },
      errors: ["cursor_mismatch"],
    },
    (input) => {
      const { transaction_id: transactionId, line: lineId, ...others } = input.query;
      const filters = { ...others, transactionId, lineId };
      return answerList(
        api,
        input,
        matchPaging,
        (page) => listMatches(input.reader, filters, page),
        (row) => JSON.stringify(presentMatch(row)),
      );
    },
  );

  addRoute(
    api,
    {
      method: "get",
      path: "/v1/matches/{id}",
      operationId: "getMatch",
      summary: "One match: what agreed, and by how much the amounts differ",
      tag,
      access: reading,
      params: referenceParams("match"),
      response: { description: "The match.", schema: matchSchema, example: matchExample },
      errors: ["not_found"],
    },
    async ({ c, reader, params }) => {
      const match = (await readMatch(reader, foundReference("match", params.id))) ?? notFound("match");
      return sendObject(c, JSON.stringify(presentMatch(match)));
    },
  );
}

function presentMatch(row: MatchRow) {
  const { id, account, provider, transactionId, recordHash, keys, ...match } = row;
  return {
    object: "match",
    id: referenceTo("match", id),
    account,
    provider,
    transaction_id: transactionId,
    record_hash: recordHash.toString("hex"),
    line: {
      id: referenceTo("line", match.lineId),
      line_type: match.lineType,
      statement: referenceTo("statement", match.statementId),
      file_name: match.fileName,
      line_no: match.lineNo,
      payout_ref: match.payoutRef,
    },
    role: match.role,
    rule: match.rule,
    keys,
    state: match.state,
    made_by: match.madeBy,
    made_by_name: match.madeByName,
    reason: match.reason,
    in_expected: match.inExpected,
    in_actual: match.inActual,
    in_difference: match.inDifference,
    out_expected: match.outExpected,
    out_actual: match.outActual,
    out_difference: match.outDifference,
    difference_name: match.differenceName,
    effective_at: isoTime(match.effectiveAt),
    matched_at: isoTime(match.matchedAt),
    ended_at: isoTime(match.endedAt),
    ended_by: match.endedBy,
    ended_by_name: match.endedByName,
    ended_reason: match.endedReason,
    barred: match.barred,
  };
}
