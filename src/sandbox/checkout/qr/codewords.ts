import { correctionOf } from "./reed-solomon.ts";

/** Versions 1 to 10 at error correction level M: correction bytes of each block, and how many data bytes each has. */
const versions: readonly { readonly correction: number; readonly blocks: readonly number[] }[] = [
  { correction: 10, blocks: [16] },
  { correction: 16, blocks: [28] },
  { correction: 26, blocks: [44] },
  { correction: 18, blocks: [32, 32] },
  { correction: 24, blocks: [43, 43] },
  { correction: 16, blocks: [27, 27, 27, 27] },
  { correction: 18, blocks: [31, 31, 31, 31] },
  { correction: 22, blocks: [38, 38, 39, 39] },
  { correction: 22, blocks: [36, 36, 36, 37, 37] },
  { correction: 26, blocks: [43, 43, 43, 43, 44] },
];

/** The smallest version that holds the text as bytes, and its codewords in the order in which they are drawn. */
export function encodeText(text: string): { version: number; codewords: Uint8Array } {
  const bytes = new TextEncoder().encode(text);
  const at = versions.findIndex(({ blocks }, index) => bytes.length <= capacityOf(blocks, index + 1));
  const found = versions[at];
  if (!found) throw new RangeError(`${bytes.length} bytes do not fit into a QR code of version 10`);
  const version = at + 1;
  return { version, codewords: interleave(dataOf(bytes, version, found.blocks), found) };
}

function capacityOf(blocks: readonly number[], version: number): number {
  return Math.floor((sum(blocks) * 8 - 4 - lengthBits(version)) / 8);
}

/** How many bits say how many bytes there are. */
function lengthBits(version: number): number {
  return version < 10 ? 8 : 16;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/** Mode (0100: bytes), length, the bytes, a terminator of up to four zeros, and padding to the end. */
function dataOf(bytes: Uint8Array, version: number, blocks: readonly number[]): Uint8Array {
  const data = new Uint8Array(sum(blocks));
  let position = 0;
  const put = (value: number, bits: number) => {
    for (let bit = bits - 1; bit >= 0; bit--, position++) {
      data[position >> 3] = (data[position >> 3] ?? 0) | (((value >>> bit) & 1) << (7 - (position & 7)));
    }
  };
  put(0b0100, 4);
  put(bytes.length, lengthBits(version));
  for (const byte of bytes) put(byte, 8);
  const end = Math.ceil(Math.min(position + 4, data.length * 8) / 8);
  for (let at = end; at < data.length; at++) data[at] = (at - end) % 2 === 0 ? 0xec : 0x11;
  return data;
}

/** The first byte of each block, then the second of each, and so on; then the correction bytes in the same way. */
function interleave(
  data: Uint8Array,
  { correction, blocks }: { readonly correction: number; readonly blocks: readonly number[] },
): Uint8Array {
  let start = 0;
  const parts = blocks.map((length) => data.subarray(start, (start += length)));
  const corrections = parts.map((part) => correctionOf(part, correction));
  return Uint8Array.from([...byColumn(parts), ...byColumn(corrections)]);
}

function byColumn(rows: readonly Uint8Array[]): number[] {
  const longest = Math.max(...rows.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) =>
    rows.flatMap((row) => (at < row.length ? [row[at] as number] : [])),
  ).flat();
}
