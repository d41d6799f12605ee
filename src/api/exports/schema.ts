import { z } from "@hono/zod-openapi";
import { MINUTE } from "../../core/duration.ts";
import { findReport } from "../../report/catalogue.ts";
import { reportFormats } from "../../report/report.ts";
import { signDownload } from "../../report/download-link.ts";
import type { ExportRow } from "../../store/exports/exports.ts";
import type { Caller } from "../../access/caller.ts";
import { time } from "../list.ts";
import { mayRead } from "../reports/access.ts";
import { exactIsoTime, isoTime } from "../present.ts";

export const exportStates = ["queued", "running", "succeeded", "failed", "cancelled", "expired"] as const;

/** Long enough to click, short enough to be worth little in a history or a log. */
const linkMs = 30 * MINUTE;

export function presentExport(row: ExportRow, caller: Caller, nowMs: number) {
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
    object: "export",
    id: row.id,
    report: row.report,
    format: row.format,
    state: row.state,
    progress: { rows: row.rowsWritten, total: row.rowsTotal },
    parameters: row.parameters,
    as_of: row.asOf === null ? null : exactIsoTime(row.asOf),
    row_count: row.state === "succeeded" || row.state === "expired" ? row.rowsTotal : null,
    totals: row.totals ?? null,
    sha256: only?.sha256 ?? null,
    download_url: only?.download_url ?? null,
    files,
    created_at: isoTime(row.createdAt),
    started_at: isoTime(row.startedAt),
    finished_at: isoTime(row.finishedAt),
    expires_at: isoTime(row.expiresAt),
    error: row.error === null ? null : { code: row.errorCode, message: row.error },
  };
}

/** A file with full wallet addresses, or of a report with its own scope, is for those who may see it, whoever asked. */
function linksFor(row: ExportRow, caller: Caller, nowMs: number): (file: number) => string | null {
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
  sha256: z.string().openapi({ description: "Of the bytes of the file, in hexadecimal." }),
  download_url: z.string().nullable(),
});

export const exportSchema = z
  .strictObject({
    object: z.literal("export"),
    id: z.string(),
    report: z.string(),
    format: z.enum(reportFormats),
    state: z.enum(exportStates),
    progress: z.strictObject({ rows: count, total: count.nullable() }),
    parameters: z.record(z.string(), z.array(z.string())),
    as_of: z.string().nullable().openapi({ description: "The moment of the data that the file shows." }),
    row_count: count.nullable(),
    totals: z
      .record(z.string(), z.unknown())
      .nullable()
      .openapi({ description: "Control totals: rows, sums by currency and column, period, coverage." }),
    sha256: z.string().nullable().openapi({ description: "Of the file, where there is one only." }),
    download_url: z
      .string()
      .nullable()
      .openapi({ description: "Signed; works without a key for half an hour." }),
    files: z.array(exportFile),
    created_at: time,
    started_at: time.nullable(),
    finished_at: time.nullable(),
    expires_at: time.nullable().openapi({ description: "When the file is removed." }),
    error: z.strictObject({ code: z.string().nullable(), message: z.string() }).nullable(),
  })
  .openapi("Export");

export const exportExample = {
  object: "export",
  id: "exp_1f0c6d2b9a",
  report: "transactions.v1",
  format: "csv",
  state: "running",
  progress: { rows: 40_000, total: 120_000 },
  parameters: { from: ["2026-10-01"], to: ["2026-11-01"], tz: ["Europe/London"] },
  as_of: "2026-11-14T10:00:00.000000Z",
  row_count: null,
  totals: null,
  sha256: null,
  download_url: null,
  files: [],
  created_at: "2026-11-14T09:59:59.000Z",
  started_at: "2026-11-14T10:00:00.000Z",
  finished_at: null,
  expires_at: null,
  error: null,
};
