import { Readable } from "node:stream";
import { z } from "@hono/zod-openapi";
import { reconcileInside } from "../../reconcile/reconcile.ts";
import { importStatement, previewStatement } from "../../reconcile/statement/import-statement.ts";
import { openKeptFile } from "../../reconcile/statement/kept-file.ts";
import { parseStatementRef } from "../../reconcile/statement/statement-ref.ts";
import { writeRejects } from "../../reconcile/statement/rejects-csv.ts";
import { withdrawStatement } from "../../reconcile/statement/withdraw-statement.ts";
import { encodeLines } from "../../report/encode.ts";
import { presetNames } from "../../report/report.ts";
import type { AccountReader } from "../../store/conditions.ts";
import { auditExport } from "../../store/exports/exports.ts";
import {
  findStatement,
  listStatements,
  statementPaging,
  type StoredStatement,
} from "../../store/statements/statements.ts";
import { needs } from "../../access/access.ts";
import type { Api } from "../deps.ts";
import { addList } from "../list.ts";
import { addOriginalRoute } from "../original-route.ts";
import { accountFilter, choice, choices, providerFilter } from "../parameters.ts";
import { notFound, referenceParams } from "../references.ts";
import { addRoute } from "../route.ts";
import { sendObject } from "../send.ts";
import { authorOf, sendFile } from "../send-file.ts";
import { throwStatementProblem } from "../statement-problem.ts";
import { reasonField } from "../body-fields.ts";
import { presentStatement, statement } from "./schema.ts";
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
    take: previewStatement,
  });
  addStatementUpload(api, {
    path: "/v1/statements",
    operationId: "importStatement",
    summary: "Imports a provider's statement: the whole file, or nothing",
    take: importStatement,
  });
  addReads(api);
  addWithdraw(api);
  addRejects(api);
  addOriginalRoute(api, {
    path: "/v1/statements/{id}/original",
    operationId: "downloadStatement",
    kind: "statement",
    tag,
    action: "statement.downloaded",
    find: async (reader, text) => {
      const found = await oneStatement(reader, text);
      const kept = await openKeptFile(reader.database, found);
      const { id, fileName } = found;
      return { subject: `statement ${id}`, fileName, bytes: kept.isWhole ? kept.bytes() : null };
    },
  });
}

function addReads(api: Api): void {
  addList(
    api,
    {
      path: "/v1/statements",
      operationId: "listStatements",
      summary: "Statements, newest first",
      tag,
      access: reading,
      filters: {
        account: accountFilter,
        provider: providerFilter,
        state: choices("Only in this state.", ["imported", "withdrawn"]),
      },
      name: "StatementList",
      of: statement,
      page: "A page of statements.",
      fromPrimary: true,
    },
    ({ reader, query }) => ({
      paging: statementPaging,
      read: (page) => listStatements(reader, query, page),
      present: presentStatement,
    }),
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
      params: referenceParams("statement"),
      response: { description: "The statement.", ...statement },
      fromPrimary: true,
      errors: ["not_found"],
    },
    async ({ c, reader, params }) => sendObject(c, presentStatement(await oneStatement(reader, params.id))),
  );
}

function addWithdraw(api: Api): void {
  addRoute(
    api,
    {
      method: "post",
      path: "/v1/statements/{id}/withdraw",
      operationId: "withdrawStatement",
      summary: "Withdraws a whole statement",
      description: "Its lines stop counting unless another file contains them too. Nothing is deleted.",
      tag,
      access: writing,
      params: referenceParams("statement"),
      body: z.strictObject({ reason: reasonField }),
      response: {
        description: "The statement, withdrawn.",
        schema: statement.schema,
        example: { ...statement.example, state: "withdrawn" },
      },
      errors: ["not_found", "statement_withdrawn"],
    },
    async ({ c, caller, reader, writing: { database }, params, body }) => {
      const { id: statementId } = await oneStatement(reader, params.id);
      const request = { statementId, reason: body.reason, ...authorOf(c, caller) };
      const withdrawn = await withdrawStatement({ database, afterLines: reconcileInside }, request).catch(
        throwStatementProblem,
      );
      return sendObject(c, presentStatement(withdrawn.statement));
    },
  );
}

function addRejects(api: Api): void {
  addRoute(
    api,
    {
      method: "get",
      path: "/v1/statements/{id}/rejects.csv",
      operationId: "downloadRejects",
      summary: "The rejected rows: line number, reason, original text",
      description:
        "Original rows contain full wallet addresses, so the download is recorded in the audit log.",
      tag,
      access: needs("reconcile:read", "wallets:read"),
      params: referenceParams("statement"),
      query: z.strictObject({
        preset: choice("plain, or excel, which adds what Excel needs to read it.", presetNames),
      }),
      response: {
        description: "The file.",
        contentType: "text/csv",
        schema: z.string(),
        example: "line_no,code,field,reason,original_text\n",
      },
      fromPrimary: true,
      errors: ["not_found"],
    },
    async ({ c, caller, reader, writing: { database }, params, query }) => {
      const { id } = await oneStatement(reader, params.id);
      await auditExport(database, {
        ...authorOf(c, caller),
        id: `statement ${id}`,
        action: "statement.rejects_exported",
      });
      const rows = Readable.from(writeRejects(database, id), { objectMode: false });
      return sendFile(c, encodeLines(rows, { preset: query.preset ?? "plain", gzip: false }), {
        fileName: `rejects_stm_${id}.csv`,
      });
    },
  );
}

async function oneStatement({ database, accountIds }: AccountReader, text: string): Promise<StoredStatement> {
  const id = parseStatementRef(text);
  const found = id === null ? null : await findStatement(database, id, accountIds);
  return found ?? notFound("statement");
}
