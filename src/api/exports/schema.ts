import { z } from "@hono/zod-openapi";
import { MINUTE } from "../../core/duration.ts";
import type { Scope } from "../../core/scopes.ts";
import { findReport } from "../../report/catalogue.ts";
import { reportFormats } from "../../report/report.ts";
import { signDownload } from "../../report/download-link.ts";
import type { ExportRow } from "../../store/exports/exports.ts";
import type { Caller } from "../../access/caller.ts";
import { describeObject, time } from "../object.ts";
import { mayRead } from "../reports/access.ts";
import { exactIsoTime } from "../present.ts";

export const exportStates = ["queued", "running", "succeeded", "failed", "cancelled", "expired"] as const;

/** Long enough to click, short enough to be useless in a browser history or a log. */
const linkMs = 30 * MINUTE;

/** A file with full wallet addresses, or of a report with its own scope, is only for those who may see it, even if another person asked for it. */
function linksFor(
  row: ExportRow,
  caller: Pick<Caller, "scopes">,
  nowMs: number,
): (file: number) => string | null {
  if (row.state !== "succeeded" || (row.wallets && !caller.scopes.has("wallets:read"))) return () => null;
  if (!mayRead(caller, findReport(row.report))) return () => null;
  // Rounded, so that reading an export twice in a minute gives the same answer and the same ETag.
  const expiresMs = Math.ceil(nowMs / MINUTE) * MINUTE + linkMs;
  return (file) => {
    const signature = signDownload(row.linkSecret, { exportId: row.id, file, expiresMs });
    return `/v1/exports/${row.id}/download?file=${file}&expires=${expiresMs}&signature=${signature}`;
  };
}

const count = z.int().nonnegative();

const exportFile = z.strictObject({
  name: z.string(),
  rows: count,
  bytes: count,
  sha256: z.string().describe("SHA-256 of the file, in hexadecimal."),
  download_url: z.string().nullable(),
});

export const exportRun = describeObject({
  name: "Export",
  object: "export",
  members: {
    id: z.string(),
    report: z.string(),
    format: z.enum(reportFormats),
    state: z.enum(exportStates),
    progress: z.strictObject({ rows: count, total: count.nullable() }),
    parameters: z.record(z.string(), z.array(z.string()).readonly()),
    as_of: z.string().nullable().describe("The time of the data in the file."),
    row_count: count.nullable(),
    totals: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe("Control totals: rows, sums by currency and column, period, coverage."),
    sha256: z.string().nullable().describe("Of the file, where there is one only."),
    download_url: z.string().nullable().describe("Signed; works without a key for half an hour."),
    files: z.array(exportFile),
    created_at: time,
    started_at: time.nullable(),
    finished_at: time.nullable(),
    expires_at: time.nullable().describe("When the file is removed."),
    error: z.strictObject({ code: z.string().nullable(), message: z.string() }).nullable(),
  },
  present: (row: ExportRow, caller: Pick<Caller, "scopes">, nowMs: number) => {
    const link = linksFor(row, caller, nowMs);
    const files = (row.files ?? []).map(({ name, rows, bytes, sha256 }, index) => ({
      name,
      rows,
      bytes,
      sha256,
      download_url: link(index + 1),
    }));
    const only = files.length === 1 ? files[0] : undefined;
    return {
      progress: { rows: row.rowsWritten, total: row.rowsTotal },
      as_of: row.asOf === null ? null : exactIsoTime(row.asOf),
      row_count: row.state === "succeeded" || row.state === "expired" ? row.rowsTotal : null,
      totals: (row.totals ?? null) as Record<string, unknown> | null,
      sha256: only?.sha256 ?? null,
      download_url: only?.download_url ?? null,
      files,
      error: row.error === null ? null : { code: row.errorCode, message: row.error },
    };
  },
  example: {
    id: "exp_1f0c6d2b9a",
    report: "transactions.v1",
    format: "csv",
    state: "running",
    rowsWritten: 40_000,
    rowsTotal: 120_000,
    parameters: { from: ["2026-10-01"], to: ["2026-11-01"], tz: ["Europe/London"] },
    asOf: "2026-11-14 10:00:00.000000+00",
    createdAt: "2026-11-14 09:59:59+00",
    startedAt: "2026-11-14 10:00:00+00",
  },
  exampleWith: [{ scopes: new Set<Scope>() }, 0],
});
