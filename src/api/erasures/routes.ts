import { needs } from "../../access/access.ts";
import type { Caller } from "../../access/caller.ts";
import type { ErasureKey } from "../../core/erasure.ts";
import { TieoutError } from "../../core/errors.ts";
import { nameOf } from "../../reconcile/erasure/approved-erasure.ts";
import { previewErasure } from "../../reconcile/erasure/erase.ts";
import type { Database } from "../../store/database.ts";
import { listErasures } from "../../store/erasure/erasure-reads.ts";
import { approvalPaging, readApproval } from "../../store/people/approvals.ts";
import { approval } from "../approvals/schema.ts";
import { chooseAccount } from "../choose-account.ts";
import type { Api } from "../deps.ts";
import { addList } from "../list.ts";
import { problem } from "../problem.ts";
import { addRoute } from "../route.ts";
import { authorOf } from "../send-file.ts";
import { sendObject } from "../send.ts";
import { proposeErasure } from "./propose-erasure.ts";
import { erasure, erasurePreview, erasureSubjectSchema, newErasureSchema } from "./schema.ts";

const tag = "Erasures";

/** What `tieout erase` does, for people on the page: one proposes, another approves in the approvals. */
export function addErasureRoutes(api: Api): void {
  addList(
    api,
    {
      path: "/v1/erasures",
      operationId: "listErasures",
      summary: "Erasures that were proposed and carried out, newest first",
      tag,
      access: needs("reconcile:read"),
      name: "ErasureList",
      of: erasure,
      page: "A page of erasures.",
      fromPrimary: true,
    },
    ({ reader }) => ({
      paging: approvalPaging,
      read: (page) => listErasures(reader, page),
      present: erasure.present,
    }),
  );

  addRoute(
    api,
    {
      method: "post",
      path: "/v1/erasures/preview",
      operationId: "previewErasure",
      summary: "Shows how many rows and which closed months an erasure would affect",
      description: "Nothing is written, and no one is notified.",
      tag,
      access: needs("reconcile:write"),
      body: erasureSubjectSchema,
      response: { description: "What it would change.", ...erasurePreview },
      errors: ["account_required", "state_conflict", "query_too_slow"],
    },
    async ({ c, caller, writing: { database }, body }) => {
      const { account, subject } = await subjectIn(database, caller, body);
      const found = await refused(async () => previewErasure({ database, key: await openKey(api) }, subject));
      return sendObject(c, erasurePreview.present({ ...found, ...subject, account, named: nameOf(subject) }));
    },
  );

  addRoute(
    api,
    {
      method: "post",
      path: "/v1/erasures",
      operationId: "proposeErasure",
      summary: "Proposes to erase all personal data of a wallet or a transaction",
      description:
        "Nothing is erased yet: another person approves it (`/v1/approvals/{id}/approve`), and then it is carried out at once and for good. A key proposes for its owner.",
      tag,
      access: needs("reconcile:write"),
      body: newErasureSchema,
      response: { status: 201, description: "The approval that waits.", ...approval },
      errors: ["account_required", "not_allowed", "state_conflict", "query_too_slow"],
    },
    async ({ c, caller, reader, writing: { database }, body: { reason, ...named } }) => {
      const proposedBy = caller.personId;
      if (proposedBy === null) throw problem("not_allowed", "An erasure is proposed by a person.");
      const { subject } = await subjectIn(database, caller, named);
      const { approvalId } = await refused(async () =>
        proposeErasure(
          { database, key: await openKey(api) },
          subject,
          { reason, proposedBy },
          authorOf(c, caller),
        ),
      );
      const made = await readApproval(reader, approvalId);
      if (made === null) throw new Error(`approval ${approvalId} is gone`);
      return sendObject(c, approval.present(made), 201);
    },
  );
}

async function subjectIn(
  database: Database,
  caller: Caller,
  { account, kind, value }: { account?: string | undefined; kind: "wallet" | "transaction"; value: string },
) {
  const { id, name } = await chooseAccount(database, caller, account);
  return { account: name, subject: { accountId: id, kind, value } };
}

async function openKey({ deps }: Api): Promise<ErasureKey> {
  if (deps.openErasureKey === undefined)
    throw problem("state_conflict", "This process has no erasure key: propose it with tieout erase.");
  return deps.openErasureKey();
}

/** What is wrong with the request, or with how the service is set up, in words for the client. */
async function refused<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof TieoutError)) throw error;
    const detail = `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.`;
    if (error.code === "usage") throw problem("invalid_body", detail);
    if (error.code === "config_invalid") throw problem("state_conflict", detail);
    throw error;
  }
}
