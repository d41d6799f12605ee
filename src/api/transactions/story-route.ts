import { z } from "@hono/zod-openapi";
import {
  listFindings,
  listStoryDiscrepancies,
  listStoryMatches,
  storyWindows,
} from "../../store/transactions/story-reads.ts";
import { listStatuses } from "../../store/transactions/status-reads.ts";
import { needs } from "../../access/access.ts";
import type { Api } from "../deps.ts";
import { sightOf } from "../present.ts";
import { addRoute } from "../route.ts";
import { sendObject } from "../send.ts";
import { tellDiscrepancy, tellFinding, tellMatch, tellStatus } from "./tell-story.ts";
import { story } from "./story-schema.ts";
import { oneAccount, oneTransaction, transactionIdParams } from "./routes.ts";

/** More than any transaction has; a story is read by a person. */
const statusesMax = 1_000;

export function addStoryRoute(api: Api): void {
  addRoute(
    api,
    {
      method: "get",
      path: "/v1/transactions/{id}/story",
      operationId: "getTransactionStory",
      summary: "Everything that happened to a transaction, in order, and where each fact came from",
      tag: "Transactions",
      access: needs("transactions:read", "reconcile:read"),
      params: transactionIdParams,
      query: z.strictObject(oneAccount),
      response: { description: "The story.", ...story },
      errors: ["not_found", "account_required"],
    },
    async ({ c, caller, reader, params, query }) => {
      const row = await oneTransaction(reader, params.id, query.account, "account");
      const key = { accountId: row.account_id, transactionId: row.transaction_id };
      const { rows: statuses } = await listStatuses(reader, key, { limit: statusesMax, after: null });
      const findings = await listFindings(reader, key);
      const windows = await storyWindows(
        reader,
        [...statuses, ...findings].map((one) => one.window_id),
      );
      const matches = await listStoryMatches(reader, key);
      const discrepancies = await listStoryDiscrepancies(reader, key);
      const events = [
        ...statuses.map((status, index) => tellStatus(status, statuses[index - 1], windows, sightOf(caller))),
        ...findings.map((finding) => tellFinding(finding, windows)),
        ...matches.flatMap(tellMatch),
        ...discrepancies.map(tellDiscrepancy),
      ].toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
      return sendObject(c, story.present({ ...row, events }));
    },
  );
}
