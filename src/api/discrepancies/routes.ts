import { z } from "@hono/zod-openapi";
import {
  type DiscrepancyRow,
  discrepancyPaging,
  eventPaging,
  listDiscrepancies,
  listEvents,
  readDiscrepancy,
} from "../../store/books/discrepancy-reads.ts";
import { needs } from "../../access/access.ts";
import type { Caller } from "../../access/caller.ts";
import type { Api, ApiContext } from "../deps.ts";
import { discrepancyFilters, discrepancyQuery } from "./query.ts";
import { versionTag } from "../if-match.ts";
import { answerList, listExample, listOf } from "../list.ts";
import { listParameters } from "../parameters.ts";
import { presentDiscrepancy, presentEvent } from "./present.ts";
import { foundReference, notFound, referenceParams } from "../references.ts";
import { addRoute } from "../route.ts";
import { sendTagged } from "../send.ts";
import { discrepancyExample, discrepancySchema, eventExample, eventSchema } from "./schema.ts";

const tag = "Discrepancies";
const reading = needs("reconcile:read");

/** Two facts that should agree and do not: what, how much, since when, and who looks after it. */
export function addDiscrepancyRoutes(api: Api): void {
  addRoute(
    api,
    {
      method: "get",
      path: "/v1/discrepancies",
      operationId: "listDiscrepancies",
      summary: "Discrepancies, those first that wait longest",
      tag,
      access: reading,
      query: discrepancyQuery,
      response: {
        description: "A page of discrepancies.",
        schema: listOf("DiscrepancyList", discrepancySchema),
        example: listExample("/v1/discrepancies", discrepancyExample),
      },
      errors: ["cursor_mismatch"],
    },
    (input) => {
      const filters = discrepancyFilters(input.query);
      return answerList(
        api,
        input,
        discrepancyPaging(filters),
        (page) => listDiscrepancies(input.reader, filters, page),
        (row) => JSON.stringify(presentDiscrepancy(row, input.caller)),
      );
    },
  );

  addRoute(
    api,
    {
      method: "get",
      path: "/v1/discrepancies/{id}",
      operationId: "getDiscrepancy",
      summary: "One discrepancy; its ETag is what a change needs as If-Match",
      tag,
      access: reading,
      params: referenceParams("discrepancy"),
      response: {
        description: "The discrepancy.",
        schema: discrepancySchema,
        example: discrepancyExample,
      },
      errors: ["not_found"],
    },
    async ({ c, caller, reader, params }) => {
      const row = await readDiscrepancy(reader, foundReference("discrepancy", params.id));
      return sendDiscrepancy(c, caller, row ?? notFound("discrepancy"));
    },
  );

  addRoute(
    api,
    {
      method: "get",
      path: "/v1/discrepancies/{id}/events",
      operationId: "listDiscrepancyEvents",
      summary: "All that ever happened to a discrepancy, in order",
      tag,
      access: reading,
      params: referenceParams("discrepancy"),
      query: z.strictObject(listParameters),
      response: {
        description: "A page of events.",
        schema: listOf("DiscrepancyEventList", eventSchema),
        example: listExample("/v1/discrepancies/dis_31/events", eventExample),
      },
      errors: ["not_found", "cursor_mismatch"],
    },
    async (input) => {
      const { reader, params } = input;
      const { id } =
        (await readDiscrepancy(reader, foundReference("discrepancy", params.id))) ?? notFound("discrepancy");
      return answerList(
        api,
        input,
        eventPaging,
        (page) => listEvents(reader, id, page),
        (row) => JSON.stringify(presentEvent(row)),
      );
    },
  );
}

/** Its tag changes with its version, and with its age, which grows by itself. */
export function sendDiscrepancy(c: ApiContext, caller: Caller, row: DiscrepancyRow): Response {
  return sendTagged(c, JSON.stringify(presentDiscrepancy(row, caller)), versionTag(row.version, row.ageDays));
}
