import { z } from "@hono/zod-openapi";
import { type Access, needs } from "../../access/access.ts";
import { type ApprovalDeps, approve, propose, reject } from "../../access/approvals.ts";
import type { Caller } from "../../access/caller.ts";
import { type ApprovalKind, approvalKinds, approvalStates } from "../../core/approvals.ts";
import { compareDecimals, decimal } from "../../core/decimal.ts";
import type { Database } from "../../store/database.ts";
import { approvalPaging, listApprovals, readApproval } from "../../store/people/approvals.ts";
import { listLimits, setLimit } from "../../store/people/write-off-limits.ts";
import type { Api, ApiContext } from "../deps.ts";
import type { Writing } from "../idempotency.ts";
import { addList } from "../list.ts";
import { choices, several } from "../parameters.ts";
import { problem } from "../problem.ts";
import { foundReference, notFound, referenceParams } from "../references.ts";
import { addRoute } from "../route.ts";
import { reasonField } from "../body-fields.ts";
import { authorOf } from "../send-file.ts";
import { sendObject } from "../send.ts";
import { approval, everyLimit, newLimitSchema } from "./schema.ts";

const tag = "Approvals";
/** Who may decide depends on what was proposed, and `src/access` says so; everyone may withdraw their own. */
const anyone: Access = { scopes: [], anyKey: true };

/** Proposals about admins are for those who see people, all others for those who see the books. */
export function kindsSeenBy({ scopes }: Pick<Caller, "scopes">): ApprovalKind[] {
  return approvalKinds.filter((kind) => scopes.has(kind === "admin_key" ? "people:read" : "reconcile:read"));
}

export function addApprovalRoutes(api: Api): void {
  addList(
    api,
    {
      path: "/v1/approvals",
      operationId: "listApprovals",
      summary: "What was proposed and decided, newest first",
      tag,
      access: anyone,
      filters: {
        state: choices("How far it is.", approvalStates),
        subject: several({ description: "What it is about.", example: "dis_31" }),
      },
      name: "ApprovalList",
      of: approval,
      page: "A page of approvals.",
      fromPrimary: true,
    },
    ({ caller, reader, query }) => ({
      paging: approvalPaging,
      read: (page) => listApprovals(reader, { ...query, kind: kindsSeenBy(caller) }, page),
      present: approval.present,
    }),
  );

  addRoute(
    api,
    {
      method: "get",
      path: "/v1/approvals/{id}",
      operationId: "getApproval",
      summary: "One approval",
      tag,
      access: anyone,
      params: referenceParams("approval"),
      response: { description: "The approval.", ...approval },
      fromPrimary: true,
      errors: ["not_found"],
    },
    async ({ c, caller, reader, params }) => {
      const row = await readApproval(reader, foundReference("approval", params.id));
      if (row === null || !kindsSeenBy(caller).includes(row.kind)) return notFound("approval");
      return sendObject(c, approval.present(row));
    },
  );

  for (const { verb, act, summary, description, body } of [
    {
      verb: "approve",
      act: approve,
      summary: "Approves and carries out what another person proposed",
      description: "Not for keys: a person does this on the page. The database checks that the two differ.",
      body: z.strictObject({ reason: reasonField.optional() }),
    },
    {
      verb: "reject",
      act: (deps: ApprovalDeps, id: number, caller: Caller, reason: string | null) =>
        // The body above requires one.
        reject(deps, id, caller, reason ?? ""),
      summary: "Rejects another person's proposal, or withdraws one's own",
      description: "Not for keys: a person does this on the page.",
      body: z.strictObject({ reason: reasonField }),
    },
  ]) {
    addRoute(
      api,
      {
        method: "post",
        path: `/v1/approvals/{id}/${verb}`,
        operationId: `${verb}Proposal`,
        summary,
        description,
        tag,
        access: anyone,
        params: referenceParams("approval"),
        body,
        response: { description: "The approval.", ...approval },
        errors: ["not_found", "not_allowed", "state_conflict"],
      },
      async ({ c, caller, writing, params, body: given }) => {
        const id = foundReference("approval", params.id);
        const row = await act(approvalDeps(api, c, writing), id, caller, given.reason ?? null);
        return sendObject(c, approval.present(row));
      },
    );
  }

  addLimitRoutes(api);
}

function addLimitRoutes(api: Api): void {
  const response = { description: "All limits.", ...everyLimit };
  const send = async (c: ApiContext, database: Database) =>
    sendObject(c, everyLimit.present({ limits: await listLimits(database) }));

  addRoute(
    api,
    {
      method: "get",
      path: "/v1/write-off-limits",
      operationId: "listWriteOffLimits",
      summary: "How much each role may write off alone",
      tag,
      access: needs("reconcile:read"),
      response,
    },
    ({ c, writing: { database } }) => send(c, database),
  );

  addRoute(
    api,
    {
      method: "post",
      path: "/v1/write-off-limits",
      operationId: "setWriteOffLimit",
      summary: "Sets a limit: a lower one at once, a higher one is proposed",
      tag,
      access: { scopes: ["settings:write"], wholeService: true },
      body: newLimitSchema,
      response,
      errors: ["not_allowed", "key_limited"],
    },
    async ({ c, caller, writing: { database }, body }) => {
      const { reason, ...wanted } = body;
      const held = (await listLimits(database)).find(
        ({ role, currency }) => role === wanted.role && currency === wanted.currency,
      );
      const author = authorOf(c, caller);
      if (compareDecimals(decimal(wanted.amount), decimal(held?.amount ?? "0")) <= 0) {
        await setLimit(database, wanted, author);
      } else {
        const proposedBy = caller.personId;
        if (proposedBy === null) throw problem("not_allowed", "A higher limit is proposed by a person.");
        await database.transaction((tx) =>
          propose(
            tx,
            {
              kind: "settings",
              subject: `write-off limit ${wanted.role} ${wanted.currency}`,
              accountId: null,
              details: { write_off_limit: wanted },
              proposedBy,
              reason,
            },
            author,
          ),
        );
      }
      return send(c, database);
    },
  );
}

function approvalDeps(api: Api, c: ApiContext, { database }: Writing): ApprovalDeps {
  return { database, handlers: api.deps.approvalHandlers ?? {}, requestId: c.get("requestId") };
}
