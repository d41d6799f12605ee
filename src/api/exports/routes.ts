import { z } from "@hono/zod-openapi";
import { MINUTE } from "../../core/duration.ts";
import { findReport, reports } from "../../report/catalogue.ts";
import { openReport } from "../../report/open-report.ts";
import { type GivenParameters, parseRequest } from "../../report/parameters.ts";
import { reportFormats, reportId } from "../../report/report.ts";
import { withSnapshot } from "../../store/exports/copy-report.ts";
import type { AccountReader } from "../../store/conditions.ts";
import type { Database } from "../../store/database.ts";
import {
  addExport,
  cancelExport,
  countUnfinished,
  exportPaging,
  type ExportRow,
  listExports,
  readExport,
} from "../../store/exports/exports.ts";
import type { Files } from "../../store/files/files.ts";
import { needs } from "../../access/access.ts";
import type { Caller } from "../../access/caller.ts";
import type { Api, ApiContext } from "../deps.ts";
import type { Writing } from "../idempotency.ts";
import { addList } from "../list.ts";
import { choices, oneOf, several } from "../parameters.ts";
import { exportRun, exportStates } from "./schema.ts";
import { problem } from "../problem.ts";
import { addExportDownload } from "./download-route.ts";
import { requireReport } from "../reports/access.ts";
import { asProblem, unknownReport } from "../reports/problem.ts";
import { addRoute } from "../route.ts";
import { accessOf, authorOf } from "../send-file.ts";
import { sendObject } from "../send.ts";

export interface ExportRouteDeps {
  /** The pool of exports. */
  database: Database;
  /** Where the workers write files. */
  files: Files;
  randomBytes: (count: number) => Buffer;
  /** Wakes a worker. May fail: what waits is found without it as well. */
  enqueue: (exportId: string) => Promise<void>;
  /** Exports of one key that may wait or run at the same time. */
  unfinishedMax?: number;
}

const tag = "Exports";
/** A file tells what the report itself would, so a caller who may not read the report may not have it written either. */
const access = needs("exports:write", "transactions:read");
const unfinishedMaxDefault = 20;
const checkTimeoutMs = 1 * MINUTE;
const id = z.strictObject({ id: z.string().openapi({ example: "exp_1f0c6d2b9a" }) });

/** Export runs: asked for, written by a worker, downloaded by a link that works without a key for a while. */
export function exportRoutes(deps: ExportRouteDeps): (api: Api) => void {
  return (api) => {
    const { now } = api.deps;
    const present = (row: ExportRow, caller: Caller) => exportRun.present(row, caller, now());

    addRoute(
      api,
      {
        method: "post",
        path: "/v1/exports",
        operationId: "createExport",
        summary: "Have a report written to a file",
        description: "For reports of any length. Parameters are those of the report, as in its download.",
        tag,
        access,
        body: exportBody,
        response: {
          status: 202,
          description: "The export, waiting for a worker.",
          location: (made) => `/v1/exports/${made.id}`,
          ...exportRun,
        },
        errors: ["not_found", "period_not_covered", "key_limited"],
      },
      async ({ c, caller, writing, body }) => {
        const row = await createExport(deps, writing, { c, caller, body });
        return sendObject(c, present(row, caller), 202);
      },
    );

    addList(
      api,
      {
        path: "/v1/exports",
        operationId: "listExports",
        summary: "Exports, newest first",
        tag,
        access,
        filters: {
          state: choices("Its progress.", exportStates),
          report: several(
            { description: "Name and version.", example: "transactions.v1" },
            oneOf(reports.map(reportId)),
          ),
        },
        name: "ExportList",
        of: exportRun,
        page: "A page of exports.",
        fromPrimary: true,
      },
      ({ caller, reader, query }) => ({
        paging: exportPaging,
        read: (page) => listExports(reader, query, page),
        present: (row) => present(row, caller),
      }),
    );

    addRoute(
      api,
      {
        method: "get",
        path: "/v1/exports/{id}",
        operationId: "getExport",
        summary: "One export: its progress, and where to download it",
        tag,
        access,
        params: id,
        response: { description: "The export.", ...exportRun },
        fromPrimary: true,
        errors: ["not_found"],
      },
      async ({ c, caller, reader, params }) =>
        sendObject(c, present(await findExport(reader, params.id), caller)),
    );

    addRoute(
      api,
      {
        method: "post",
        path: "/v1/exports/{id}/cancel",
        operationId: "cancelExport",
        summary: "Stop an unfinished export",
        description: "A finished export is not changed.",
        tag,
        access,
        params: id,
        response: { description: "The export afterwards.", ...exportRun },
        errors: ["not_found"],
      },
      async ({ c, caller, reader, writing, params }) => {
        await findExport(reader, params.id);
        await cancelExport(writing.database, params.id, authorOf(c, caller));
        return sendObject(c, present(await findExport(reader, params.id), caller));
      },
    );

    addExportDownload(api, deps.files);
  };
}

async function createExport(
  deps: ExportRouteDeps,
  { database, afterwards }: Writing,
  { c, caller, body }: { c: ApiContext; caller: Caller; body: z.output<typeof exportBody> },
): Promise<ExportRow> {
  const { report: name, format, parameters } = body;
  const report = findReport(name);
  if (report === null) throw unknownReport(name);
  requireReport(caller, report);
  const given = asGiven(parameters);
  const { actor, requestId } = authorOf(c, caller);
  const reader = accessOf(caller);
  try {
    const request = parseRequest(report, format, given);
    // Refused now rather than by the worker: the client is still here to read why.
    await withSnapshot(deps.database, { statementTimeoutMs: checkTimeoutMs }, (snapshot) =>
      openReport(snapshot, request, reader),
    );
  } catch (error) {
    throw asProblem(error, "body");
  }
  const { unfinishedMax = unfinishedMaxDefault } = deps;
  if ((await countUnfinished(database, actor)) >= unfinishedMax) {
    throw problem(
      "rate_limited",
      `${unfinishedMax} exports of this key are not finished yet. Wait for one.`,
      {
        headers: { "Retry-After": "30" },
      },
    );
  }
  const row = await addExport(database, {
    id: `exp_${deps.randomBytes(12).toString("hex")}`,
    report: reportId(report),
    format,
    parameters: given,
    actor,
    accountIds: caller.accountIds === null ? null : [...caller.accountIds],
    wallets: reader.wallets,
    linkSecret: deps.randomBytes(32),
    requestId,
  });
  // Should it fail: the row is there, and the next round of the workers looks for rows, not for jobs.
  afterwards(() => deps.enqueue(row.id));
  return row;
}

async function findExport(reader: AccountReader, exportId: string): Promise<ExportRow> {
  const row = await readExport(reader, exportId);
  if (row === null) throw problem("not_found", "There is no such export, or this key may not see it.");
  return row;
}

const value = z.union([z.string(), z.number(), z.boolean()]);

const exportBody = z
  .strictObject({
    report: z.string().max(100).openapi({ example: "transactions" }),
    format: z.enum(reportFormats).default("csv"),
    parameters: z
      .record(z.string(), z.union([value, z.array(value).max(100)]))
      .default({})
      .openapi({ example: { from: "2026-10-01", to: "2026-11-01", tz: "Europe/London" } }),
  })
  .openapi("ExportRequest");

function asGiven(parameters: z.output<typeof exportBody>["parameters"]): GivenParameters {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, given]) => [name, [given].flat().map(String)]),
  );
}
