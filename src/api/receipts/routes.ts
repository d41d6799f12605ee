import { z } from "@hono/zod-openapi";
import { needs } from "../../access/access.ts";
import { importReceipts, previewReceipts } from "../../reconcile/receipts/import-receipts.ts";
import { withdrawReceipts } from "../../reconcile/receipts/withdraw-receipts.ts";
import { fileSource } from "../../reconcile/statement/source.ts";
import { receiptFormats } from "../../core/receipt-line.ts";
import { findReceiptFile, listReceiptFiles, receiptFilePaging } from "../../store/receipts/receipt-files.ts";
import { chooseAccount } from "../choose-account.ts";
import type { Api } from "../deps.ts";
import { answerList, listExample, listOf } from "../list.ts";
import { listParameters, oneOf, several, single, textParameter } from "../parameters.ts";
import { foundReference, notFound, referenceParams } from "../references.ts";
import { addRoute } from "../route.ts";
import { reasonField } from "../reason-field.ts";
import { authorOf } from "../send-file.ts";
import { sendObject } from "../send.ts";
import { throwStatementProblem } from "../statement-problem.ts";
import { addUploadRoute } from "../upload-route.ts";
import { whileWaited } from "../while-waited.ts";
import { addReceiptLineRoutes } from "./line-routes.ts";
import { presentReceiptFile, presentReceiptImport } from "./presenter.ts";
import {
  receiptFileExample,
  receiptFileSchema,
  receiptImportExample,
  receiptImportSchema,
} from "./schemas.ts";

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
  addReceiptLineRoutes(api);
}

const uploadQuery = z.strictObject({
  file_name: textParameter("Name of the file.", "bank-2026-11.xml"),
  account: textParameter("The account; needed when the key may see several.", "default"),
  format: single(
    { description: "The format; the file decides when left out.", enum: [...receiptFormats] },
    oneOf(receiptFormats),
  ),
  profile: textParameter("Of a CSV file: the profile; its header and days decide when left out.", "bank-eu"),
  encoding: textParameter("The encoding of a file that does not state it and is not UTF-8.", "windows-1252"),
  bank_account: textParameter("Of a CSV file without a column for it.", "DE89370400440532013000"),
  currency: textParameter("Of a CSV file without a column for it.", "EUR"),
  accept: textParameter(
    "Why a file that is cut off, or whose balances do not add up, is taken all the same.",
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
    description:
      "camt.053, MT940, BAI2, OFX, CSV by a profile, or CSV of transfers on chain. Opening plus lines has to be closing where the file states both.",
    query: uploadQuery,
    contentTypes: ["application/xml", "text/plain", "text/csv", "application/octet-stream"],
    response: { schema: receiptImportSchema, example: receiptImportExample },
    creates: route.take === importReceipts,
    take: async ({ c, caller, query, upload, database }) => {
      const account = await chooseAccount(database, caller, query.account);
      const source = fileSource(upload.path, query.file_name ?? "receipts");
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
      const wallets = caller.scopes.has("wallets:read");
      return { body: presentReceiptImport(result, { wallets }), created: result.state === "imported" };
    },
  });
}

function addReads(api: Api): void {
  addRoute(
    api,
    {
      method: "get",
      path: "/v1/receipts",
      operationId: "listReceiptFiles",
      summary: "Files of banks and wallets, newest first",
      tag,
      access: reading,
      query: z.strictObject({
        ...listParameters,
        account: several({ description: "Only of these accounts.", example: "default" }),
        format: several(
          { description: "Only in these formats.", enum: [...receiptFormats] },
          oneOf(receiptFormats),
        ),
        state: several(
          { description: "Only in this state.", enum: ["imported", "withdrawn"] },
          oneOf(["imported", "withdrawn"] as const),
        ),
      }),
      response: {
        description: "A page of files.",
        schema: listOf("ReceiptFileList", receiptFileSchema),
        example: listExample("/v1/receipts", receiptFileExample),
      },
      errors: ["cursor_mismatch"],
    },
    (input) => {
      // Not the replica: who has just imported a file looks for it here.
      const reader = { database: api.deps.database, accountIds: input.caller.accountIds };
      return answerList(
        api,
        input,
        receiptFilePaging,
        (page) => listReceiptFiles(reader, input.query, page),
        (row) =>
          JSON.stringify(presentReceiptFile(row, { wallets: input.caller.scopes.has("wallets:read") })),
      );
    },
  );

  addRoute(
    api,
    {
      method: "get",
      path: "/v1/receipts/{id}",
      operationId: "getReceiptFile",
      summary: "One file with its balances and what became of its rows",
      tag,
      access: reading,
      params: referenceParams("receipt_file"),
      response: { description: "The file.", schema: receiptFileSchema, example: receiptFileExample },
      errors: ["not_found"],
    },
    async ({ c, caller, params }) => {
      const id = foundReference("receipt_file", params.id);
      const file =
        (await findReceiptFile(api.deps.database, id, caller.accountIds)) ?? notFound("receipt_file");
      return sendObject(
        c,
        JSON.stringify(presentReceiptFile(file, { wallets: caller.scopes.has("wallets:read") })),
      );
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
      summary: "Takes a file back as a whole",
      description: "Its lines stop counting unless another file carries them too. Nothing is deleted.",
      tag,
      access: writing,
      params: referenceParams("receipt_file"),
      body: z.strictObject({ reason: reasonField }),
      response: {
        description: "The file, withdrawn.",
        schema: receiptFileSchema,
        example: { ...receiptFileExample, state: "withdrawn" },
      },
      errors: ["not_found", "statement_withdrawn"],
    },
    async ({ c, caller, writing: { database }, params, body }) => {
      const fileId = foundReference("receipt_file", params.id);
      if ((await findReceiptFile(database, fileId, caller.accountIds)) === null) notFound("receipt_file");
      const request = { fileId, reason: body.reason, ...authorOf(c, caller) };
      const file = await withdrawReceipts(database, request).catch(throwStatementProblem);
      return sendObject(
        c,
        JSON.stringify(presentReceiptFile(file, { wallets: caller.scopes.has("wallets:read") })),
      );
    },
  );
}
