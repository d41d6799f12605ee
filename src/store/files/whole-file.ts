import { randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import { open, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { FileBody, WrittenBytes } from "./files.ts";
import { createMeter } from "./meter.ts";

/**
 * A temporary name, the disk, then the name: a reader sees all of the file or none, also after a power cut. The temporary name is
 * its own: of two that write the same file at once, the later one replaces the file, and no byte of one is in the other.
 */
export async function writeWholeFile(
  path: string,
  body: FileBody,
  signal?: AbortSignal,
): Promise<WrittenBytes> {
  const temporary = `${path}.${randomBytes(4).toString("hex")}.part`;
  const meter = createMeter();
  try {
    // What is already in memory needs no stream: for a small file it would cost several times as much as writing it.
    if (Array.isArray(body))
      await writeFile(temporary, meter.measure(body), { mode, flag, flush: true, ...within(signal) });
    else {
      await pipeline(
        body instanceof Readable ? body : Readable.from(body),
        (chunks: AsyncIterable<Buffer | string>) => meter.measure(chunks),
        createWriteStream(temporary, { mode, flags: flag }),
        within(signal),
      );
      await syncToDisk(temporary);
    }
    await rename(temporary, path);
    // The new name is on the disk only when its folder is; some systems cannot open folders, and have no such promise.
    await syncToDisk(dirname(path)).catch(() => undefined);
    return meter.result();
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

const mode = 0o600;
/** Never a file that is there already. */
const flag = "wx";

const within = (signal?: AbortSignal) => (signal === undefined ? {} : { signal });

async function syncToDisk(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
