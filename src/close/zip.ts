import { createReadStream, createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";
import { TieoutError } from "../core/errors.ts";

/** A part of a zip, measured already: what it holds is in memory or on disk. */
export interface ZipPart {
  name: string;
  bytes: number;
  crc: number;
  content: Buffer | { path: string };
}

type Measured = Pick<ZipPart, "name" | "bytes" | "crc">;

/** Without the larger form of zip, which not every program reads. */
const zipBytesMax = 0xffff_ffff;
const partsMax = 0xffff;

/**
 * One zip for the same parts, always: every part is stored as it is, with one fixed date and no fields that differ between
 * machines. Not compressed, because what compression makes of the same bytes depends on the library, its version and
 * even the processor.
 */
export async function writeZip(path: string, parts: readonly ZipPart[]): Promise<void> {
  const directory = directoryOf(parts);
  const file = createWriteStream(path, { mode: 0o600 });
  const done = finished(file);
  // Awaited at the end; marked as handled, so that an early failure is not reported as unhandled.
  done.catch(() => undefined);
  const write = (bytes: Buffer) =>
    new Promise<void>((resolve, reject) => {
      file.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
  try {
    for (const part of parts) {
      await write(localHeader(part));
      if (Buffer.isBuffer(part.content)) await write(part.content);
      else for await (const chunk of createReadStream(part.content.path)) await write(chunk as Buffer);
    }
    await write(directory);
  } finally {
    file.end();
  }
  await done;
}

const flagsUtf8 = 0x0800;
const versionNeeded = 20;
const methodStored = 0;
/** 1 January 1980, the first day that a zip can name. */
const fixedDate = 0x0021;

/** What stands before the bytes of a part. */
export function localHeader({ name, bytes, crc }: Measured): Buffer {
  const text = Buffer.from(name, "utf8");
  const header = Buffer.alloc(localHeaderBytes);
  header.writeUInt32LE(localSignature, 0);
  header.writeUInt16LE(versionNeeded, 4);
  header.writeUInt16LE(flagsUtf8, 6);
  header.writeUInt16LE(methodStored, 8);
  header.writeUInt16LE(fixedDate, 12);
  header.writeUInt32LE(crc, 14);
  header.writeUInt32LE(bytes, 18);
  header.writeUInt32LE(bytes, 22);
  header.writeUInt16LE(text.length, 26);
  return Buffer.concat([header, text]);
}

export const localHeaderBytes = 30;
export const localSignature = 0x0403_4b50;

/** What stands after the last part: the list of all of them, and where it begins. */
export function directoryOf(parts: readonly Measured[]): Buffer {
  let offset = 0;
  const entries = parts.map((part) => {
    const entry = directoryEntry(part, offset);
    offset += localHeader(part).length + part.bytes;
    return entry;
  });
  const list = Buffer.concat(entries);
  if (offset + list.length > zipBytesMax || parts.length > partsMax) {
    throw new TieoutError(
      "pack_invalid",
      "the pack would be larger than 4 GB: close shorter periods, or make the reports with tieout export",
    );
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x0605_4b50, 0);
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([list, end]);
}

function directoryEntry({ name, bytes, crc }: Measured, offset: number): Buffer {
  const text = Buffer.from(name, "utf8");
  const entry = Buffer.alloc(46);
  entry.writeUInt32LE(0x0201_4b50, 0);
  entry.writeUInt16LE(versionNeeded, 4);
  entry.writeUInt16LE(versionNeeded, 6);
  entry.writeUInt16LE(flagsUtf8, 8);
  entry.writeUInt16LE(methodStored, 10);
  entry.writeUInt16LE(fixedDate, 14);
  entry.writeUInt32LE(crc, 16);
  entry.writeUInt32LE(bytes, 20);
  entry.writeUInt32LE(bytes, 24);
  entry.writeUInt16LE(text.length, 28);
  // A part beyond the limit is refused by the caller; the number only has to fit until then.
  entry.writeUInt32LE(Math.min(offset, zipBytesMax), 42);
  return Buffer.concat([entry, text]);
}
