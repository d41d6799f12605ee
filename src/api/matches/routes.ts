import { z } from "@hono/zod-openapi";
import { endMatch, makeMatch } from "../../reconcile/match-by-hand.ts";
import { listMatches, matchPaging, readMatch } from "../../store/books/match-reads.ts";
import { needs } from "../../access/access.ts";
import type { Api } from "../deps.ts";
import { addList } from "../list.ts";
import { accountFilter, choices, providerFilter, several } from "../parameters.ts";
import { throwMatchProblem } from "../match-problem.ts";
import {
  foundReference,
  notFound,
  referenceField,
  referenceParameter,
  referenceParams,
} from "../references.ts";
import { addRoute } from "../route.ts";
import { authorOf } from "../send-file.ts";
import { sendObject } from "../send.ts";
import { addSplitRoute } from "./split-route.ts";
import { match, matchRoles, matchRules, matchStates, transactionIdField } from "./schema.ts";
import { bookedAtField, reasonField } from "../body-fields.ts";

const tag = "Matches";
const reading = needs("reconcile:read");
const writing = needs("reconcile:write");

/** Which line of a statement and which transaction are the same event, and who says so. */
export function addMatchRoutes(api: Api): void {
  addReads(api);
  addSplitRoute(api);

  addRoute(
    api,
    {
      method: "post",
      path: "/v1/matches",
      operationId: "createMatch",
      summary: "Matches a line and a transaction by hand",
      description:
        "Also confirms a suggestion. Both sides are reassessed at once, and discrepancies that the match settles are closed. An existing match has to be ended first.",
      tag,
      access: writing,
      body: z.strictObject({
        transaction_id: transactionIdField,
        line: referenceField("line"),
        reason: reasonField,
        booked_at: bookedAtField,
      }),
      response: {
        status: 201,
        description: "The match.",
        location: ({ id }) => `/v1/matches/${id}`,
        schema: match.schema,
        example: {
          ...match.example,
          rule: "person",
          made_by: "person:2",
          made_by_name: "Grace Hopper",
          reason: "same order, confirmed by e-mail",
        },
      },
      errors: ["not_found", "match_refused", "period_refused"],
    },
    async ({ c, caller, writing: { database }, body }) => {
      const wanted = {
        lineId: body.line,
        transactionId: body.transaction_id,
        reason: body.reason,
        bookedAt: body.booked_at,
      };
      const made = await makeMatch(database, caller, wanted, authorOf(c, caller)).catch(throwMatchProblem);
      return sendObject(c, match.present(made), 201);
    },
  );

  addRoute(
    api,
    {
      method: "post",
      path: "/v1/matches/{id}/end",
      operationId: "endMatch",
      summary: "Ends a match, or rejects a suggestion",
      description:
        "This is remembered: no rule makes this pair again, but a person may. A part of a split ends together with the other parts.",
      tag,
      access: writing,
      params: referenceParams("match"),
      body: z.strictObject({ reason: reasonField }),
      response: {
        description: "The match, ended.",
        schema: match.schema,
        example: { ...match.example, state: "ended", barred: true },
      },
      errors: ["not_found", "match_refused"],
    },
    async ({ c, caller, writing: { database }, params, body }) => {
      const ending = { matchId: foundReference("match", params.id), reason: body.reason };
      const ended = await endMatch(database, caller, ending, authorOf(c, caller)).catch(throwMatchProblem);
      return sendObject(c, match.present(ended));
    },
  );
}

function addReads(api: Api): void {
  addList(
    api,
    {
      path: "/v1/matches",
      operationId: "listMatches",
      summary: "Matches, newest first, including ended ones",
      tag,
      access: reading,
      filters: {
        account: accountFilter,
        provider: providerFilter,
        state: choices("Whether it is active.", matchStates),
        rule: choices("What made it.", matchRules),
        role: choices("Whether the line settles the transaction.", matchRoles),
        transaction_id: several({ description: "Only of these transactions.", example: "01K6FJ4Z7M0001" }),
        line: referenceParameter("line", "Only of this line."),
      },
      name: "MatchList",
      of: match,
      page: "A page of matches.",
    },
    ({ reader, query: { transaction_id: transactionId, line: lineId, ...others } }) => ({
      paging: matchPaging,
      read: (page) => listMatches(reader, { ...others, transactionId, lineId }, page),
      present: match.present,
    }),
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
      response: { description: "The match.", ...match },
      errors: ["not_found"],
    },
    async ({ c, reader, params }) => {
      const found = await readMatch(reader, foundReference("match", params.id));
      return sendObject(c, match.present(found ?? notFound("match")));
    },
  );
}
