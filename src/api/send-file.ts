import { Readable } from "node:stream";
import { ByteLengthQueuingStrategy } from "node:stream/web";
import { z } from "@hono/zod-openapi";
import { type ReportFormat, reportFormats } from "../report/report.ts";
import type { ReportAccess } from "../report/open-report.ts";
import { withoutUnseen } from "../core/plain-name.ts";
import type { Caller } from "../access/caller.ts";
import type { ApiContext, ApiEnv } from "./deps.ts";

/** The body of an answer; the reader's pace is the database's pace. */
export function sendFile(
  c: ApiContext,
  body: Readable,
  { fileName, ...headers }: { fileName: string } & Record<string, string>,
): Response {
  const answerHeaders = {
    "Content-Type": contentTypeOf(fileName),
    ...headers,
    "Content-Disposition": dispositionOf(fileName),
    "Cache-Control": "no-store",
  };
  // If the client left before the answer began, its body would be neither read nor closed.
  const { outgoing }: Partial<ApiEnv["Bindings"]> = c.env ?? {};
  outgoing?.once("close", () => body.destroy());
  if (c.req.method === "HEAD" || outgoing?.destroyed) {
    body.destroy();
    return c.body(null, 200, answerHeaders);
  }
  // Bytes, not chunks: this is all that is held for a slow reader.
  const strategy = new ByteLengthQueuingStrategy({ highWaterMark: 128 * 1024 });
  return c.body(Readable.toWeb(body, { strategy }) as ReadableStream, 200, answerHeaders);
}

export const contentTypes: Record<ReportFormat, string> = {
  csv: "text/csv; charset=utf-8; header=present",
  jsonl: "application/x-ndjson; charset=utf-8",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  parquet: "application/vnd.apache.parquet",
};

/** How the documentation says "bytes". */
export const binaryFile = z.string().openapi({ format: "binary" });

/** Someone else's name may hold anything: what a header cannot carry is spelled out beside it (RFC 6266). */
export function dispositionOf(given: string): string {
  // Names that were kept by earlier versions may hold what turns them round.
  const fileName = withoutUnseen(given);
  const plain = fileName.replaceAll(/[^\w. ()+,=@-]/g, "_");
  const exact = encodeURIComponent(fileName.toWellFormed()).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"${plain === fileName ? "" : `; filename*=UTF-8''${exact}`}`;
}

function contentTypeOf(fileName: string): string {
  if (fileName.endsWith(".gz")) return "application/gzip";
  if (fileName.endsWith(".zip")) return "application/zip";
  if (fileName.endsWith(".journal")) return "text/plain; charset=utf-8";
  return contentTypes[reportFormats.find((format) => fileName.endsWith(`.${format}`)) ?? "jsonl"];
}

export function accessOf(caller: Caller): ReportAccess {
  return { accountIds: caller.accountIds, wallets: caller.scopes.has("wallets:read") };
}

/** The writer of a change, for the audit log and for what needs a second person. */
export function authorOf(c: ApiContext, { actor, vouchedBy }: Caller) {
  return { actor, vouchedBy, requestId: c.get("requestId") };
}
