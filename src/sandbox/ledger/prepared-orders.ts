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
  givenOf(place: number): bigint;
  // These copy to `at` and return where it ends. There must be room for a whole place.
  /** Up to the status, with the amount that is stated before delivery. */
  untilStatus(place: number, out: Uint8Array, at: number): number;
  /** The same with another amount. */
  untilStatusWith(amount: string, place: number, out: Uint8Array, at: number): number;
  /** Up to the provider. */
  untilProvider(place: number, out: Uint8Array, at: number): number;
  /** From the date to the end, without a hash. */
  afterDate(place: number, out: Uint8Array, at: number): number;
  untilHash(place: number, out: Uint8Array, at: number): number;
  afterHash(place: number, out: Uint8Array, at: number): number;
}

/** Writes the parts of one order. They are made in the order in which they stand in a record. */
export interface OrderWriter<Order extends { readonly given: bigint }> {
  open(index: number): Order;
  write(order: Order, part: Part, out: Uint8Array, at: number): number;
}

export type Part = "untilOutAmount" | "estimate" | "aboutProvider" | "untilHash" | "afterHash";

/** What stands before the status, the account's key apart: some 200 bytes, and 320 with the longest names and amounts. */
const headBytesMax = 384;
/** What stands after the date, the hash apart: some 150 bytes, and 215 with the longest address. */
const endBytesMax = 256;
/** A place is copied as a whole, so a record needs room for one behind its own end. */
export const placeBytesMax = headBytesMax;

/** Powers of two. A page looks back over some hundred transactions, and several readers walk in different places. */
const recentCount = 8192;
const oldCount = 2048;
const placeCount = recentCount + oldCount;

export function createPreparedOrders<Order extends { readonly given: bigint }>(
  keyBytes: number,
  writer: OrderWriter<Order>,
): PreparedOrders {
  // What most records need together stands together. Short places: copying is most of what a record costs.
  const heads = createPlaces(headBytesMax + keyBytes);
  const ends = createPlaces(endBytesMax);
  const hashAt = new Uint16Array(placeCount);
  const amountAt = new Uint16Array(placeCount);
  const providerAt = new Uint16Array(placeCount);
  const givens = Array.from({ length: placeCount }, () => 0n);
  const held = new Float64Array(placeCount).fill(-1);

  function make(index: number, place: number): void {
    const order = writer.open(index);
    const start = place * heads.bytesEach;
    const amount = writer.write(order, "untilOutAmount", heads.block, start);
    const provider = writer.write(order, "estimate", heads.block, amount);
    heads.close(place, writer.write(order, "aboutProvider", heads.block, provider));
    amountAt[place] = amount - start;
    providerAt[place] = provider - start;
    const hash = writer.write(order, "untilHash", ends.block, place * ends.bytesEach);
    ends.close(place, writer.write(order, "afterHash", ends.block, hash));
    hashAt[place] = hash - place * ends.bytesEach;
    givens[place] = order.given;
    held[place] = index;
  }

  return {
    find(index, isOld) {
      const place = isOld ? recentCount + (index & (oldCount - 1)) : index & (recentCount - 1);
      if (held[place] !== index) make(index, place);
      return place;
    },
    givenOf: (place) => givens[place] as bigint,
    untilStatus: heads.copy,
    untilStatusWith(amount, place, out, at) {
      const end = heads.copy(place, out, at);
      const start = at + (amountAt[place] as number);
      out.copyWithin(start + amount.length, at + (providerAt[place] as number), end);
      putText(out, start, amount);
      return end + amount.length - ((providerAt[place] as number) - (amountAt[place] as number));
    },
    untilProvider(place, out, at) {
      heads.copy(place, out, at);
      return at + (providerAt[place] as number);
    },
    afterDate: ends.copy,
    untilHash(place, out, at) {
      ends.copy(place, out, at);
      return at + (hashAt[place] as number);
    },
    afterHash(place, out, at) {
      const from = place * ends.bytesEach + (hashAt[place] as number);
      const length = ends.lengthOf(place) - (hashAt[place] as number);
      for (let i = 0; i < length; i++) out[at + i] = ends.block[from + i] as number;
      return at + length;
    },
  };
}

function createPlaces(bytesEach: number) {
  const block = new Uint8Array(placeCount * bytesEach);
  const lengths = new Uint16Array(placeCount);
  const views = Array.from({ length: placeCount }, (_, place) =>
    block.subarray(place * bytesEach, (place + 1) * bytesEach),
  );
  return {
    block,
    bytesEach,
    close(place: number, end: number): void {
      const length = end - place * bytesEach;
      if (length > bytesEach) throw new RangeError("a part of a record is longer than its place");
      lengths[place] = length;
    },
    lengthOf: (place: number): number => lengths[place] as number,
    copy: (place: number, out: Uint8Array, at: number): number => {
      out.set(views[place] as Uint8Array, at);
      return at + (lengths[place] as number);
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
