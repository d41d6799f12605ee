import {
  listPayoutLines,
  listPayouts,
  payoutLinePaging,
  payoutPaging,
  payoutStates,
  readPayout,
} from "../../store/books/payout-reads.ts";
import { needs } from "../../access/access.ts";
import type { Api } from "../deps.ts";
import { addList } from "../list.ts";
import { accountFilter, choices, providerFilter } from "../parameters.ts";
import { foundReference, notFound, referenceParams } from "../references.ts";
import { addRoute } from "../route.ts";
import { sendObject } from "../send.ts";
import { payout, payoutDetail, payoutLine, payoutStatuses, waterfallOf } from "./schema.ts";

const tag = "Payouts";
const reading = needs("reconcile:read");

/** What providers declare to have paid, with the sum of their lines. */
export function addPayoutRoutes(api: Api): void {
  addList(
    api,
    {
      path: "/v1/payouts",
      operationId: "listPayouts",
      summary: "Payouts, newest first",
      tag,
      access: reading,
      filters: {
        account: accountFilter,
        provider: providerFilter,
        status: choices("Whether the lines add up to what was declared.", payoutStatuses),
        state: choices("Whether it has arrived.", payoutStates),
      },
      name: "PayoutList",
      of: payout,
      page: "A page of payouts.",
    },
    ({ reader, query }) => ({
      paging: payoutPaging,
      read: (page) => listPayouts(reader, query, page),
      present: payout.present,
    }),
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
      response: { description: "The payout.", ...payoutDetail },
      errors: ["not_found"],
    },
    async ({ c, reader, params }) => {
      const found = (await readPayout(reader, foundReference("payout", params.id))) ?? notFound("payout");
      return sendObject(c, { ...payout.present(found), waterfall: waterfallOf(found) });
    },
  );

  addList(
    api,
    {
      path: "/v1/payouts/{id}/lines",
      operationId: "listPayoutLines",
      summary: "The lines that make up a payout, in the order they were read",
      tag,
      access: reading,
      params: referenceParams("payout"),
      name: "PayoutLineList",
      of: payoutLine,
      page: "A page of lines.",
      exampleUrl: "/v1/payouts/po_12/lines",
      errors: ["not_found"],
    },
    async ({ reader, params }) => {
      const found = (await readPayout(reader, foundReference("payout", params.id))) ?? notFound("payout");
      return {
        paging: payoutLinePaging,
        read: (page) => listPayoutLines(reader, found, page),
        present: payoutLine.present,
      };
    },
  );
}
