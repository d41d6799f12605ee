/**
 * What all records of a transaction share, as bytes, for the last few thousand transactions that were asked for: a
 * transaction has several statuses that are read minutes apart. The bytes lie in one block with fixed places, and are
 * copied by whole places, what follows a part being overwritten by the next one. Thousands of texts that live just long
 * enough to be moved about would cost the garbage collector more than making them again.
 */
export interface PreparedOrders {
  /**
   * The place of a transaction's parts, made when they are not there. What is asked for long after its creation has
   * places of its own: it would push out what the next pages need.
   */
  find(index: number, isOld: boolean): number;
  /** Copies a part to `at` and returns where it ends. There must be room for `partBytesMax` and the key. */
  copy(place: number, part: Part, out: Uint8Array, at: number): number;
}

/** In the order in which they stand in a record. */
export type Part = 0 | 1 | 2 | 3 | 4;
export const untilOutAmount = 0;
export const aboutProvider = 1;
export const untilHash = 2;
export const afterHash = 3;
/** The amount that is stated before delivery. */
export const estimate = 4;
const partCount = 5;

/** No part is longer, the account's key apart. */
export const partBytesMax = 256;

/** Powers of two. A page looks back over some hundred transactions, and several readers walk in different places. */
const recentCount = 8192;
const oldCount = 2048;
const placeCount = recentCount + oldCount;

export function createPreparedOrders(
  keyBytes: number,
  write: (index: number, part: Part, out: Uint8Array, at: number) => number,
): PreparedOrders {
  const bytesEach = partBytesMax + keyBytes;
  const block = new Uint8Array(placeCount * partCount * bytesEach);
  const lengths = new Uint16Array(placeCount * partCount);
  const held = new Float64Array(placeCount).fill(-1);
  const parts = Array.from({ length: placeCount * partCount }, (_, at) =>
    block.subarray(at * bytesEach, (at + 1) * bytesEach),
  );

  function make(index: number, place: number): void {
    for (let part = 0; part < partCount; part++) {
      const at = place * partCount + part;
      const start = at * bytesEach;
      const length = write(index, part as Part, block, start) - start;
      if (length > bytesEach) throw new RangeError("a part of a record is longer than its place");
      lengths[at] = length;
    }
    held[place] = index;
  }

  return {
    find(index, isOld) {
      const place = isOld ? recentCount + (index & (oldCount - 1)) : index & (recentCount - 1);
      if (held[place] !== index) make(index, place);
      return place;
    },
    copy(place, part, out, at) {
      out.set(parts[place * partCount + part] as Uint8Array, at);
      return at + (lengths[place * partCount + part] as number);
    },
  };
}

/** A text without any letter beyond ASCII. */
export function putText(out: Uint8Array, at: number, text: string): number {
  for (let i = 0; i < text.length; i++) out[at + i] = text.charCodeAt(i);
  return at + text.length;
}

export function putBytes(out: Uint8Array, at: number, bytes: Uint8Array): number {
  out.set(bytes, at);
  return at + bytes.length;
}
