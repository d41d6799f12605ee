import { promisify } from "node:util";
import { constants, gzip, gzipSync } from "node:zlib";
import { type GatheredColumn, packBits } from "./column.ts";
import { deltaPacked, numbersIn, varint } from "./delta.ts";
import { withoutPrefixes } from "./prefixes.ts";
import { amountBytes } from "./values.ts";
import { encodeStruct, type ThriftStruct } from "./thrift.ts";

const gzipAsync = promisify(gzip);

export interface WrittenChunk {
  bytes: Buffer;
  valueCount: number;
  unpackedBytes: number;
  /** Where the page with the values begins; before it there is the dictionary, where there is one. */
  dataPageAt: number;
  hasDictionary: boolean;
  encodings: readonly number[];
}

const plain = 0;
const rle = 3;
/** The steps from each number to the next. */
const bySteps = 5;
/** Lengths first, then all texts one after the other. */
const byLength = 6;
/** How much each shares with the one before, then the rest of each. */
const byPrefix = 7;
const byDictionary = 8;

/** The pages of a column: its dictionary, and its values with a note of which rows have one. */
export async function writePages(column: GatheredColumn): Promise<WrittenChunk> {
  const { dictionary, present } = column;
  const rows = present.length;
  const dictionaryPage =
    dictionary === null
      ? null
      : await packPage(dictionary.pages, 2, [
          7,
          {
            struct: [
              [1, { i32: dictionary.count }],
              [2, { i32: plain }],
            ],
          },
        ]);
  const { encoding, content } = encodeValues(column);
  const data = Buffer.concat([presence(present), ...content]);
  const dataPage = await packPage(data, 0, [
    5,
    {
      struct: [
        [1, { i32: rows }],
        [2, { i32: encoding }],
        [3, { i32: rle }],
        [4, { i32: rle }],
      ],
    },
  ]);
  const pages = dictionaryPage === null ? [dataPage] : [dictionaryPage, dataPage];
  return {
    bytes: Buffer.concat(pages.map(({ bytes }) => bytes)),
    valueCount: rows,
    unpackedBytes: pages.reduce((sum, { unpackedBytes }) => sum + unpackedBytes, 0),
    dataPageAt: dictionaryPage?.bytes.length ?? 0,
    hasDictionary: dictionaryPage !== null,
    encodings: [...new Set([plain, rle, encoding])],
  };
}

/** In the way that takes the fewest bytes for what they are. */
function encodeValues({ dictionary, values, lengths, kind }: GatheredColumn): {
  encoding: number;
  content: Buffer[];
} {
  if (dictionary !== null)
    return { encoding: byDictionary, content: [placeBytes(dictionary.places, dictionary.count)] };
  const sequence = kind === "amount" ? amountBytes : lengths;
  const rests = sequence === null ? null : withoutPrefixes({ values, lengths: sequence });
  if (rests !== null) return { encoding: byPrefix, content: rests };
  if (lengths !== null) {
    const packed = deltaPacked(lengths);
    if (packed === null) throw new TypeError("lengths of texts are small numbers");
    return { encoding: byLength, content: [packed, values] };
  }
  const numbers = kind === "int64" ? numbersIn(values) : null;
  const steps = numbers === null ? null : deltaPacked(numbers);
  return steps === null ? { encoding: plain, content: [values] } : { encoding: bySteps, content: [steps] };
}

/** On another thread. */
async function packPage(
  content: Buffer,
  type: number,
  header: ThriftStruct[number],
): Promise<{ bytes: Buffer; unpackedBytes: number }> {
  const packed = await gzipAsync(content, packingOf(content));
  const head = encodeStruct([
    [1, { i32: type }],
    [2, { i32: content.length }],
    [3, { i32: packed.length }],
    header,
  ]);
  return { bytes: Buffer.concat([head, packed]), unpackedBytes: head.length + content.length };
}

const quick = { level: constants.Z_BEST_SPEED };
/** Without looking for repetitions but of one byte: of random digits, what looks like one costs more than it saves, in time and in bytes. */
const byLetters = { level: constants.Z_BEST_SPEED, strategy: constants.Z_RLE, memLevel: 9 };
const sampleBytes = 32 * 1024;

/** Ids and hashes have little to gain from more than the lowest level, and many of them from less. The middle tells what the rest is like. */
function packingOf(content: Buffer): typeof quick {
  if (content.length < 4 * sampleBytes) return quick;
  const start = (content.length - sampleBytes) >> 1;
  const sample = content.subarray(start, start + sampleBytes);
  return gzipSync(sample, byLetters).length < gzipSync(sample, quick).length ? byLetters : quick;
}

/** Which rows have a value: one run where all or none have, and a bit each otherwise. */
function presence(present: Uint8Array): Buffer {
  const [first = 1] = present;
  const isUniform = present.every((one) => one === first);
  const runs = isUniform
    ? Buffer.from([...varint(present.length * 2), first])
    : Buffer.concat([Buffer.from(varint(Math.ceil(present.length / 8) * 2 + 1)), packBits(present)]);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(runs.length);
  return Buffer.concat([size, runs]);
}

/** The places of values in the dictionary, in as few bits as its length needs; eight of them at a time. */
function placeBytes(places: Int32Array, distinctCount: number): Buffer {
  const width = Math.max(1, 32 - Math.clz32(Math.max(0, distinctCount - 1)));
  const groups = Math.ceil(places.length / 8);
  const packed = Buffer.alloc(groups * width);
  let held = 0;
  let bits = 0;
  let at = 0;
  for (const place of places) {
    // At most 13 new bits beside 7 that are left over.
    held |= place << bits;
    bits += width;
    for (; bits >= 8; bits -= 8) {
      packed[at++] = held & 0xff;
      held >>>= 8;
    }
  }
  if (bits > 0) packed[at] = held & 0xff;
  return Buffer.concat([Buffer.from([width, ...varint(groups * 2 + 1)]), packed]);
}
