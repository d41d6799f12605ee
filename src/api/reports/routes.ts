import { z } from "@hono/zod-openapi";
import { findReport, reports } from "../../report/catalogue.ts";
import {
  parameterHelp,
  type ParameterName,
  parametersOf,
  parseRequest,
  type ReportRequest,
} from "../../report/parameters.ts";
import { type Report, type ReportFormat, reportFormats, reportId } from "../../report/report.ts";
import { streamReport } from "../../report/stream-report.ts";
import type { Database } from "../../store/database.ts";
import { auditExport } from "../../store/exports/exports.ts";
import { needs } from "../../access/access.ts";
import type { Api } from "../deps.ts";
import { listResponse, sendWhole } from "../list.ts";
import { describeObject } from "../object.ts";
import { problem } from "../problem.ts";
import { requireReport } from "./access.ts";
import { asProblem, unknownReport } from "./problem.ts";
import { documentOperation, problemResponses } from "../document.ts";
import { addRoute, declareAccess } from "../route.ts";
import { limitReports, type ReportPlaces } from "./running-reports.ts";
import { accessOf, authorOf, binaryFile, contentTypes, sendFile } from "../send-file.ts";
import { untilGone } from "../while-waited.ts";

export interface ReportRouteDeps {
  /** The pool of exports: a long download must not take connections from short questions. */
  database: Database;
  /** Rows that are sent at once; larger reports are export runs. */
  rowsMax?: number;
  /** Of this process. */
  places?: ReportPlaces;
}

const tag = "Reports";
const access = needs("transactions:read");
const rowsMaxDefault = 100_000;
const placesDefault: ReportPlaces = { max: 8 };

/** The catalogue, and reports that are small enough to be sent at once. */
export function reportRoutes(deps: ReportRouteDeps): (api: Api) => void {
  return (api) => {
    addRoute(
      api,
      {
        method: "get",
        path: "/v1/reports",
        operationId: "listReports",
        summary: "All reports, with their columns and parameters",
        tag,
        access,
        response: listResponse("ReportList", reportObject, {
          url: "/v1/reports",
          description: "All reports; there is one page.",
        }),
      },
      ({ c }) => sendWhole(c, reports.map(reportObject.present)),
    );
    addDownload(api, deps);
  };
}

function addDownload(api: Api, deps: ReportRouteDeps): void {
  const { rowsMax = rowsMaxDefault, places = placesDefault } = deps;
  const path = "/v1/reports/{file}";
  const takePlace = limitReports(places);
  declareAccess(api, "get", path, access);
  api.app.get("/v1/reports/:file", async (c) => {
    const caller = c.get("caller");
    if (caller === undefined) throw problem("key_missing", "This needs an API key.");
    const request = readRequest(c.req.param("file"), c.req.queries(), c.req.header("Accept") ?? "");
    requireReport(caller, request.report);
    const signal = untilGone(c);
    const end = await takePlace(caller, signal);
    const streamed = await streamReport(deps.database, request, accessOf(caller), {
      rowsMax,
      signal,
      before: (opened, rows) =>
        auditExport(api.deps.database, {
          ...authorOf(c, caller),
          id: reportId(request.report),
          action: "report.exported",
          after: { parameters: c.req.queries(), format: request.format, rows, as_of: opened.asOf },
        }),
    }).catch((error: unknown) => {
      end();
      throw asProblem(error, "query");
    });
    if (streamed.body.destroyed) end();
    streamed.body.once("close", end);
    return sendFile(c, streamed.body, {
      fileName: streamed.report.fileName,
      "Report-Rows": String(streamed.rows),
      "Report-As-Of": streamed.report.asOf,
      "Report-Partial": String(streamed.report.coverage.complete === false),
      ...priorHeader(streamed.report.moment?.priors ?? []),
    });
  });
  const operation = {
    method: "get" as const,
    path,
    operationId: "downloadReport",
    summary: "A report as a file",
    description: `At most ${rowsMaxDefault.toLocaleString("en-GB")} rows. \`GET /v1/reports\` lists the parameters of each report. Needs \`transactions:read\`, and the scope named there; wallet addresses are masked without \`wallets:read\`.`,
    tags: [tag],
    security: [{ bearer: [] }, { basic: [] }],
    request: { params: fileParameter, query: queryParameters },
    responses: {
      200: {
        description: "The file.",
        content: {
          "text/csv": {
            schema: z.string(),
            example: "account,transaction_id,status\ndefault,01H6DQWMRC0000000000000000,completed\n",
          },
          "application/x-ndjson": { schema: z.string(), example: '{"account":"default"}\n' },
          [contentTypes.xlsx]: { schema: binaryFile, example: "PK…" },
          [contentTypes.parquet]: { schema: binaryFile, example: "PAR1…" },
        },
      },
      ...problemResponses([
        "invalid_parameter",
        "unknown_parameter",
        "not_found",
        "period_not_covered",
        "report_too_large",
        "key_missing",
        "key_invalid",
        "key_expired",
        "key_limited",
        "scope_missing",
        "rate_limited",
        "internal_error",
        "not_ready",
      ]),
    },
  };
  documentOperation(api, operation, {
    gives: [
      "Cache-Control",
      "Content-Disposition",
      "Report-Rows",
      "Report-As-Of",
      "Report-Partial",
      "Report-Prior-Known-At",
    ],
  });
}

/** When what lies before was closed; of several accounts, all the times. */
function priorHeader(priors: readonly { knownAt: string }[]): Record<string, string> {
  const times = [...new Set(priors.map(({ knownAt }) => knownAt))];
  return times.length === 0 ? {} : { "Report-Prior-Known-At": times.join(", ") };
}

/** The format is the end of the name, or, of a name without one, what the reader accepts. */
function readRequest(file: string, given: Record<string, string[]>, accept: string): ReportRequest {
  const ending = reportFormats.find((format) => file.endsWith(`.${format}`));
  const name = ending === undefined ? file : file.slice(0, -ending.length - 1);
  const report = findReport(name);
  if (report === null) throw unknownReport(name);
  const format = ending ?? acceptedFormat(accept);
  if (format === null) {
    const endings = reportFormats.map((one) => `.${one}`).join(", ");
    throw problem(
      "not_found",
      `A report is a file: ask for /v1/reports/${reportId(report)}.csv, or another of ${endings}.`,
    );
  }
  try {
    return parseRequest(report, format, given);
  } catch (error) {
    throw asProblem(error, "query");
  }
}

function acceptedFormat(accept: string): ReportFormat | null {
  const bare = (type: string) => type.split(";", 1)[0]?.trim();
  const wanted = new Set(accept.toLowerCase().split(",").map(bare));
  return reportFormats.find((format) => wanted.has(bare(contentTypes[format]))) ?? null;
}

const columnSchema = z.strictObject({
  name: z.string(),
  type: z.enum(["text", "amount", "time", "date", "integer", "boolean"]),
  currency: z.string().nullable().describe("The column that holds the amount's currency."),
  description: z.string(),
});

const reportObject = describeObject({
  name: "Report",
  object: "report",
  members: {
    id: z.string(),
    name: z.string(),
    version: z.int(),
    title: z.string(),
    purpose: z.string(),
    grain: z.string(),
    period: z.string().nullable().describe("What `from` and `to` select by; null where they do not apply."),
    scope: z.string().describe("The scope that a key needs to read it."),
    needs_coverage: z.boolean(),
    formats: z.array(z.string()),
    parameters: z.array(z.strictObject({ name: z.string(), description: z.string() })),
    columns: z.array(columnSchema),
  },
  present: (report: Report) => ({
    id: reportId(report),
    period: report.period?.description ?? null,
    scope: report.needs?.scope ?? "transactions:read",
    formats: [...reportFormats],
    parameters: parametersOf(report).map((name) => ({ name, description: parameterHelp[name] })),
    columns: report.columns.map(({ name, type, description, currency = null }) => ({
      name,
      type,
      currency,
      description,
    })),
  }),
  example: reports[0] as Report,
});

const fileParameter = z.strictObject({
  file: z.string().openapi({
    description:
      "Report and format: transactions.csv, or with its version transactions.v1.xlsx. Without a format, the Accept header chooses it.",
    example: "transactions.csv",
  }),
});

const queryParameters = z.strictObject(
  Object.fromEntries(
    (Object.keys(parameterHelp) as ParameterName[]).map((name) => [
      name,
      z.string().optional().describe(parameterHelp[name]),
    ]),
  ),
);
