import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { fileBytesMax } from "./limits.ts";
import { unreadable } from "./refusal.ts";

/** A file that can be read as often as needed: once for its hash, once for its rows. */
export interface StatementSource {
  readonly name: string;
  bytes(): AsyncIterable<Buffer>;
}

export interface SourceDigest {
  readonly sha256: Buffer;
  readonly byteCount: number;
  /** The start of the file, by which its encoding and its layout are recognised. */
  readonly head: Buffer;
}

export function fileSource(path: string, name: string): StatementSource {
  return { name, bytes: () => createReadStream(path, { highWaterMark: readBytes }) };
}

/** The same file, telling how much of it has been read. The first pass is for its hash alone. */
export function tellingSource(
  source: StatementSource,
  byteCount: number,
  tell: (read: { share: number; isForHash: boolean }) => void,
): StatementSource {
  let passes = 0;
  return {
    name: source.name,
    async *bytes() {
      const isForHash = passes++ === 0;
      let bytes = 0;
      for await (const piece of source.bytes()) {
        bytes += piece.length;
        tell({ share: Math.min(1, bytes / Math.max(1, byteCount)), isForHash });
        yield piece;
      }
    },
  };
}

export async function digestSource(source: StatementSource): Promise<SourceDigest> {
  const sha256 = createHash("sha256");
  const head: Buffer[] = [];
  let byteCount = 0;
  for await (const piece of source.bytes()) {
    if (byteCount < headBytesMax) head.push(piece);
    sha256.update(piece);
    byteCount += piece.length;
    if (byteCount > fileBytesMax) {
      throw unreadable(`it is larger than ${fileBytesMax} bytes: split it`);
    }
  }
  return { sha256: sha256.digest(), byteCount, head: Buffer.concat(head).subarray(0, headBytesMax) };
}

// Small, so that a reader which is busy with one piece does not keep the database waiting for its next word.
const readBytes = 64 * 1024;
const headBytesMax = 256 * 1024;
