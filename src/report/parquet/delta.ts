/** Whole numbers that stay close to each other, such as lengths: the steps between them, in as few bits as a block of them needs. */
const blockValues = 128;
const blockParts = 4;
const partValues = blockValues / blockParts;

/** Up to here a number and its sign fit into what is exact. */
const exactMax = 2 ** 52;
/** Beside seven bits that are left over. */
const widthMax = 45;

/** As Parquet's DELTA_BINARY_PACKED; `null` where numbers or steps are too large to be written exactly. */
export function deltaPacked(values: Int32Array | Float64Array): Buffer | null {
  if (Math.abs(values[0] ?? 0) >= exactMax) return null;
  const bytes: number[] = [
    ...varint(blockValues),
    ...varint(blockParts),
    ...varint(values.length),
    ...zigzag(values[0] ?? 0),
  ];
  const steps = new Float64Array(blockValues);
  for (let start = 1; start < values.length; start += blockValues) {
    const count = Math.min(blockValues, values.length - start);
    let least = Infinity;
    for (let index = 0; index < count; index++) {
      const step = (values[start + index] as number) - (values[start + index - 1] as number);
      steps[index] = step;
      if (step < least) least = step;
    }
    if (Math.abs(least) >= exactMax) return null;
    bytes.push(...zigzag(least));
    const widths: number[] = [];
    const packed: number[] = [];
    for (let from = 0; from < blockValues; from += partValues) {
      // Parts behind the last value take no bits.
      const width = from < count ? widthOf(steps, least, from, Math.min(from + partValues, count)) : 0;
      if (width > widthMax) return null;
      widths.push(width);
      if (width > 0) pack(packed, steps, { least, from, count, width });
    }
    bytes.push(...widths, ...packed);
  }
  return Buffer.from(bytes);
}

function widthOf(steps: Float64Array, least: number, from: number, to: number): number {
  let most = 0;
  for (let index = from; index < to; index++) most = Math.max(most, (steps[index] as number) - least);
  let width = 0;
  for (; most >= 1; most /= 2) width++;
  return width;
}

/** One part, the lowest bit first; what it has no value for is 0. */
function pack(
  packed: number[],
  steps: Float64Array,
  { least, from, count, width }: { least: number; from: number; count: number; width: number },
): void {
  let held = 0;
  let bits = 0;
  for (let index = from; index < from + partValues; index++) {
    // More bits than operators for bits take, and no more than are exact.
    held += (index < count ? (steps[index] as number) - least : 0) * 2 ** bits;
    for (bits += width; bits >= 8; bits -= 8) {
      packed.push(held % 256);
      held = Math.floor(held / 256);
    }
  }
}

/** Of eight bytes each, the least first; `null` where one is negative or too large. */
export function numbersIn(values: Buffer): Float64Array | null {
  const numbers = new Float64Array(values.length / 8);
  for (let index = 0; index < numbers.length; index++) {
    const high = values.readUInt32LE(index * 8 + 4);
    if (high >= exactMax / 2 ** 32) return null;
    numbers[index] = high * 2 ** 32 + values.readUInt32LE(index * 8);
  }
  return numbers;
}

export function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return [...bytes, rest];
}

function zigzag(value: number): number[] {
  return varint(value >= 0 ? value * 2 : -value * 2 - 1);
}
