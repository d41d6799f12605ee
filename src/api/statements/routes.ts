import { Readable } from "node:stream";
import { z } from "@hono/zod-openapi";
import { reconcileInside } from "../../reconcile/reconcile.ts";
import { importStatement, previewStatement } from "../../reconcile/statement/import-statement.ts";
import { parseStatementRef, presentStatement } from "../../reconcile/statement/present-statement.ts";
import { writeRejects } from "../../reconcile/statement/rejects-csv.ts";
import { withdrawStatement } from "../../reconcile/statement/withdraw-statement.ts";
import type { Database } from "../../store/database.ts";
import { auditExport } from "../../store/exports/exports.ts";
import {
  findStatement,
  listStatements,
  statementPaging,
  type StoredStatement,
} from "../../store/statements/statements.ts";
import { needs } from "../../access/access.ts";
import type { Caller } from "../../access/caller.ts";
import type { Api, ApiContext } from "../deps.ts";
import { answerList, listExample, listOf } from "../list.ts";
import { listParameters, oneOf, single, textParameter } from "../parameters.ts";
import { problem } from "../problem.ts";
import { addRoute, declareAccess, problemResponses } from "../route.ts";
import { sendObject } from "../send.ts";
import { authorOf, sendFile } from "../send-file.ts";
import { throwStatementProblem } from "../statement-problem.ts";
import { reasonField } from "../reason-field.ts";
import { statementExample, statementSchema } from "./schema.ts";
import { addStatementUpload } from "./upload-routes.ts";

const tag = "Statements";
const reading = needs("reconcile:read");
const writing = needs("statements:write");

/** Provider statements: preview, import, list, withdraw, and the rows that were not taken. */
export function addStatementRoutes(api: Api): void {
  addStatementUpload(api, {
    path: "/v1/statements/preview",
    operationId: "previewStatement",
    summary: "Shows what an import of the file would do, and writes nothing",
    tag,
    access: writing,
    take: previewStatement,
  });
  addStatementUpload(api, {
    path: "/v1/statements",
    operationId: "importStatement",
    summary: "Imports a provider's statement: the whole file, or nothing",
    tag,
    access: writing,
    take: importStatement,
  });
  addReads(api);
  addWithdraw(api);
  addRejects(api);
}

function addReads(api: Api): void {
  addRoute(
    api,
    {
      method: "get",
      path: "/v1/statements",
      operationId: "listStatements",
      summary: "Statements, newest first",
      tag,
      access: reading,
      query: z.strictObject({
        ...listParameters,
        account: textParameter("Only of this account.", "default"),
        provider: textParameter("Only of this provider.", "moonpay"),
        state: single(
          { description: "Only in this state.", enum: ["imported", "withdrawn"] },
          oneOf(["imported", "withdrawn"] as const),
        ),
      }),
      response: {
        description: "A page of statements.",
        schema: listOf("StatementList", statementSchema),
        example: listExample("/v1/statements", statementExample),
      },
      errors: ["cursor_mismatch"],
    },
    (input) => {
      const { account, provider, state } = input.query;
      const filters = {
        account: account === undefined ? undefined : [account],
        provider: provider === undefined ? undefined : [provider],
        state: state === undefined ? undefined : [state],
      };
      // Not the replica: who has just imported a file looks for it here.
      const reader = { database: api.deps.database, accountIds: input.caller.accountIds };
      return answerList(
        api,
        input,
        statementPaging,
        (page) => listStatements(reader, filters, page),
        (row) => JSON.stringify(presentStatement(row)),
      );
    },
  );

  addRoute(
    api,
    {
      method: "get",
      path: "/v1/statements/{id}",
      operationId: "getStatement",
      summary: "One statement with its counts and control totals",
      tag,
      access: reading,
      params: z.strictObject({ id: z.string().openapi({ example: "stm_12" }) }),
      response: { description: "The statement.", schema: statementSchema, example: statementExample },
      errors: ["not_found"],
    },
    async ({ c, caller, params }) =>
      sendObject(
        c,
        JSON.stringify(presentStatement(await oneStatement(api.deps.database, caller, params.id))),
      ),
  );
}

function addWithdraw(api: Api): void {
  addRoute(
    api,
    {
      method: "post",
      path: "/v1/statements/{id}/withdraw",
      operationId: "withdrawStatement",
      summary: "Takes a statement back as a whole",
      description: "Its lines stop counting unless another file carries them too. Nothing is deleted.",
      tag,
      access: writing,
      params: z.strictObject({ id: z.string().openapi({ example: "stm_12" }) }),
      body: z.strictObject({ reason: reasonField }),
      response: {
        description: "The statement, withdrawn.",
        schema: statementSchema,
        example: { ...statementExample, state: "withdrawn" },
      },
      errors: ["not_found", "statement_withdrawn"],
    },
    async ({ c, caller, writing: { database }, params, body }) => {
      const { id: statementId } = await oneStatement(database, caller, params.id);
      const request = { statementId, reason: body.reason, ...authorOf(c, caller) };
      const { statement } = await withdrawStatement({ database, afterLines: reconcileInside }, request).catch(
        throwStatementProblem,
      );
      return sendObject(c, JSON.stringify(presentStatement(statement)));
    },
  );
}

function addRejects(api: Api): void {
  const path = "/v1/statements/{id}/rejects.csv";
  declareAccess(api, "get", path, needs("reconcile:read", "wallets:read"));
  api.app.get("/v1/statements/:id/rejects.csv", async (c: ApiContext) => {
    const caller = c.get("caller");
    if (caller === undefined) throw problem("key_missing", "This needs an API key.");
    const { id } = await oneStatement(api.deps.database, caller, c.req.param("id") ?? "");
    await auditExport(api.deps.database, {
      ...authorOf(c, caller),
      id: `statement ${id}`,
      action: "statement.rejects_exported",
    });
    return sendFile(c, Readable.from(writeRejects(api.deps.database, id)), {
      fileName: `rejects_stm_${id}.csv`,
    });
  });
  api.app.openAPIRegistry.registerPath({
    method: "get",
    path,
    operationId: "downloadRejects",
    summary: "The rows that were not taken: line number, reason, original text",
    description:
      "The rows as they stand in the file hold wallet addresses in full, and the download is noted in the audit log. Needs `reconcile:read` and `wallets:read`.",
    tags: [tag],
    security: [{ bearer: [] }, { basic: [] }],
    request: { params: z.strictObject({ id: z.string().openapi({ example: "stm_12" }) }) },
    responses: {
      200: {
        description: "The file.",
        content: {
          "text/csv": { schema: z.string(), example: "line_no,code,field,reason,original_text\n" },
        },
      },
      ...problemResponses([
        "not_found",
        "key_missing",
        "key_invalid",
        "key_expired",
        "scope_missing",
        "rate_limited",
        "internal_error",
        "not_ready",
      ]),
    },
  });
}

async function oneStatement(database: Database, caller: Caller, text: string): Promise<StoredStatement> {
  const id = parseStatementRef(text);
  const statement = id === null ? null : await findStatement(database, id, caller.accountIds);
  if (statement === null) throw problem("not_found", "There is no such statement that you may see.");
  return statement;
}
