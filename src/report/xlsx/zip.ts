import { pipeline, Readable } from "node:stream";
import { constants, crc32, createDeflateRaw } from "node:zlib";

export interface ZipEntry {
  name: string;
  /** Asked for when it is this entry's turn, and read to its end. */
  body: () => Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

interface WrittenEntry {
  name: Buffer;
  crc: number;
  packedBytes: number;
  bytes: number;
  at: number;
}

/** Larger entries need fields of 64 bits, which a reader has to be told of before the size is known. */
const bytesMax = 0xffff_ffff;

/**
 * A zip archive as a stream. The same entries, in the same pieces, give the same bytes: there is no clock in it.
 */
export async function* zip(entries: Iterable<ZipEntry>): AsyncGenerator<Buffer> {
  const written: WrittenEntry[] = [];
  let at = 0;
  for (const { name, body } of entries) {
    const entry: WrittenEntry = { name: Buffer.from(name), crc: 0, packedBytes: 0, bytes: 0, at };
    const header = localHeader(entry);
    at += header.length;
    yield header;
    for await (const chunk of deflated(entry, body())) {
      entry.packedBytes += chunk.length;
      at += chunk.length;
      yield chunk;
    }
    const sizes = Buffer.concat([uint32(dataDescriptor), sizesOf(entry)]);
    at += sizes.length;
    yield sizes;
    written.push(entry);
    if (at > bytesMax) throw new RangeError(`${name}: the archive would be larger than 4 GB`);
  }
  const directory = Buffer.concat(written.map(directoryHeader));
  yield directory;
  yield Buffer.concat([
    uint32(endOfDirectory),
    uint16(0, 0, written.length, written.length),
    uint32(directory.length, at),
    uint16(0),
  ]);
}

/** Level 1: two thirds of the speed of writing, and the markup of a workbook is repetitive enough for it. */
const deflateOptions = { level: constants.Z_BEST_SPEED, chunkSize: 256 * 1024 };

function deflated(entry: WrittenEntry, body: ReturnType<ZipEntry["body"]>): AsyncIterable<Buffer> {
  async function* measured() {
    for await (const chunk of body) {
      entry.crc = crc32(chunk, entry.crc);
      entry.bytes += chunk.length;
      if (entry.bytes > bytesMax)
        throw new RangeError(`${entry.name.toString()} would be larger than 4 GB unpacked`);
      yield chunk;
    }
  }
  const packed = createDeflateRaw(deflateOptions);
  // What fails on the way is thrown where `packed` is read.
  pipeline(Readable.from(measured(), { objectMode: true, highWaterMark: 4 }), packed, () => undefined);
  return packed;
}

const localFile = 0x0403_4b50;
const dataDescriptor = 0x0807_4b50;
const centralFile = 0x0201_4b50;
const endOfDirectory = 0x0605_4b50;
/** Version 2.0; sizes follow the data, names are UTF-8; deflated; midnight of 1 January 1980, the first a zip can say. */
const howPacked = uint16(20, 0x0808, 8, 0, 0x0021);
const notKnownYet = uint32(0, 0, 0);

function localHeader({ name }: WrittenEntry): Buffer {
  return Buffer.concat([uint32(localFile), howPacked, notKnownYet, uint16(name.length, 0), name]);
}

function directoryHeader(entry: WrittenEntry): Buffer {
  const { name, at } = entry;
  return Buffer.concat([
    uint32(centralFile),
    uint16(20),
    howPacked,
    sizesOf(entry),
    uint16(name.length, 0, 0, 0, 0),
    uint32(0, at),
    name,
  ]);
}

function sizesOf({ crc, packedBytes, bytes }: WrittenEntry): Buffer {
  return uint32(crc, packedBytes, bytes);
}

function uint16(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  values.forEach((value, index) => bytes.writeUInt16LE(value, index * 2));
  return bytes;
}

function uint32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => bytes.writeUInt32LE(value, index * 4));
  return bytes;
}
