import { z } from "@hono/zod-openapi";
import { reconcileInside } from "../../reconcile/reconcile.ts";
import { type ImportRequest, importStatement } from "../../reconcile/statement/import-statement.ts";
import { uploadBytesMax } from "../../reconcile/statement/limits.ts";
import { vocabularyOf } from "../../reconcile/statement/own-profiles.ts";
import { parseStatementRef, presentImport } from "../../reconcile/statement/present-statement.ts";
import { fileSource } from "../../reconcile/statement/source.ts";
import { withoutWallets } from "../../reconcile/statement/without-wallets.ts";
import type { Instant } from "../../core/instant.ts";
import { notATime, parseTime } from "../../core/period.ts";
import { quote } from "../../core/quote.ts";
import type { Access } from "../../access/access.ts";
import { chooseAccount } from "../choose-account.ts";
import type { Api, ApiContext } from "../deps.ts";
import { answerOnce } from "../idempotency.ts";
import { refuseInput } from "../input.ts";
import { type Refusal, single, textParameter } from "../parameters.ts";
import { problem } from "../problem.ts";
import { declareAccess, problemResponses } from "../route.ts";
import { sendObject } from "../send.ts";
import { authorOf, binaryFile, contentTypes } from "../send-file.ts";
import { throwStatementProblem } from "../statement-problem.ts";
import { withUpload } from "../upload.ts";
import { whileWaited } from "../while-waited.ts";
import { importExample, importSchema } from "./statement-schemas.ts";

export interface UploadRoute {
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly tag: string;
  readonly access: Access;
  readonly take: typeof importStatement;
}

/** A route whose body is a statement file: it is taken to disk first, and then read as often as needed. */
export function addStatementUpload(api: Api, route: UploadRoute): void {
  declareAccess(api, "post", route.path, route.access);
  api.app.post(route.path, async (c) => {
    const caller = c.get("caller");
    if (caller === undefined) throw problem("key_missing", "This needs an API key.");
    const query = readQuery(c);
    return withUpload(c, { bytesMax: uploadBytesMax }, async (upload) => {
      // The body by its hash: it is compared with that of an earlier request, not read again.
      c.set("bodyText", upload.sha256);
      return answerOnce(api, c, caller, { forStorage: (body) => body }, async ({ database }) => {
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
        const source = fileSource(upload.path, query.file_name ?? "statement.csv");
        // Matched in the same database transaction: a preview undoes that together with the lines.
        const deps = { database, ...vocabulary, afterLines: reconcileInside };
        const result = await whileWaited(c, (signal) =>
          route.take({ ...deps, signal }, source, request),
        ).catch(throwStatementProblem);
        const shown = caller.scopes.has("wallets:read") ? result : withoutWallets(result);
        return sendObject(c, JSON.stringify(presentImport(shown)), result.state === "imported" ? 201 : 200);
      });
    });
  });
  describeRoute(api, route);
}

function readQuery(c: ApiContext): z.output<typeof uploadQuery> {
  const query = uploadQuery.safeParse(c.req.queries());
  if (query.success) return query.data;
  const known = Object.keys(uploadQuery.shape);
  throw refuseInput(query.error.issues.map((issue) => ({ place: "query", issue, known })));
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
  file_name: textParameter("Name of the file, which may tell its period.", "moonpay-2026-10.csv"),
  account: textParameter("The account; needed when the key may see several.", "default"),
  provider: textParameter("The provider; the header decides when left out.", "moonpay"),
  profile: textParameter("The profile; the header decides when left out.", "moonpay"),
  generated_at: moment("When the provider made the file."),
  period_from: moment("First moment that the file covers."),
  period_to: moment("End of what the file covers, excluded."),
  replaces: reference,
  accept: textParameter(
    "Why a file that is cut off, or whose totals differ, is taken all the same.",
    "confirmed by mail",
  ),
});

function describeRoute(api: Api, route: UploadRoute): void {
  api.app.openAPIRegistry.registerPath({
    method: "post",
    path: route.path,
    operationId: route.operationId,
    summary: route.summary,
    description:
      "The body is the file itself, at most 50 MB: CSV with commas, semicolons, tabs or bars, UTF-8 or UTF-16; or a workbook (XLSX), of which the first visible sheet with a known header is read. The same file again changes nothing. Needs `statements:write`.",
    tags: [route.tag],
    security: [{ bearer: [] }, { basic: [] }],
    request: {
      query: uploadQuery,
      body: {
        required: true,
        content: { "text/csv": { schema: binaryFile }, [contentTypes.xlsx]: { schema: binaryFile } },
      },
    },
    responses: {
      200: {
        description: "The preview; or the earlier import of the same file.",
        content: { "application/json": { schema: importSchema, example: importExample } },
      },
      ...(route.take === importStatement
        ? {
            201: {
              description: "The import.",
              content: { "application/json": { schema: importSchema, example: importExample } },
            },
          }
        : {}),
      ...problemResponses(uploadProblems),
    },
  });
}

const uploadProblems = [
  "invalid_parameter",
  "unknown_parameter",
  "account_required",
  "not_found",
  "body_too_large",
  "unsupported_media_type",
  "statement_refused",
  "profile_invalid",
  "idempotency_in_progress",
  "idempotency_key_reused",
  "key_missing",
  "key_invalid",
  "key_expired",
  "scope_missing",
  "rate_limited",
  "internal_error",
  "not_ready",
  "query_too_slow",
] as const;
