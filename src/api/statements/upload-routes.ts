import { z } from "@hono/zod-openapi";
import { reconcileInside } from "../../reconcile/reconcile.ts";
import { type ImportRequest, importStatement } from "../../reconcile/statement/import-statement.ts";
import { vocabularyOf } from "../../reconcile/statement/own-profiles.ts";
import { parseStatementRef } from "../../reconcile/statement/statement-ref.ts";
import { fileSource } from "../../reconcile/statement/source.ts";
import { withoutWallets } from "../../reconcile/statement/without-wallets.ts";
import type { Instant } from "../../core/instant.ts";
import { notATime, parseTime } from "../../core/period.ts";
import { plainName } from "../../core/plain-name.ts";
import { quote } from "../../core/quote.ts";
import { needs } from "../../access/access.ts";
import { chooseAccount } from "../choose-account.ts";
import type { Api } from "../deps.ts";
import { accountParameter, type Refusal, single, textParameter } from "../parameters.ts";
import { authorOf, contentTypes } from "../send-file.ts";
import { throwStatementProblem } from "../statement-problem.ts";
import { addUploadRoute, describeUpload, fileUpload, importResponses } from "../upload-route.ts";
import { whileWaited } from "../while-waited.ts";
import { presentImport, statementImport } from "./import-schema.ts";

type StatementUpload = { path: string; operationId: string; summary: string; take: typeof importStatement };

export function addStatementUpload(api: Api, route: StatementUpload): void {
  addUploadRoute(api, {
    ...route,
    tag: "Statements",
    access: needs("statements:write"),
    ...fileUpload,
    ...importResponses(statementImport, route.take === importStatement),
    description: describeUpload(
      "CSV with commas, semicolons, tabs or bars, UTF-8 or UTF-16; a workbook (XLSX), whose first visible sheet with a known header is read; or JSON: a list of objects, or one object per line.",
    ),
    query: uploadQuery,
    contentTypes: ["text/csv", contentTypes.xlsx, "application/json", "application/x-ndjson"],
    take: async ({ c, caller, query, upload, database }) => {
      const account = await chooseAccount(database, caller, query.account);
      const request: ImportRequest = {
        account,
        provider: query.provider ?? null,
        profileName: query.profile ?? null,
        generatedAt: query.generated_at ?? null,
        periodFrom: query.period_from ?? null,
        periodTo: query.period_to ?? null,
        replaces: query.replaces ?? null,
        acceptReason: query.accept ?? null,
        ...authorOf(c, caller),
      };
      const vocabulary = await vocabularyOf(database, account.id);
      const source = fileSource(upload.path, plainName(query.file_name ?? "", "statement.csv"));
      // Matched in the same database transaction: a preview undoes that together with the lines.
      const deps = {
        database,
        ...vocabulary,
        erasureKey: api.deps.erasureKey,
        afterLines: reconcileInside,
      };
      const result = await whileWaited(c, (signal) => route.take({ ...deps, signal }, source, request)).catch(
        throwStatementProblem,
      );
      const shown = caller.scopes.has("wallets:read") ? result : withoutWallets(result);
      return { body: presentImport(shown), created: result.state === "imported" };
    },
  });
}

const moment = (description: string) =>
  single(
    { description, example: "2026-10-01" },
    (text): Instant | Refusal => parseTime(text) ?? { refused: `is ${notATime(text)}`, code: "invalid_time" },
  );
const reference = single(
  { description: "The statement that this one corrects.", example: "stm_11" },
  (text): number | Refusal =>
    parseStatementRef(text) ?? { refused: `is ${quote(text)}, and must be an id such as stm_11` },
);
const uploadQuery = z.strictObject({
  file_name: textParameter("Name of the file; it may state the period.", "moonpay-2026-10.csv"),
  account: accountParameter,
  provider: textParameter("The provider; if left out, the header decides.", "moonpay"),
  profile: textParameter("The profile; if left out, the header decides.", "moonpay"),
  generated_at: moment("When the provider made the file."),
  period_from: moment("First moment that the file covers."),
  period_to: moment("End of what the file covers, exclusive."),
  replaces: reference,
  accept: textParameter(
    "Why a file that is cut off, or whose totals differ, is accepted.",
    "confirmed by mail",
  ),
});
