import { deltaPacked } from "./delta.ts";

/** Values one after the other: how long each is, or all of them where they are equally long. */
export interface Sequence {
  values: Buffer;
  lengths: Int32Array | number;
}

/** Values that follow each other share at least this much more than all do, or noting how much costs more than it saves. */
const sharedLeast = 1.5;

/**
 * As Parquet's DELTA_BYTE_ARRAY: of each value only what differs from the one before. Where neighbours are closely related, such
 * as ids in their order, that is everything they share; otherwise only what all of them begin with, such as `0x`, for then
 * the numbers are all the same and take no room. `null` where they share nothing: they are written out as they are.
 */
export function withoutPrefixes({ values, lengths }: Sequence): Buffer[] | null {
  const ends = endsOf(values, lengths);
  const count = ends.length;
  if (count < 2) return null;
  const shared = new Int32Array(count);
  let least = Infinity;
  let sum = 0;
  for (let index = 1; index < count; index++) {
    const length = sharedWithOneBefore(values, ends, index);
    shared[index] = length;
    sum += length;
    if (length < least) least = length;
  }
  const isClose = sum / (count - 1) - least >= sharedLeast;
  if (!isClose && least === 0) return null;
  if (!isClose) shared.fill(least, 1);
  return pack(values, ends, shared);
}

function endsOf(values: Buffer, lengths: Int32Array | number): Int32Array {
  if (typeof lengths === "number")
    return Int32Array.from({ length: values.length / lengths }, (_, index) => (index + 1) * lengths);
  const ends = new Int32Array(lengths.length);
  let end = 0;
  for (let index = 0; index < ends.length; index++) ends[index] = end += lengths[index] as number;
  return ends;
}

function sharedWithOneBefore(values: Buffer, ends: Int32Array, index: number): number {
  const start = ends[index - 1] as number;
  const before = index === 1 ? 0 : (ends[index - 2] as number);
  const most = Math.min(start - before, (ends[index] as number) - start);
  let length = 0;
  while (length < most && values[before + length] === values[start + length]) length++;
  return length;
}

function pack(values: Buffer, ends: Int32Array, shared: Int32Array): Buffer[] | null {
  const rests = Buffer.from(values);
  const restLengths = new Int32Array(ends.length);
  let at = 0;
  for (let index = 0; index < ends.length; index++) {
    const end = ends[index] as number;
    const start = (index === 0 ? 0 : (ends[index - 1] as number)) + (shared[index] as number);
    restLengths[index] = end - start;
    rests.copyWithin(at, start, end);
    at += end - start;
  }
  const [prefixes, lengths] = [deltaPacked(shared), deltaPacked(restLengths)];
  return prefixes === null || lengths === null ? null : [prefixes, lengths, rests.subarray(0, at)];
}
