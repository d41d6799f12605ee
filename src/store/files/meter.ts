import { createHash } from "node:crypto";
import type { WrittenBytes } from "./files.ts";

/** Counts and hashes what goes by. */
export function createMeter() {
  const hash = createHash("sha256");
  let bytes = 0;
  return {
    async *measure(
      chunks: AsyncIterable<Buffer | string> | Iterable<Buffer | string>,
    ): AsyncGenerator<Buffer> {
      for await (const chunk of chunks) {
        const piece = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
        hash.update(piece);
        bytes += piece.length;
        yield piece;
      }
    },
    /** Once, at the end. */
    result: (): WrittenBytes => ({ bytes, sha256: hash.digest("hex") }),
  };
}
