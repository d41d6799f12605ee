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
import { addList } from "../list.ts";
import { foundReference, notFound, referenceParams } from "../references.ts";
import { addRoute } from "../route.ts";
import { sendVersioned } from "../send.ts";
import { discrepancyFilters, discrepancyQuery } from "./query.ts";
import { discrepancy, discrepancyEvent } from "./schema.ts";

const tag = "Discrepancies";
const reading = needs("reconcile:read");

/** Two facts that should agree and do not: what, how much, since when, and who looks after it. */
export function addDiscrepancyRoutes(api: Api): void {
  addList(
    api,
    {
      path: "/v1/discrepancies",
      operationId: "listDiscrepancies",
      summary: "Discrepancies, the longest waiting first",
      tag,
      access: reading,
      filters: discrepancyQuery,
      name: "DiscrepancyList",
      of: discrepancy,
      page: "A page of discrepancies.",
    },
    ({ caller, reader, query }) => {
      const filters = discrepancyFilters(query);
      return {
        paging: discrepancyPaging(filters),
        read: (page) => listDiscrepancies(reader, filters, page),
        present: (row) => discrepancy.present(row, caller),
      };
    },
  );

  addRoute(
    api,
    {
      method: "get",
      path: "/v1/discrepancies/{id}",
      operationId: "getDiscrepancy",
      summary: "One discrepancy; a change needs its ETag as If-Match",
      tag,
      access: reading,
      params: referenceParams("discrepancy"),
      response: { description: "The discrepancy.", ...discrepancy },
      errors: ["not_found"],
    },
    async ({ c, caller, reader, params }) => {
      const row = await readDiscrepancy(reader, foundReference("discrepancy", params.id));
      return sendDiscrepancy(c, caller, row ?? notFound("discrepancy"));
    },
  );

  addList(
    api,
    {
      path: "/v1/discrepancies/{id}/events",
      operationId: "listDiscrepancyEvents",
      summary: "Everything that happened to a discrepancy, in order",
      tag,
      access: reading,
      params: referenceParams("discrepancy"),
      name: "DiscrepancyEventList",
      of: discrepancyEvent,
      page: "A page of events.",
      exampleUrl: "/v1/discrepancies/dis_31/events",
      errors: ["not_found"],
    },
    async ({ reader, params }) => {
      const row = await readDiscrepancy(reader, foundReference("discrepancy", params.id));
      const { id } = row ?? notFound("discrepancy");
      return {
        paging: eventPaging,
        read: (page) => listEvents(reader, id, page),
        present: discrepancyEvent.present,
      };
    },
  );
}

export function sendDiscrepancy(c: ApiContext, caller: Caller, row: DiscrepancyRow): Response {
  return sendVersioned(c, discrepancy.present(row, caller));
}
