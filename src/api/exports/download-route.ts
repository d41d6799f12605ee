import { z } from "@hono/zod-openapi";
import { isSignedDownload } from "../../report/download-link.ts";
import { auditExport, readExport } from "../../store/exports/exports.ts";
import type { Files } from "../../store/files/files.ts";
import { linkHolders } from "../../access/access.ts";
import type { Api } from "../deps.ts";
import { problem } from "../problem.ts";
import { documentOperation, problemResponses } from "../document.ts";
import { declareAccess } from "../route.ts";
import { sendFile } from "../send-file.ts";

/** Needs no key but a signature, so that a browser can follow it; the file itself is noted in the audit log. */
export function addExportDownload(api: Api, files: Files): void {
  const path = "/v1/exports/{id}/download";
  declareAccess(api, "get", path, linkHolders);
  api.app.get("/v1/exports/:id/download", async (c) => {
    const row = await readExport({ database: api.deps.database, accountIds: null }, c.req.param("id"));
    const file = Number(c.req.query("file") ?? "1");
    const expiresMs = Number(c.req.query("expires") ?? "0");
    const link = { exportId: c.req.param("id"), file, expiresMs };
    // An unknown export and a wrong signature look the same from outside.
    const secret = row?.state === "succeeded" ? row.linkSecret : Buffer.alloc(0);
    const found = row?.files?.[file - 1];
    if (!isSignedDownload(secret, link, c.req.query("signature") ?? "", api.deps.now()) || !found) {
      throw problem(
        "link_invalid",
        "The link was altered or has expired. Read the export again for a new one.",
      );
    }
    const stored = await openStored(api, files, found.storedAs);
    // Programs that show a preview of a link ask for its headers only.
    if (c.req.method !== "HEAD")
      await auditExport(api.deps.database, {
        actor: "download link",
        requestId: c.get("requestId"),
        id: link.exportId,
        action: "export.downloaded",
        after: { file: found.name, sha256: found.sha256 },
      }).catch((error: unknown) => {
        stored.body.destroy();
        throw error;
      });
    return sendFile(c, stored.body, {
      fileName: found.name,
      "Content-Length": String(stored.bytes),
      "Repr-Digest": `sha-256=:${Buffer.from(found.sha256, "hex").toString("base64")}:`,
    });
  });
  const operation = {
    method: "get" as const,
    path,
    operationId: "downloadExport",
    summary: "The file of an export",
    description: "Take the address from `download_url`: it is signed, and needs no key until it expires.",
    tags: ["Exports"],
    security: [],
    request: { params: pathParameters, query: linkParameters },
    responses: {
      200: {
        description: "The file.",
        content: { "text/csv": { schema: z.string(), example: "account,transaction_id\n" } },
      },
      ...problemResponses(["link_invalid", "not_found", "rate_limited", "internal_error", "not_ready"]),
    },
  };
  documentOperation(api, operation, { gives: ["Cache-Control", "Content-Disposition", "Repr-Digest"] });
}

async function openStored({ deps }: Api, files: Files, storedAs: string) {
  try {
    const stored = await files.read(storedAs);
    if (stored !== null) return stored;
  } catch (error) {
    deps.log.error({ event: "export_unreadable", stored_as: storedAs, err: error });
    throw problem("not_ready", "The file store does not answer. Try again in a moment.", {
      headers: { "Retry-After": "5" },
    });
  }
  throw problem(
    "not_found",
    "The file is gone, or on another machine. Share the data folder with the workers, or set FILES_URL.",
  );
}

const pathParameters = z.strictObject({ id: z.string().openapi({ example: "exp_1f0c6d2b9a" }) });

const linkParameters = z.strictObject({
  file: z.string().optional().describe("Which of several files, from 1."),
  expires: z.string().describe("Part of the signed link."),
  signature: z.string().describe("Part of the signed link."),
});
