import type { CsvRow } from "../csv-rows.ts";
import { type ByteWriter, writeAmount, writeTime } from "./from-bytes.ts";
import { amountBytes, encoders, type ParquetType } from "./values.ts";

/** One column of the rows that are gathered. */
export interface ColumnBuffer {
  add(row: CsvRow, column: number): void;
  /** About how much is held. */
  bytes(): number;
  /** What was gathered, and begins again. */
  take(): GatheredColumn;
}

export interface GatheredColumn {
  valueCount: number;
  /** 1 where there is a value. */
  present: Uint8Array;
  /** Distinct values, and for each value its place among them; without, the values themselves. */
  dictionary: { pages: Buffer; count: number; places: Int32Array } | null;
  /** One after the other; of texts, how long each is stands beside them. */
  values: Buffer;
  lengths: Int32Array | null;
  /** Whole numbers of eight bytes, amounts of sixteen, or anything else. */
  kind: "int64" | "amount" | "other";
}

/** A column with more distinct values than this gains nothing from a dictionary. */
const distinctMax = 8_192;
/** Where a value that has just been seen is looked for, by a number that is made of its bytes. */
const recentPlaces = 1_024;

const byteWriters: Partial<Record<ParquetType, { write: ByteWriter; bytes: number }>> = {
  amount: { write: writeAmount, bytes: amountBytes },
  time: { write: writeTime, bytes: 8 },
};

/** Holds distinct values once for as long as there are few of them, and the values themselves from then on. */
export function gatherColumn(type: ParquetType): ColumnBuffer {
  if (type === "boolean") return gatherBooleans();
  const encode = encoders[type];
  const isText = type === "text" || type === "long_amount";
  const byteWriter = byteWriters[type];
  let present = new Uint8Array(1_024);
  let count = 0;
  let valueCount = 0;
  /** Of a dictionary, where each value stands in it; without, of a text, how long it is. */
  let places = new Int32Array(1_024);
  let known: Map<string, number> | null = new Map();
  let distinct: Buffer[] = [];
  let distinctBytes = 0;
  /** Values of the dictionary as they are written in CSV, and where one with such bytes was seen last. */
  let spelled: Buffer[] = [];
  const recent = new Int32Array(recentPlaces).fill(-1);
  let last = -1;
  let out = Buffer.allocUnsafeSlow(64 * 1_024);
  let at = 0;

  function append(value: Uint8Array): void {
    reserve(value.length);
    out.set(value, at);
    at += value.length;
  }

  function reserve(more: number): void {
    if (at + more <= out.length) return;
    const larger = Buffer.allocUnsafeSlow((at + more) * 2);
    out.copy(larger, 0, 0, at);
    out = larger;
  }

  /** Too many distinct values: what was noted by its place is written out. */
  function leaveDictionary(): void {
    for (let index = 0; index < valueCount; index++)
      appendValue(distinct[places[index] as number] as Buffer, index);
    known = null;
    distinct = [];
    spelled = [];
  }

  function appendValue(value: Buffer, index: number): void {
    append(isText ? value.subarray(lengthBytes) : value);
    if (isText) places[index] = value.length - lengthBytes;
  }

  function note(place: number): void {
    if (valueCount === places.length) places = grown(places, Int32Array);
    places[valueCount++] = place;
    present[count] = 1;
  }

  /** By its bytes, without a text of its own: most values are one of the last few. */
  function addRecent(bytes: Buffer, from: number, to: number): boolean {
    if (last === -1 || !isSame(spelled[last] as Buffer, bytes, from, to)) {
      const place = recent[slotOf(bytes, from, to)] as number;
      if (place === -1 || !isSame(spelled[place] as Buffer, bytes, from, to)) return false;
      last = place;
    }
    note(last);
    return true;
  }

  function addKnown(bytes: Buffer, from: number, to: number, text: string): void {
    let place = known?.get(text);
    if (place === undefined) {
      const value = encode(text);
      if (value === null) return;
      place = distinct.push(value) - 1;
      spelled.push(Buffer.from(bytes.subarray(from, to)));
      distinctBytes += value.length;
      known?.set(text, place);
    }
    recent[slotOf(bytes, from, to)] = place;
    note(place);
    if (distinct.length > distinctMax) leaveDictionary();
  }

  /** Nothing to look up and, of a text, nothing to change: the bytes go as they are. */
  function addPlain(bytes: Buffer, from: number, to: number, isQuoted: boolean): void {
    if (isText && !isQuoted) {
      reserve(to - from);
      bytes.copy(out, at, from, to);
      at += to - from;
      note(to - from);
      return;
    }
    if (byteWriter !== undefined) {
      reserve(byteWriter.bytes);
      if (byteWriter.write(bytes, from, to, out, at)) {
        at += byteWriter.bytes;
        note(0);
        return;
      }
    }
    const value = encode(textOf(bytes, from, to, isQuoted));
    if (value === null) return;
    note(0);
    appendValue(value, valueCount - 1);
  }

  return {
    add({ bytes, from: starts, to: ends, quoted }, column) {
      const from = starts[column] as number;
      const to = ends[column] as number;
      if (count === present.length) present = grown(present, Uint8Array);
      present[count] = 0;
      if (from !== to || quoted[column] === 1) {
        const isQuoted = quoted[column] === 1 && bytes.subarray(from, to).includes(quote);
        if (known === null) addPlain(bytes, from, to, isQuoted);
        else if (!addRecent(bytes, from, to)) addKnown(bytes, from, to, textOf(bytes, from, to, isQuoted));
      }
      count++;
    },
    bytes: () => at + distinctBytes + valueCount * 4,
    take() {
      const isPlain = known === null;
      const gathered: GatheredColumn = {
        valueCount,
        present: present.slice(0, count),
        dictionary: isPlain
          ? null
          : { pages: Buffer.concat(distinct), count: distinct.length, places: places.slice(0, valueCount) },
        values: Buffer.from(out.subarray(0, at)),
        lengths: isPlain && isText ? places.slice(0, valueCount) : null,
        kind: kindOf(type),
      };
      count = 0;
      valueCount = 0;
      at = 0;
      // A column with many distinct values has them in the next rows as well.
      known = isPlain ? null : new Map();
      distinct = [];
      spelled = [];
      distinctBytes = 0;
      recent.fill(-1);
      last = -1;
      return gathered;
    },
  };
}

function kindOf(type: ParquetType): GatheredColumn["kind"] {
  if (type === "amount") return "amount";
  return type === "time" || type === "integer" ? "int64" : "other";
}

function textOf(bytes: Buffer, from: number, to: number, isQuoted: boolean): string {
  const written = bytes.toString("utf8", from, to);
  return isQuoted ? written.replaceAll('""', '"') : written;
}

function slotOf(bytes: Buffer, from: number, to: number): number {
  let hash = to - from;
  for (let index = from; index < to; index++) hash = (Math.imul(hash, 31) + (bytes[index] as number)) | 0;
  return (hash ^ (hash >>> 10)) & (recentPlaces - 1);
}

function isSame(value: Buffer, bytes: Buffer, from: number, to: number): boolean {
  if (value.length !== to - from) return false;
  for (let index = 0; index < value.length; index++) if (value[index] !== bytes[from + index]) return false;
  return true;
}

/** In front of a text in a dictionary. */
const lengthBytes = 4;
const quote = 0x22;
const letterT = 0x74;

function gatherBooleans(): ColumnBuffer {
  let present: number[] = [];
  let values: number[] = [];
  return {
    add(row, column) {
      const from = row.from[column] as number;
      const isThere = from !== row.to[column];
      present.push(isThere ? 1 : 0);
      if (isThere) values.push(row.bytes[from] === letterT ? 1 : 0);
    },
    bytes: () => present.length,
    take() {
      const gathered: GatheredColumn = {
        valueCount: values.length,
        present: Uint8Array.from(present),
        dictionary: null,
        values: packBits(Uint8Array.from(values)),
        lengths: null,
        kind: "other",
      };
      present = [];
      values = [];
      return gathered;
    },
  };
}

/** One bit each, the lowest first. */
export function packBits(bits: Uint8Array): Buffer {
  const packed = Buffer.alloc(Math.ceil(bits.length / 8));
  for (let index = 0; index < bits.length; index++)
    if (bits[index] === 1) packed[index >> 3] = (packed[index >> 3] as number) | (1 << (index & 7));
  return packed;
}

function grown<T extends Uint8Array | Int32Array>(array: T, make: new (length: number) => T): T {
  const larger = new make(array.length * 2);
  larger.set(array);
  return larger;
}
