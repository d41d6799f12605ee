import { z } from "@hono/zod-openapi";
import { needs } from "../../access/access.ts";
import { importReceipts, previewReceipts } from "../../reconcile/receipts/import-receipts.ts";
import { withdrawReceipts } from "../../reconcile/receipts/withdraw-receipts.ts";
import { keptBytes } from "../../reconcile/statement/kept-file.ts";
import { fileSource } from "../../reconcile/statement/source.ts";
import { plainName } from "../../core/plain-name.ts";
import { receiptFormats } from "../../core/receipt-line.ts";
import { receiptTables } from "../../store/receipts/receipt-columns.ts";
import { findReceiptFile, listReceiptFiles, receiptFilePaging } from "../../store/receipts/receipt-files.ts";
import { chooseAccount } from "../choose-account.ts";
import type { Api } from "../deps.ts";
import { addList } from "../list.ts";
import { addOriginalRoute } from "../original-route.ts";
import { accountFilter, accountParameter, choice, choices, textParameter } from "../parameters.ts";
import { sightOf } from "../present.ts";
import { foundReference, notFound, referenceParams } from "../references.ts";
import { addRoute } from "../route.ts";
import { reasonField } from "../body-fields.ts";
import { authorOf } from "../send-file.ts";
import { sendObject } from "../send.ts";
import { throwStatementProblem } from "../statement-problem.ts";
import { addUploadRoute, describeUpload, fileUpload, importResponses } from "../upload-route.ts";
import { whileWaited } from "../while-waited.ts";
import { addReceiptLineRoutes } from "./line-routes.ts";
import { receiptFile, receiptImport } from "./file-schema.ts";

const tag = "Receipts";
const reading = needs("reconcile:read");
const writing = needs("statements:write");

/** Files of banks and wallets: preview, import, list, withdraw; their lines, and which payouts these settle. */
export function addReceiptRoutes(api: Api): void {
  addUpload(api, {
    path: "/v1/receipts/preview",
    operationId: "previewReceipts",
    summary: "Shows what an import of the bank's file would do, and writes nothing",
    take: previewReceipts,
  });
  addUpload(api, {
    path: "/v1/receipts",
    operationId: "importReceipts",
    summary: "Imports a bank's file: all of it, or nothing",
    take: importReceipts,
  });
  addReads(api);
  addWithdraw(api);
  addOriginalRoute(api, {
    path: "/v1/receipts/{id}/original",
    operationId: "downloadReceiptFile",
    kind: "receipt_file",
    tag,
    action: "receipts.downloaded",
    find: async ({ database, accountIds }, text) => {
      const id = foundReference("receipt_file", text);
      const file = (await findReceiptFile(database, id, accountIds)) ?? notFound("receipt_file");
      return {
        subject: `receipts ${id}`,
        fileName: file.fileName,
        bytes: keptBytes(database, id, receiptTables),
      };
    },
  });
  addReceiptLineRoutes(api);
}

const uploadQuery = z.strictObject({
  file_name: textParameter("Name of the file.", "bank-2026-11.xml"),
  account: accountParameter,
  format: choice("The format; if left out, the file decides.", receiptFormats),
  profile: textParameter("For a CSV file: the profile; if left out, its header and days decide.", "bank-eu"),
  encoding: textParameter("The encoding of a file that does not state it and is not UTF-8.", "windows-1252"),
  bank_account: textParameter("For a CSV file without a column for it.", "DE89370400440532013000"),
  currency: textParameter("For a CSV file without a column for it.", "EUR"),
  accept: textParameter(
    "Why a file that is cut off, or whose balances do not add up, is accepted.",
    "confirmed by mail",
  ),
});

function addUpload(
  api: Api,
  route: { path: string; operationId: string; summary: string; take: typeof importReceipts },
): void {
  addUploadRoute(api, {
    ...route,
    tag,
    access: writing,
    ...fileUpload,
    ...importResponses(receiptImport, route.take === importReceipts),
    description: describeUpload(
      "camt.053, MT940, BAI2, OFX, CSV by a profile, or CSV of on-chain transfers. If the file states both balances, opening plus lines must equal closing.",
    ),
    query: uploadQuery,
    contentTypes: ["application/xml", "text/plain", "text/csv", "application/octet-stream"],
    take: async ({ c, caller, query, upload, database }) => {
      const account = await chooseAccount(database, caller, query.account);
      const source = fileSource(upload.path, plainName(query.file_name ?? "", "receipts"));
      const request = {
        account,
        format: query.format ?? null,
        profileName: query.profile ?? null,
        encoding: query.encoding ?? null,
        given: { bankAccount: query.bank_account ?? null, currency: query.currency ?? null },
        acceptReason: query.accept ?? null,
        ...authorOf(c, caller),
      };
      const result = await whileWaited(c, (signal) =>
        route.take({ database, signal }, source, request),
      ).catch(throwStatementProblem);
      return { body: receiptImport.present(result, sightOf(caller)), created: result.state === "imported" };
    },
  });
}

function addReads(api: Api): void {
  addList(
    api,
    {
      path: "/v1/receipts",
      operationId: "listReceiptFiles",
      summary: "Files of banks and wallets, newest first",
      tag,
      access: reading,
      filters: {
        account: accountFilter,
        format: choices("Only in these formats.", receiptFormats),
        state: choices("Only in this state.", ["imported", "withdrawn"]),
      },
      name: "ReceiptFileList",
      of: receiptFile,
      page: "A page of files.",
      fromPrimary: true,
    },
    ({ caller, reader, query }) => ({
      paging: receiptFilePaging,
      read: (page) => listReceiptFiles(reader, query, page),
      present: (row) => receiptFile.present(row, sightOf(caller)),
    }),
  );

  addRoute(
    api,
    {
      method: "get",
      path: "/v1/receipts/{id}",
      operationId: "getReceiptFile",
      summary: "One file with its balances and the results of its rows",
      tag,
      access: reading,
      params: referenceParams("receipt_file"),
      response: { description: "The file.", ...receiptFile },
      fromPrimary: true,
      errors: ["not_found"],
    },
    async ({ c, caller, reader, params }) => {
      const id = foundReference("receipt_file", params.id);
      const file =
        (await findReceiptFile(reader.database, id, caller.accountIds)) ?? notFound("receipt_file");
      return sendObject(c, receiptFile.present(file, sightOf(caller)));
    },
  );
}

function addWithdraw(api: Api): void {
  addRoute(
    api,
    {
      method: "post",
      path: "/v1/receipts/{id}/withdraw",
      operationId: "withdrawReceipts",
      summary: "Withdraws a whole file",
      description: "Its lines stop counting unless another file contains them too. Nothing is deleted.",
      tag,
      access: writing,
      params: referenceParams("receipt_file"),
      body: z.strictObject({ reason: reasonField }),
      response: {
        description: "The file, withdrawn.",
        schema: receiptFile.schema,
        example: { ...receiptFile.example, state: "withdrawn" },
      },
      errors: ["not_found", "statement_withdrawn"],
    },
    async ({ c, caller, writing: { database }, params, body }) => {
      const fileId = foundReference("receipt_file", params.id);
      if ((await findReceiptFile(database, fileId, caller.accountIds)) === null) notFound("receipt_file");
      const request = { fileId, reason: body.reason, ...authorOf(c, caller) };
      const file = await withdrawReceipts(database, request).catch(throwStatementProblem);
      return sendObject(c, receiptFile.present(file, sightOf(caller)));
    },
  );
}
