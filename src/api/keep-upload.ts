import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { withTemporaryFolder } from "../store/files/temporary-folder.ts";
import { problem } from "./problem.ts";

export interface Upload {
  /** Where the bytes are while the request is answered. */
  readonly path: string;
  /** Hex. */
  readonly sha256: string;
  readonly byteCount: number;
}

/** A folder for what a request brings, gone with everything in it when the request is answered. */
export function withUploadFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  return withTemporaryFolder("upload", use);
}

/** To disk as it comes, counted meanwhile: what a header says of the length need not be true. */
export async function keepUpload(
  pieces: AsyncIterable<Uint8Array>,
  { folder, bytesMax }: { folder: string; bytesMax: number },
): Promise<Upload> {
  const path = join(folder, "file");
  const sha256 = createHash("sha256");
  let byteCount = 0;
  await pipeline(
    Readable.from(pieces),
    async function* (counted: AsyncIterable<Uint8Array>) {
      for await (const piece of counted) {
        byteCount += piece.length;
        if (byteCount > bytesMax) throw fileTooLarge(bytesMax);
        sha256.update(piece);
        yield piece;
      }
    },
    createWriteStream(path, { mode: 0o600 }),
  );
  return { path, sha256: sha256.digest("hex"), byteCount };
}

export function fileTooLarge(bytesMax: number) {
  return problem(
    "body_too_large",
    `The file is larger than ${bytesMax / 1024 / 1024} MB. Import it on the command line.`,
  );
}
