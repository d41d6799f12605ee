import { promisify } from "node:util";
import { gzip } from "node:zlib";

const gzipAsync = promisify(gzip);
const partBytes = 1024 * 1024;

/** Passes the bytes on, and hands every megabyte of them over to be kept, compressed on another thread. */
export async function* keepBytes(
  pieces: AsyncIterable<Buffer>,
  keepPart: (gzipped: Promise<Buffer>) => Promise<void>,
): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let bytes = 0;
  const flush = () => {
    const part = Buffer.concat(held);
    held = [];
    bytes = 0;
    // The lowest level: twice as quick as the usual one, and the file is still a quarter of its size.
    return keepPart(gzipAsync(part, { level: 1 }));
  };
  for await (const piece of pieces) {
    held.push(piece);
    bytes += piece.length;
    yield piece;
    if (bytes >= partBytes) await flush();
  }
  if (bytes > 0) await flush();
}
