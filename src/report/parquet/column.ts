import type { CsvRow } from "../csv-rows.ts";
import { encoders, type ParquetType, type ValueEncoder } from "./values.ts";

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
  values: Buffer;
}

/** A column with more distinct values than this gains nothing from a dictionary. */
const distinctMax = 8_192;

/** Holds distinct values once for as long as there are few of them, and the values themselves from then on. */
export function gatherColumn(type: ParquetType): ColumnBuffer {
  if (type === "boolean") return gatherBooleans();
  const encode = encoders[type];
  const isText = type === "text" || type === "long_amount";
  let present = new Uint8Array(1_024);
  let count = 0;
  let valueCount = 0;
  let places = new Int32Array(1_024);
  let known: Map<string, number> | null = new Map();
  let distinct: Buffer[] = [];
  let distinctBytes = 0;
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
    for (let index = 0; index < valueCount; index++) append(distinct[places[index] as number] as Buffer);
    known = null;
    distinct = [];
  }

  function addKnown(text: string, to: ValueEncoder): boolean {
    if (known === null) return false;
    let place = known.get(text);
    if (place === undefined) {
      const value = to(text);
      if (value === null) return true;
      place = distinct.push(value) - 1;
      distinctBytes += value.length;
      known.set(text, place);
    }
    if (valueCount === places.length) places = grown(places, Int32Array);
    places[valueCount++] = place;
    present[count] = 1;
    if (distinct.length > distinctMax) leaveDictionary();
    return true;
  }

  return {
    add(row, column) {
      const from = row.from[column] as number;
      const to = row.to[column] as number;
      if (count === present.length) present = grown(present, Uint8Array);
      present[count] = 0;
      if (from !== to || row.quoted[column] === 1) {
        const isQuoted = row.quoted[column] === 1 && row.bytes.subarray(from, to).includes(quote);
        if (known === null && isText && !isQuoted) {
          // Nothing to look up and nothing to change: the bytes go as they are.
          reserve(4 + to - from);
          out.writeUInt32LE(to - from, at);
          row.bytes.copy(out, at + 4, from, to);
          at += 4 + to - from;
          valueCount++;
          present[count] = 1;
        } else {
          const written = row.bytes.toString("utf8", from, to);
          const text = isQuoted ? written.replaceAll('""', '"') : written;
          if (!addKnown(text, encode)) {
            const value = encode(text);
            if (value !== null) {
              append(value);
              valueCount++;
              present[count] = 1;
            }
          }
        }
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
      };
      count = 0;
      valueCount = 0;
      at = 0;
      // A column with many distinct values has them in the next rows as well.
      known = isPlain ? null : new Map();
      distinct = [];
      distinctBytes = 0;
      return gathered;
    },
  };
}

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
