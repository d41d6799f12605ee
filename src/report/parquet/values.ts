import type { ColumnType } from "../report.ts";

/** Enough for every amount of money there is; one with more is written as a text, and so is its whole column. */
export const decimalPrecision = 38;
export const decimalScale = 18;
export const amountBytes = 16;

export type ParquetType = ColumnType | "long_amount";

/** Of a value: its bytes in a file, by the type of its column. `null`: it has none, such as a time without end. */
export type ValueEncoder = (text: string) => Buffer | null;

export const encoders: Record<Exclude<ParquetType, "boolean">, ValueEncoder> = {
  text: withLength,
  long_amount: withLength,
  amount: (text) => Buffer.from(decimalBytes(text)),
  integer: (text) => int64(BigInt(text)),
  time: (text) => {
    const micros = microsOf(text);
    return micros === null ? null : int64(micros);
  },
  date: (text) => {
    const ms = Date.parse(`${text}T00:00:00Z`);
    if (Number.isNaN(ms)) return null;
    const bytes = Buffer.alloc(4);
    bytes.writeInt32LE(ms / 86_400_000);
    return bytes;
  },
};

function withLength(text: string): Buffer {
  const size = Buffer.byteLength(text);
  const bytes = Buffer.allocUnsafe(4 + size);
  bytes.writeUInt32LE(size);
  bytes.write(text, 4);
  return bytes;
}

function int64(value: bigint): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeBigInt64LE(value);
  return bytes;
}

/** Units of the eighteenth decimal, sixteen bytes, the greatest first. */
function decimalBytes(text: string): Uint8Array {
  const point = text.indexOf(".");
  const decimals = point === -1 ? 0 : text.length - point - 1;
  const digits = point === -1 ? text : text.slice(0, point) + text.slice(point + 1);
  // Zeros behind the eighteenth decimal say nothing.
  const units =
    decimals <= decimalScale
      ? BigInt(digits + "0".repeat(decimalScale - decimals))
      : BigInt(digits.slice(0, decimalScale - decimals));
  const bytes = Buffer.allocUnsafe(amountBytes);
  bytes.writeBigInt64BE(units >> 64n, 0);
  bytes.writeBigUInt64BE(BigInt.asUintN(64, units), 8);
  return bytes;
}

/** Of `2026-10-01T12:00:00.000Z`, with up to six digits after the second. */
function microsOf(text: string): bigint | null {
  const ms = Date.parse(`${text.slice(0, 19)}Z`);
  if (Number.isNaN(ms)) return null;
  const fraction = /\.(\d{1,6})Z$/.exec(text)?.[1] ?? "";
  return BigInt(ms) * 1_000n + BigInt(fraction.padEnd(6, "0"));
}
