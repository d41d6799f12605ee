import { createReadStream } from "node:fs";
import { z } from "@hono/zod-openapi";
import { TieoutError } from "../../core/errors.ts";
import { reviewDiscrepancies, type ReviewOutcome } from "../../reconcile/review-discrepancies.ts";
import { discrepancyWorkbook } from "../../report/discrepancy-workbook.ts";
import { auditExport } from "../../store/exports/exports.ts";
import { needs } from "../../access/access.ts";
import type { Api, ApiContext } from "../deps.ts";
import { discrepancyFilters, discrepancyQuery } from "./query.ts";
import { answerOnce } from "../idempotency.ts";
import { refuseInput } from "../input.ts";
import { listParameters } from "../parameters.ts";
import { problem } from "../problem.ts";
import { referenceTo } from "../references.ts";
import { asProblem } from "../reports/problem.ts";
import { declareAccess, problemResponses } from "../route.ts";
import { authorOf, binaryFile, contentTypes, sendFile } from "../send-file.ts";
import { sendObject } from "../send.ts";
import { withUpload } from "../upload.ts";

const tag = "Discrepancies";
const workbookPath = "/v1/discrepancies.xlsx";
const reading = needs("reconcile:read");
const writing = needs("reconcile:write");
/** Twenty thousand rows with long notes. */
const uploadBytesMax = 20 * 1024 * 1024;

/** The round trip of a spreadsheet: downloaded, filled in, looked at, sent back. */
export function addDiscrepancyWorkbook(api: Api): void {
  addWorkbookDownload(api);
  addReview(api, {
    path: "/v1/discrepancies/workbook/preview",
    operationId: "previewDiscrepancyWorkbook",
    summary: "What a workbook of discrepancies would change, and nothing is changed",
    preview: true,
  });
  addReview(api, {
    path: "/v1/discrepancies/workbook",
    operationId: "takeDiscrepancyWorkbook",
    summary: "Takes back a workbook of discrepancies: decisions, owners and notes",
    preview: false,
  });
}

function addWorkbookDownload(api: Api): void {
  declareAccess(api, "get", workbookPath, reading);
  api.app.get(workbookPath, async (c) => {
    const caller = callerOf(c);
    const query = workbookQuery.safeParse(c.req.queries());
    if (!query.success) {
      const known = Object.keys(workbookQuery.shape);
      throw refuseInput(query.error.issues.map((issue) => ({ place: "query", issue, known })));
    }
    const asked = discrepancyFilters(query.data);
    const filters = query.data.state === undefined ? { ...asked, open: true } : asked;
    const { database } = api.deps;
    const reader = { database, accountIds: caller.accountIds };
    const { body, rows } = await discrepancyWorkbook(reader, filters).catch((error: unknown) => {
      throw asProblem(error, "query");
    });
    await auditExport(database, {
      ...authorOf(c, caller),
      id: "discrepancies workbook",
      action: "report.exported",
      after: { parameters: c.req.queries(), format: "xlsx", rows },
    });
    return sendFile(c, body, { fileName: "discrepancies.xlsx", "Report-Rows": String(rows) });
  });
  api.app.openAPIRegistry.registerPath({
    method: "get",
    path: workbookPath,
    operationId: "downloadDiscrepancyWorkbook",
    summary: "Discrepancies as a workbook to fill in and send back",
    description:
      "Those that are open, unless `state` says otherwise. Fill in `decision`, `owner` and `note`, and send it to `POST /v1/discrepancies/workbook/preview`.",
    tags: [tag],
    security: [{ bearer: [] }, { basic: [] }],
    request: { query: workbookQuery },
    responses: {
      200: {
        description: "The workbook.",
        content: { [contentTypes.xlsx]: { schema: binaryFile, example: "PK…" } },
      },
      ...problemResponses([...usualProblems, "unknown_parameter", "report_too_large"]),
    },
  });
}

const listNames = Object.fromEntries(Object.keys(listParameters).map((name) => [name, true])) as Record<
  keyof typeof listParameters,
  true
>;
const workbookQuery = discrepancyQuery.omit(listNames);

interface ReviewRoute {
  path: string;
  operationId: string;
  summary: string;
  preview: boolean;
}

function addReview(api: Api, { path, operationId, summary, preview }: ReviewRoute): void {
  declareAccess(api, "post", path, writing);
  api.app.post(path, async (c) => {
    const caller = callerOf(c);
    return withUpload(c, { bytesMax: uploadBytesMax }, async (upload) => {
      c.set("bodyText", upload.sha256);
      return answerOnce(api, c, caller, { forStorage: (body) => body }, async ({ database }) => {
        const request = { reader: { accountIds: caller.accountIds }, ...authorOf(c, caller), preview };
        const outcome = await reviewDiscrepancies(database, createReadStream(upload.path), request).catch(
          asReviewProblem,
        );
        return sendObject(c, JSON.stringify(presentReview(outcome, preview)));
      });
    });
  });
  api.app.openAPIRegistry.registerPath({
    method: "post",
    path,
    operationId,
    summary,
    description:
      "The body is the workbook. Every row is accounted for: changed, unchanged or refused. A row that somebody else has changed since the download is refused; the others are changed together. Needs `reconcile:write`.",
    tags: [tag],
    security: [{ bearer: [] }, { basic: [] }],
    request: { body: { required: true, content: { [contentTypes.xlsx]: { schema: binaryFile } } } },
    responses: {
      200: {
        description: "What became of each row.",
        content: { "application/json": { schema: reviewSchema, example: reviewExample } },
      },
      ...problemResponses([
        ...usualProblems,
        "invalid_body",
        "body_too_large",
        "unsupported_media_type",
        "idempotency_in_progress",
        "idempotency_key_reused",
      ]),
    },
  });
}

const usualProblems = [
  "invalid_parameter",
  "key_missing",
  "key_invalid",
  "key_expired",
  "scope_missing",
  "rate_limited",
  "internal_error",
  "not_ready",
] as const;

function callerOf(c: ApiContext) {
  const caller = c.get("caller");
  if (caller === undefined) throw problem("key_missing", "This needs an API key.");
  return caller;
}

function asReviewProblem(error: unknown): never {
  if (error instanceof TieoutError && error.code === "review_refused")
    throw problem("invalid_body", `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.`);
  throw error;
}

/** As over HTTP and on the command line with --json. */
export function presentReview({ rows, unchanged, changed, refused }: ReviewOutcome, preview: boolean) {
  return {
    object: "discrepancy_review",
    state: preview ? "previewed" : "applied",
    rows: { read: rows, changed: changed.length, unchanged, refused: refused.length },
    changed: changed.map(({ id, ...one }) => ({ ...one, id: referenceTo("discrepancy", id) })),
    refused: refused.map(({ id, ...one }) => ({ ...one, id: referenceTo("discrepancy", id) })),
  };
}

const count = z.int().nonnegative();
const reviewSchema = z
  .strictObject({
    object: z.literal("discrepancy_review"),
    state: z.enum(["previewed", "applied"]),
    rows: z.strictObject({ read: count, changed: count, unchanged: count, refused: count }),
    changed: z.array(
      z.strictObject({
        row: count.openapi({ description: "As the spreadsheet counts." }),
        actions: z.array(z.string()),
        id: z.string(),
      }),
    ),
    refused: z.array(
      z.strictObject({
        row: count,
        code: z.enum(["not_found", "version_mismatch", "state_conflict", "invalid_row", "given_twice"]),
        reason: z.string(),
        id: z.string().nullable(),
      }),
    ),
  })
  .openapi("DiscrepancyReview");

const reviewExample = {
  object: "discrepancy_review",
  state: "previewed",
  rows: { read: 3, changed: 1, unchanged: 1, refused: 1 },
  changed: [{ row: 2, actions: ["resolve", "assign"], id: "dis_31" }],
  refused: [
    {
      row: 4,
      code: "version_mismatch",
      reason: "somebody else has changed it meanwhile; it is resolved now",
      id: "dis_33",
    },
  ],
};
