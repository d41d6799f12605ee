import { type FileHandle, open } from "node:fs/promises";
import { TieoutError } from "../core/errors.ts";
import { createMeasure, type Measure } from "./measure.ts";
import { directoryOf, localHeader, localHeaderBytes, localSignature } from "./zip.ts";

export interface ReadPart extends Measure {
  name: string;
  /** The bytes themselves, of parts that were asked for. */
  content: Buffer | null;
}

const chunkBytes = 1024 * 1024;
const nameBytesMax = 200;
/** Of the few parts that are read into memory. */
const contentBytesMax = 64 * 1024 * 1024;
const partsMax = 10_000;

/**
 * Reads a zip as `writeZip` writes it, and no other: every byte that is not the content of a part must be the one that
 * the writer would have put there. Nothing is unpacked, and only what `wanted` names is kept in memory.
 */
export async function readZip(path: string, wanted: (name: string) => boolean): Promise<ReadPart[]> {
  const file = await open(path, "r").catch((error: NodeJS.ErrnoException) => {
    throw invalid(`${path} cannot be read (${error.code ?? error.message})`);
  });
  try {
    const { size } = await file.stat();
    const parts: ReadPart[] = [];
    let offset = 0;
    for (;;) {
      const header = await readAt(file, offset, Math.min(localHeaderBytes, size - offset));
      if (header.length < localHeaderBytes || header.readUInt32LE(0) !== localSignature) break;
      const part = await readPart(file, { offset, size, header, wanted });
      parts.push(part);
      if (parts.length > partsMax) throw invalid(`it has more than ${partsMax} parts`);
      offset += localHeaderBytes + Buffer.byteLength(part.name) + part.bytes;
    }
    const directory = directoryOf(parts);
    if (size - offset !== directory.length)
      throw invalid(`it does not end as a pack does, at byte ${offset}`);
    const found = await readAt(file, offset, directory.length);
    const differs = found.findIndex((byte, index) => byte !== directory[index]);
    if (differs !== -1) throw invalid(`its list of parts was changed, at byte ${offset + differs}`);
    return parts;
  } finally {
    await file.close();
  }
}

async function readPart(
  file: FileHandle,
  at: { offset: number; size: number; header: Buffer; wanted: (name: string) => boolean },
): Promise<ReadPart> {
  const { offset, header } = at;
  const nameBytes = header.readUInt16LE(26);
  const bytes = header.readUInt32LE(22);
  const start = offset + localHeaderBytes + nameBytes;
  if (nameBytes === 0 || nameBytes > nameBytesMax || start + bytes > at.size)
    throw invalid(`the part at byte ${offset} does not fit into the file`);
  const name = (await readAt(file, offset + localHeaderBytes, nameBytes)).toString("utf8");
  const keeps = at.wanted(name);
  if (keeps && bytes > contentBytesMax) throw invalid(`${name} is larger than any that tieout makes`);
  const counting = createMeasure();
  const kept: Buffer[] = [];
  for (let done = 0; done < bytes;) {
    const chunk = await readAt(file, start + done, Math.min(chunkBytes, bytes - done));
    counting.add(chunk);
    if (keeps) kept.push(chunk);
    done += chunk.length;
  }
  const result = counting.result();
  const expected = localHeader({ name, ...result });
  const found = Buffer.concat([header, Buffer.from(name, "utf8")]);
  if (!found.equals(expected))
    throw invalid(`${JSON.stringify(name)}, at byte ${offset}: its header does not fit its content`);
  return { name, ...result, content: keeps ? Buffer.concat(kept) : null };
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(Math.max(0, length));
  const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
  if (bytesRead < buffer.length) throw invalid("it ends too early");
  return buffer;
}

export function invalid(what: string): TieoutError {
  return new TieoutError("pack_invalid", `not a sound pack: ${what}`);
}
