import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ApiContext } from "./deps.ts";
import { problem } from "./problem.ts";

export interface Upload {
  /** Where the bytes are while the request is answered. */
  readonly path: string;
  /** Hex. */
  readonly sha256: string;
}

/** Takes the body of a request to disk, counted while it comes, and removes it again whatever happens. */
export async function withUpload<T>(
  c: ApiContext,
  { bytesMax }: { bytesMax: number },
  use: (upload: Upload) => Promise<T>,
): Promise<T> {
  refuseForms(c.req.header("content-type") ?? "");
  const tooLarge = () =>
    problem(
      "body_too_large",
      `The file is larger than ${bytesMax / 1024 / 1024} MB. Import it on the command line.`,
    );
  if (Number(c.req.header("content-length") ?? 0) > bytesMax) throw tooLarge();
  const folder = await mkdtemp(join(tmpdir(), "tieout-upload-"));
  try {
    const path = join(folder, "file");
    const sha256 = createHash("sha256");
    let bytes = 0;
    await pipeline(
      Readable.from((c.req.raw.body ?? []) as AsyncIterable<Uint8Array>),
      async function* (pieces: AsyncIterable<Uint8Array>) {
        for await (const piece of pieces) {
          bytes += piece.length;
          if (bytes > bytesMax) throw tooLarge();
          sha256.update(piece);
          yield piece;
        }
      },
      createWriteStream(path),
    );
    return await use({ path, sha256: sha256.digest("hex") });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function refuseForms(contentType: string): void {
  if (!/^(multipart\/|application\/(json|x-www-form-urlencoded))/i.test(contentType)) return;
  throw problem(
    "unsupported_media_type",
    "Send the file itself as the body: curl --data-binary @file.csv -H 'content-type: text/csv'.",
  );
}
