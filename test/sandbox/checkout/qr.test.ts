import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { encodeQr, type Modules } from "../../../src/sandbox/checkout/qr/encode.ts";

/** Reads a code as a scanner does, by the tables of ISO/IEC 18004 and none of the encoder's code. */
function readQr(modules: Modules): { text: string; version: number; mask: number; errors: number } {
  const size = modules.length;
  const version = (size - 17) / 4;
  const at = (x: number, y: number) => modules[y]?.[x] ?? 0;
  const mask = readMask(at);
  const isOwn = ownModules(size, version);
  const bits: number[] = [];
  const columns = Array.from({ length: size }, (_, x) => size - 1 - x).filter((x) => x !== 6);
  for (let pair = 0; pair < columns.length; pair += 2) {
    const rows = Array.from({ length: size }, (_, step) => ((pair / 2) % 2 === 0 ? size - 1 - step : step));
    for (const y of rows) {
      for (const x of columns.slice(pair, pair + 2)) {
        if (!isOwn(x, y)) bits.push(at(x, y) ^ (masks[mask]?.(y, x) === 0 ? 1 : 0));
      }
    }
  }
  const bytes = Array.from({ length: Math.floor(bits.length / 8) }, (_, index) =>
    Number.parseInt(bits.slice(index * 8, index * 8 + 8).join(""), 2),
  );
  const blocks = takeApart(bytes, levelM[version - 1] ?? [0, 0, 0, 0]);
  const data = blocks.flatMap(({ data: part }) => part);
  const stream = data.map((byte) => byte.toString(2).padStart(8, "0")).join("");
  expect(stream.slice(0, 4)).toBe("0100");
  const start = version < 10 ? 12 : 20;
  const length = Number.parseInt(stream.slice(4, start), 2);
  const content = Array.from({ length }, (_, index) =>
    Number.parseInt(stream.slice(start + index * 8, start + index * 8 + 8), 2),
  );
  const errors = blocks.filter(
    (block) => !isCodeword([...block.data, ...block.correction], block.correction.length),
  );
  return { text: Buffer.from(content).toString(), version, mask, errors: errors.length };
}

/** Both copies of the format must be the same word of the code, and its level M. */
function readMask(at: (x: number, y: number) => number): number {
  const first = [0, 1, 2, 3, 4, 5, 7, 8]
    .map((x) => at(x, 8))
    .concat([7, 5, 4, 3, 2, 1, 0].map((y) => at(8, y)));
  const found = formatsOfLevelM.indexOf(first.join(""));
  expect(found, `format ${first.join("")}`).toBeGreaterThanOrEqual(0);
  return found;
}

/** The printed table of format words for level M, masks 0 to 7. */
const formatsOfLevelM = [
  "101010000010010",
  "101000100100101",
  "101111001111100",
  "101101101001011",
  "100010111111001",
  "100000011001110",
  "100111110010111",
  "100101010100000",
];

const masks: readonly ((row: number, column: number) => number)[] = [
  (i, j) => (i + j) % 2,
  (i) => i % 2,
  (_, j) => j % 3,
  (i, j) => (i + j) % 3,
  (i, j) => (Math.floor(i / 2) + Math.floor(j / 3)) % 2,
  (i, j) => ((i * j) % 2) + ((i * j) % 3),
  (i, j) => (((i * j) % 3) + ((i * j) % 2)) % 2,
  (i, j) => (((i * j) % 3) + ((i + j) % 2)) % 2,
];

function ownModules(size: number, version: number): (x: number, y: number) => boolean {
  const centres =
    [[], [18], [22], [26], [30], [34], [22, 38], [24, 42], [26, 46], [28, 50]][version - 1] ?? [];
  const all = centres.length === 0 ? [] : [6, ...centres];
  const last = all.at(-1) ?? 0;
  const alignments = all
    .flatMap((x) => all.map((y) => [x, y] as const))
    .filter(([x, y]) => !((x === 6 && (y === 6 || y === last)) || (x === last && y === 6)));
  return (x, y) =>
    x === 6 ||
    y === 6 ||
    (x < 9 && y < 9) ||
    (x >= size - 8 && y < 9) ||
    (x < 9 && y >= size - 8) ||
    (version >= 7 && ((x < 6 && y >= size - 11) || (y < 6 && x >= size - 11))) ||
    alignments.some(([cx, cy]) => Math.abs(x - cx) <= 2 && Math.abs(y - cy) <= 2);
}

/** Level M: correction bytes a block, blocks, data bytes of each, and how many at the end have one more. */
const levelM: readonly (readonly [correction: number, blocks: number, data: number, longer: number])[] = [
  [10, 1, 16, 0],
  [16, 1, 28, 0],
  [26, 1, 44, 0],
  [18, 2, 32, 0],
  [24, 2, 43, 0],
  [16, 4, 27, 0],
  [18, 4, 31, 0],
  [22, 4, 38, 2],
  [22, 5, 36, 2],
  [26, 5, 43, 1],
];

function takeApart(bytes: readonly number[], [correction, count, length, longer]: (typeof levelM)[number]) {
  const blocks = Array.from({ length: count }, () => ({ data: [] as number[], correction: [] as number[] }));
  let next = 0;
  for (let column = 0; column <= length; column++) {
    for (const [index, block] of blocks.entries()) {
      if (column < length || index >= count - longer) block.data.push(bytes[next++] ?? 0);
    }
  }
  for (let column = 0; column < correction; column++) {
    for (const block of blocks) block.correction.push(bytes[next++] ?? 0);
  }
  return blocks;
}

/** A word of the Reed–Solomon code is zero at every root of its generator. */
function isCodeword(word: readonly number[], roots: number): boolean {
  return Array.from({ length: roots }, (_, power) =>
    word.reduce((sum, byte) => times(sum, antilog[power] ?? 0) ^ byte, 0),
  ).every((value) => value === 0);
}

const antilog: number[] = [1];
for (let power = 1; power < 255; power++) {
  const twice = (antilog[power - 1] ?? 0) * 2;
  antilog.push(twice > 255 ? twice ^ 285 : twice);
}

function times(a: number, b: number): number {
  if (a === 0 || b === 0) return 0;
  return antilog[(antilog.indexOf(a) + antilog.indexOf(b)) % 255] ?? 0;
}

describe("a QR code", () => {
  // The largest number of bytes of each version at level M.
  const capacities = [14, 26, 42, 62, 84, 106, 122, 152, 180, 213];
  const textOf = (bytes: number) =>
    Array.from({ length: bytes }, (_, at) => String.fromCharCode(33 + ((at * 7) % 90))).join("");

  test.each(capacities.map((bytes, index) => [index + 1, bytes]))(
    "version %d holds %d bytes and reads back",
    (version, bytes) => {
      const text = textOf(bytes);
      expect(readQr(encodeQr(text))).toMatchObject({ text, version, errors: 0 });
    },
  );

  test.each(capacities.slice(0, -1).map((bytes, index) => [bytes + 1, index + 2]))(
    "%d bytes need version %d",
    (bytes, version) => {
      const text = textOf(bytes);
      expect(readQr(encodeQr(text))).toMatchObject({ text, version, errors: 0 });
    },
  );

  test.each(["", "a", "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", "Grüße, 世界"])(
    "%j reads back",
    (text) => {
      expect(readQr(encodeQr(text))).toMatchObject({ text, errors: 0 });
    },
  );

  test("texts of every kind use different masks, and all of them read back", () => {
    const seen = new Set<number>();
    for (let index = 0; index < 80; index++) {
      const text = createHash("sha256")
        .update(String(index))
        .digest("base64")
        .slice(0, 10 + (index % 34));
      const read = readQr(encodeQr(text));
      expect([read.text, read.errors]).toEqual([text, 0]);
      seen.add(read.mask);
    }
    expect(seen.size).toBeGreaterThan(5);
  });

  test("a wrong module is seen by the reader", () => {
    const modules = encodeQr("spoiled").map((row) => row.slice());
    const row = modules[12];
    if (row) row[12] = (row[12] ?? 0) ^ 1;
    expect(readQr(modules).errors).toBe(1);
  });

  test("both copies of the format agree, and the dark module is dark", () => {
    const modules = encodeQr("format");
    const size = modules.length;
    const at = (x: number, y: number) => modules[y]?.[x] ?? 0;
    const second = [1, 2, 3, 4, 5, 6, 7].map((y) => at(8, size - y));
    const rest = [8, 7, 6, 5, 4, 3, 2, 1].map((x) => at(size - x, 8));
    expect([...second, ...rest].join("")).toBe(formatsOfLevelM[readMask(at)]);
    expect(at(8, size - 8)).toBe(1);
  });

  test("too much text is refused", () => {
    expect(() => encodeQr("x".repeat(214))).toThrow(RangeError);
  });
});
