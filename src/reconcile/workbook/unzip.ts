import { crc32, createInflateRaw } from "node:zlib";
import { pipeline, Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { partsMax, unpackedBytesMax } from "./limits.ts";
import { WorkbookError } from "./workbook-error.ts";

export interface Archive {
  has(name: string): boolean;
  names(): string[];
  /** The bytes of a part, unpacked piece by piece; refused when there are more than allowed of it, or of all together. */
  read(name: string, bytesMax?: number): AsyncGenerator<Buffer>;
  /** Of all parts that were read so far. */
  unpackedBytes(): number;
}

interface Entry {
  method: number;
  crc: number;
  packedBytes: number;
  at: number;
}

const endOfDirectory = 0x0605_4b50;
const centralFile = 0x0201_4b50;
const localFile = 0x0403_4b50;
const endBytes = 22;
const commentBytesMax = 0xffff;

/** Reads the list of parts. Nothing that the archive says of sizes is believed: what is unpacked is counted. */
export function openArchive(bytes: Buffer): Archive {
  const entries = readDirectory(bytes);
  let unpacked = 0;
  return {
    has: (name) => entries.has(name),
    names: () => [...entries.keys()],
    unpackedBytes: () => unpacked,
    async *read(name, bytesMax = unpackedBytesMax) {
      const entry = entries.get(name);
      if (entry === undefined) throw new WorkbookError(`the part ${name} is missing: save it again`);
      let size = 0;
      let crc = 0;
      for await (const piece of unpack(bytes, entry)) {
        size += piece.length;
        unpacked += piece.length;
        if (size > bytesMax || unpacked > unpackedBytesMax) {
          throw new WorkbookError(
            `its part ${name} unpacks to more than is read: split it, or export it as CSV`,
          );
        }
        crc = crc32(piece, crc);
        yield piece;
      }
      if (crc !== entry.crc) throw new WorkbookError(`its part ${name} is damaged: download it again`);
    },
  };
}

function readDirectory(bytes: Buffer): Map<string, Entry> {
  const end = findEnd(bytes);
  const count = bytes.readUInt16LE(end + 10);
  if (count > partsMax) throw new WorkbookError(`it has more than ${partsMax} parts`);
  const entries = new Map<string, Entry>();
  let at = bytes.readUInt32LE(end + 16);
  for (let place = 0; place < count; place++) {
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== centralFile) throw damaged();
    const [nameBytes, extraBytes, noteBytes] = [28, 30, 32].map((field) => bytes.readUInt16LE(at + field));
    const nameEnd = at + 46 + (nameBytes ?? 0);
    const name = bytes
      .toString("utf8", at + 46, nameEnd)
      .replaceAll("\\", "/")
      .replace(/^\//, "");
    if ((bytes.readUInt16LE(at + 8) & 1) === 1)
      throw new WorkbookError("it is encrypted: save it without a password");
    if (entries.has(name)) throw new WorkbookError(`it has the part ${name} twice`);
    entries.set(name, {
      method: bytes.readUInt16LE(at + 10),
      crc: bytes.readUInt32LE(at + 16),
      packedBytes: bytes.readUInt32LE(at + 20),
      at: bytes.readUInt32LE(at + 42),
    });
    at = nameEnd + (extraBytes ?? 0) + (noteBytes ?? 0);
  }
  return entries;
}

/** The directory is found from the end, behind which there may be a comment. */
function findEnd(bytes: Buffer): number {
  const lowest = Math.max(0, bytes.length - endBytes - commentBytesMax);
  for (let at = bytes.length - endBytes; at >= lowest; at--)
    if (bytes.readUInt32LE(at) === endOfDirectory) return at;
  throw damaged();
}

function unpack(bytes: Buffer, { at, method, packedBytes }: Entry): AsyncIterable<Buffer> {
  if (at + 30 > bytes.length || bytes.readUInt32LE(at) !== localFile) throw damaged();
  const start = at + 30 + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28);
  if (start + packedBytes > bytes.length) throw damaged();
  const packed = bytes.subarray(start, start + packedBytes);
  if (method === stored) return inPieces(packed);
  if (method !== deflated) throw new WorkbookError("it is packed in a way that is not read: save it again");
  const inflate = createInflateRaw({ chunkSize: pieceBytes });
  // What fails is thrown where it is read.
  pipeline(Readable.from([packed]), inflate, () => undefined);
  return asDamaged(inflate);
}

const stored = 0;
const deflated = 8;
const pieceBytes = 64 * 1024;

/** What is not packed comes in pieces all the same, and others are served by this thread between them. */
async function* inPieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    yield bytes.subarray(at, at + pieceBytes);
    await setImmediate();
  }
}

async function* asDamaged(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* pieces;
  } catch (error) {
    throw String((error as NodeJS.ErrnoException).code).startsWith("Z_") ? damaged() : error;
  }
}

function damaged(): WorkbookError {
  return new WorkbookError("it is cut off or damaged: download it again");
}
