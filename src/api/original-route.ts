import { Readable } from "node:stream";
import { needs } from "../access/access.ts";
import type { AccountReader } from "../store/conditions.ts";
import { auditExport } from "../store/exports/exports.ts";
import type { Api } from "./deps.ts";
import { problem } from "./problem.ts";
import { referenceParams } from "./references.ts";
import { addRoute } from "./route.ts";
import { authorOf, binaryFile, sendFile } from "./send-file.ts";

interface OriginalRoute {
  readonly path: string;
  readonly operationId: string;
  readonly kind: "statement" | "receipt_file";
  readonly tag: string;
  /** As the audit log names it. */
  readonly action: string;
  readonly find: (reader: AccountReader, id: string) => Promise<OriginalFile>;
}

interface OriginalFile {
  readonly subject: string;
  readonly fileName: string;
  /** `null`: they were deleted after the time for which files are kept. */
  readonly bytes: AsyncIterable<Buffer> | null;
}

/** Gives an imported file back as it came, so that what tieout made of it can be held against it. */
export function addOriginalRoute(
  api: Api,
  { path, operationId, kind, tag, action, find }: OriginalRoute,
): void {
  addRoute(
    api,
    {
      method: "get",
      path,
      operationId,
      summary: "The imported file itself",
      description:
        "The bytes as they came, except rows of people erased since. They contain full wallet addresses, so the download is recorded in the audit log.",
      tag,
      access: needs("reconcile:read", "wallets:read"),
      params: referenceParams(kind),
      response: {
        description: "The file.",
        contentType: "application/octet-stream",
        schema: binaryFile,
        example: "",
      },
      fromPrimary: true,
      errors: ["not_found"],
    },
    async ({ c, caller, reader, writing: { database }, params }) => {
      const { subject, fileName, bytes } = await find(reader, params.id);
      if (bytes === null) {
        throw problem(
          "not_found",
          "This file was deleted at the end of the time set for keeping files. Its rows are kept.",
        );
      }
      await auditExport(database, { ...authorOf(c, caller), id: subject, action });
      return sendFile(c, Readable.from(bytes), { fileName, "Content-Type": "application/octet-stream" });
    },
  );
}
