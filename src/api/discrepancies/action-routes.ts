import {
  changeDiscrepancies,
  type DiscrepancyChange,
  type RefusedChange,
} from "../../store/books/discrepancy-changes.ts";
import { notAnOwner } from "../../store/books/discrepancy-owner.ts";
import { readDiscrepancy } from "../../store/books/discrepancy-reads.ts";
import { alreadyWaits } from "../../store/people/approvals.ts";
import { needs } from "../../access/access.ts";
import type { Api } from "../deps.ts";
import { changedMeanwhile, givenVersion, requireVersion } from "../if-match.ts";
import { problem } from "../problem.ts";
import { foundReference, notFound, referenceParams } from "../references.ts";
import { addRoute } from "../route.ts";
import { authorOf } from "../send-file.ts";
import { sendObject } from "../send.ts";
import { sendDiscrepancy } from "./routes.ts";
import { actionSchema, bulkSchema, discrepancyChanges } from "./action-schema.ts";
import { dated } from "./booked-at.ts";
import { discrepancy } from "./schema.ts";

const tag = "Discrepancies";
const writing = needs("reconcile:write");

/** What people do about discrepancies, one by one or in bulk. The facts themselves cannot be changed by hand. */
export function addDiscrepancyActions(api: Api): void {
  addRoute(
    api,
    {
      method: "post",
      path: "/v1/discrepancies/{id}/actions",
      operationId: "actOnDiscrepancy",
      summary: "Assigns, comments on, investigates, resolves, writes off or reopens a discrepancy",
      description:
        "Needs `If-Match` with the ETag of the discrepancy as you saw it, except for a comment, which overwrites nothing. What a person closed stays closed until its facts change, and a transaction without a match is then excluded. A write-off above the limit of your roles (`GET /v1/write-off-limits`) is proposed: `pending_approval` names what another person has to approve. While it waits, a second proposal is refused.",
      tag,
      access: writing,
      params: referenceParams("discrepancy"),
      body: actionSchema,
      response: {
        description: "The discrepancy afterwards.",
        schema: discrepancy.schema,
        example: { ...discrepancy.example, state: "investigating", version: 2 },
      },
      errors: ["not_found", "state_conflict", "not_allowed"],
      ifMatch: "sometimes",
    },
    async ({ c, caller, reader, writing: { database }, params, body }) => {
      const id = foundReference("discrepancy", params.id);
      const seen = (await readDiscrepancy(reader, id)) ?? notFound("discrepancy");
      const version = body.action === "comment" ? (givenVersion(c) ?? seen.version) : requireVersion(c);
      if (version !== seen.version) throw changedMeanwhile();
      const change = await dated(api, reader, [id], body);
      const author = authorOf(c, caller);
      const { refused } = await changeDiscrepancies(database, reader, [{ id, version }], change, author);
      const [refusal] = refused;
      if (refusal) throw refusalProblem(refusal, change);
      return sendDiscrepancy(c, caller, (await readDiscrepancy(reader, id)) ?? notFound("discrepancy"));
    },
  );

  addRoute(
    api,
    {
      method: "post",
      path: "/v1/discrepancies/actions",
      operationId: "actOnDiscrepancies",
      summary: "Applies one action to many discrepancies at once",
      description:
        "At most 200, each with the version you saw. Those that someone else has changed meanwhile, or whose state does not allow the action, are left unchanged and listed.",
      tag,
      access: writing,
      body: bulkSchema,
      response: { description: "Which were changed, which were not, and why.", ...discrepancyChanges },
    },
    async ({ c, caller, reader, writing: { database }, body }) => {
      const seen = body.discrepancies.map(({ id, version }) => ({
        id: Number(id.slice("dis_".length)),
        version,
      }));
      const author = authorOf(c, caller);
      const ids = seen.map(({ id }) => id);
      const change = await dated(api, reader, ids, body.action);
      const outcome = await changeDiscrepancies(database, reader, seen, change, author);
      return sendObject(c, discrepancyChanges.present(outcome));
    },
  );
}

function refusalProblem({ why, state, approvalId }: RefusedChange, change: DiscrepancyChange) {
  const { action } = change;
  if (why === "version_mismatch") return changedMeanwhile();
  if (why === "approval_required") {
    return problem(
      "not_allowed",
      "This is above the limit of the key, and the key has no owner who could propose it. Use the key of a person, or the page.",
    );
  }
  if (why === "already_proposed") return problem("state_conflict", `${alreadyWaits(approvalId ?? 0)}.`);
  if (why === "owner_unknown" && change.action === "assign") return ownerProblem(change.owner ?? "");
  if (why === "not_found") return problem("not_found", "There is no such discrepancy that you may see.");
  const agreed = action === "reopen" && state === "resolved" ? ", because its facts agree" : "";
  return problem(
    "state_conflict",
    `The discrepancy is ${state}${agreed}: ${action} is not possible in that state.`,
  );
}

export function ownerProblem(given: string) {
  return problem("invalid_body", `${notAnOwner(given)}.`, { param: "owner" });
}
