import { createReadStream } from "node:fs";
import { z } from "@hono/zod-openapi";
import { TieoutError } from "../../core/errors.ts";
import { type DayOrInstant, notATime, parseDayOrInstant } from "../../core/period.ts";
import { reviewDiscrepancies, type ReviewOutcome } from "../../reconcile/review-discrepancies.ts";
import { discrepancyWorkbook } from "../../report/discrepancy-workbook.ts";
import { auditExport } from "../../store/exports/exports.ts";
import { needs } from "../../access/access.ts";
import type { Api } from "../deps.ts";
import { amount, describeObject } from "../object.ts";
import { type Refusal, single } from "../parameters.ts";
import { problem } from "../problem.ts";
import { referenceTo } from "../references.ts";
import { asProblem } from "../reports/problem.ts";
import { addRoute } from "../route.ts";
import { authorOf, binaryFile, contentTypes, sendFile } from "../send-file.ts";
import { addUploadRoute } from "../upload-route.ts";
import { discrepancyFilters, discrepancyQuery } from "./query.ts";

const tag = "Discrepancies";
/** Twenty thousand rows with long notes. */
const uploadBytesMax = 20 * 1024 * 1024;

/** The round trip of a spreadsheet: downloaded, filled in, looked at, sent back. */
export function addDiscrepancyWorkbook(api: Api): void {
  addWorkbookDownload(api);
  addReview(api, {
    path: "/v1/discrepancies/workbook/preview",
    operationId: "previewDiscrepancyWorkbook",
    summary: "Shows what a workbook of discrepancies would change, and changes nothing",
    preview: true,
  });
  addReview(api, {
    path: "/v1/discrepancies/workbook",
    operationId: "takeDiscrepancyWorkbook",
    summary: "Imports a filled-in workbook of discrepancies: decisions, owners and notes",
    preview: false,
  });
}

function addWorkbookDownload(api: Api): void {
  addRoute(
    api,
    {
      method: "get",
      path: "/v1/discrepancies.xlsx",
      operationId: "downloadDiscrepancyWorkbook",
      summary: "Discrepancies as a workbook to fill in and send back",
      description:
        "Open ones, unless `state` says otherwise. Fill in `decision`, `owner` and `note`, and send it to `POST /v1/discrepancies/workbook/preview`.",
      tag,
      access: needs("reconcile:read"),
      query: z.strictObject(discrepancyQuery),
      response: {
        description: "The workbook.",
        contentType: contentTypes.xlsx,
        gives: ["Report-Rows"],
        schema: binaryFile,
        example: "PK…",
      },
      errors: ["report_too_large"],
    },
    async ({ c, caller, query }) => {
      const { database } = api.deps;
      const asked = discrepancyFilters(query);
      const filters = query.state === undefined ? { ...asked, open: true } : asked;
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
    },
  );
}

interface ReviewRoute {
  path: string;
  operationId: string;
  summary: string;
  preview: boolean;
}

function addReview(api: Api, { preview, ...route }: ReviewRoute): void {
  addUploadRoute(api, {
    ...route,
    description:
      "The body is the workbook. Every row is accounted for: changed, unchanged or refused. A row that someone else has changed since the download is refused; the others are changed together.",
    tag,
    access: needs("reconcile:write"),
    query: z.strictObject({ booked_at: bookedAtParameter }),
    contentTypes: [contentTypes.xlsx],
    bytesMax: uploadBytesMax,
    response: { description: "What became of each row.", ...discrepancyReview },
    errors: ["invalid_body", "period_refused"],
    take: async ({ c, caller, query, upload, database }) => {
      const bookedAt = query.booked_at;
      const request = {
        reader: { accountIds: caller.accountIds },
        ...authorOf(c, caller),
        bookedAt,
        preview,
      };
      const file = createReadStream(upload.path);
      const outcome = await reviewDiscrepancies(database, file, request).catch(asReviewProblem);
      return { body: discrepancyReview.present(outcome, preview), created: false };
    },
  });
}

const bookedAtParameter = single(
  {
    description:
      "When the decisions start to count in the books: a day in the zone of the account's months, or a time; in an open period, and not in the future. If left out: now.",
    example: "2026-10-31",
  },
  (text): DayOrInstant | Refusal =>
    parseDayOrInstant(text) ?? { refused: `is ${notATime(text)}`, code: "invalid_time" },
);

function asReviewProblem(error: unknown): never {
  if (error instanceof TieoutError && error.code === "review_refused")
    throw problem("invalid_body", `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.`);
  if (error instanceof TieoutError && error.code === "match_refused")
    throw problem("invalid_parameter", `booked_at: ${error.message}.`, { param: "booked_at" });
  throw error;
}

const count = z.int().nonnegative();

/** As over HTTP and on the command line with --json. */
export const discrepancyReview = describeObject({
  name: "DiscrepancyReview",
  object: "discrepancy_review",
  members: {
    state: z.enum(["previewed", "applied"]),
    rows: z.strictObject({ read: count, changed: count, unchanged: count, refused: count }),
    changed: z.array(
      z.strictObject({
        row: count.describe("As the spreadsheet counts rows."),
        actions: z.array(z.string()).readonly(),
        id: z.string(),
        code: z.string(),
        value: amount.nullable(),
        value_currency: z.string().nullable(),
        note: z.string().nullable(),
        needs_approval: z
          .boolean()
          .describe(
            "A write-off above the limit of whoever sends it: proposed, and another person approves it.",
          ),
      }),
    ),
    refused: z.array(
      z.strictObject({
        row: count,
        code: z.enum([
          "not_found",
          "version_mismatch",
          "state_conflict",
          "approval_required",
          "already_proposed",
          "owner_unknown",
          "invalid_row",
          "given_twice",
        ]),
        reason: z.string(),
        id: z.string().nullable(),
      }),
    ),
  },
  present: ({ rows, unchanged, changed, refused }: ReviewOutcome, preview: boolean) => ({
    state: preview ? ("previewed" as const) : ("applied" as const),
    rows: { read: rows, changed: changed.length, unchanged, refused: refused.length },
    changed: changed.map(({ id, currency, isProposed, ...one }) => ({
      ...one,
      id: referenceTo("discrepancy", id),
      value_currency: currency,
      needs_approval: isProposed,
    })),
    refused: refused.map(({ id, ...one }) => ({ ...one, id: referenceTo("discrepancy", id) })),
  }),
  example: {
    rows: 3,
    unchanged: 1,
    changed: [
      {
        row: 2,
        actions: ["resolve", "assign"],
        id: 31,
        code: "in_amount_mismatch",
        value: "204.17",
        currency: "EUR",
        note: "confirmed by mail",
        isProposed: false,
      },
    ],
    refused: [
      {
        row: 4,
        code: "version_mismatch",
        reason: "someone else has changed it meanwhile; it is resolved now",
        id: 33,
      },
    ],
  },
  exampleWith: [true],
});
