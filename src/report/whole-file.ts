import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/** A temporary name, the disk, then the name: whoever sees the file sees all of it, also after a power cut. */
export async function writeWholeFile(
  path: string,
  body: Iterable<Buffer | string> | AsyncIterable<Buffer | string>,
  signal?: AbortSignal,
): Promise<{ bytes: number; sha256: string }> {
  const temporary = `${path}.part`;
  const hash = createHash("sha256");
  let bytes = 0;
  try {
    await pipeline(
      body instanceof Readable ? body : Readable.from(body),
      async function* measure(chunks: AsyncIterable<Buffer | string>) {
        for await (const chunk of chunks) {
          hash.update(chunk);
          bytes += Buffer.byteLength(chunk);
          yield chunk;
        }
      },
      createWriteStream(temporary, { mode: 0o600 }),
      signal === undefined ? {} : { signal },
    );
    await syncToDisk(temporary);
    await rename(temporary, path);
    // The new name is on the disk only when its folder is; some systems cannot open folders, and have no such promise.
    await syncToDisk(dirname(path)).catch(() => undefined);
    return { bytes, sha256: hash.digest("hex") };
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function syncToDisk(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
