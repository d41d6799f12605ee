import { decimalScale } from "./values.ts";

/**
 * Values that are read from the bytes of a cell and written into the bytes of a file, without a text between the two: a
 * column with many distinct values is mostly this. What is written in another way than Postgres usually does is left alone.
 */
export type ByteWriter = (cell: Buffer, from: number, to: number, out: Buffer, at: number) => boolean;

const digitZero = 0x30;
const digitNine = 0x39;
const point = 0x2e;
const minus = 0x2d;
const letterZ = 0x5a;

/** Six digits at a time: a part of 32 bits times a million is still exact. */
const digitsAtOnce = 6;
const powers = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000];
const partSize = 2 ** 32;
/** 38 digits of a decimal, and no more, so that what is too long fails where it always did. */
const digitsMax = 38;

/** Units of the eighteenth decimal, sixteen bytes, the greatest first. */
export const writeAmount: ByteWriter = (cell, from, to, out, at) => {
  const isNegative = cell[from] === minus;
  let [p0, p1, p2, p3] = [0, 0, 0, 0];
  let held = 0;
  let digits = 0;
  let heldDigits = 0;
  let decimals = -1;

  const take = (digit: number): void => {
    held = held * 10 + digit;
    if (++heldDigits === digitsAtOnce) flush();
  };
  const flush = (): void => {
    const factor = powers[heldDigits] as number;
    let carry = p0 * factor + held;
    p0 = carry % partSize;
    carry = p1 * factor + Math.floor(carry / partSize);
    p1 = carry % partSize;
    carry = p2 * factor + Math.floor(carry / partSize);
    p2 = carry % partSize;
    p3 = p3 * factor + Math.floor(carry / partSize);
    held = 0;
    heldDigits = 0;
  };

  for (let index = isNegative ? from + 1 : from; index < to; index++) {
    const byte = cell[index] as number;
    if (byte === point && decimals === -1) decimals = 0;
    else if (byte >= digitZero && byte <= digitNine) {
      take(byte - digitZero);
      digits++;
      if (decimals >= 0) decimals++;
    } else return false;
  }
  const missing = decimalScale - Math.max(0, decimals);
  if (digits === 0 || missing < 0 || digits + missing > digitsMax) return false;
  for (let index = 0; index < missing; index++) take(0);
  flush();
  if (isNegative) {
    // The complement, and one more.
    let carry = 1;
    const complement = (part: number): number => {
      const sum = partSize - 1 - part + carry;
      carry = sum === partSize ? 1 : 0;
      return sum % partSize;
    };
    p0 = complement(p0);
    p1 = complement(p1);
    p2 = complement(p2);
    p3 = complement(p3);
  }
  out.writeUInt32BE(p3, at);
  out.writeUInt32BE(p2, at + 4);
  out.writeUInt32BE(p1, at + 8);
  out.writeUInt32BE(p0, at + 12);
  return true;
};

/** Of `2026-10-01T12:00:00.000Z`: microseconds since 1970, eight bytes, the least first. */
export const writeTime: ByteWriter = (cell, from, to, out, at) => {
  // Years that four digits tell and a number of 53 bits holds as microseconds.
  const year = number(cell, from, 4);
  if (!(year >= 1970 && year < 2250) || cell[to - 1] !== letterZ || to - from < 20) return false;
  const month = number(cell, from + 5, 2);
  const day = number(cell, from + 8, 2);
  const seconds =
    number(cell, from + 11, 2) * 3_600 + number(cell, from + 14, 2) * 60 + number(cell, from + 17, 2);
  const fractionDigits = to - from - 21;
  let micros = 0;
  if (fractionDigits > 0) {
    if (cell[from + 19] !== point || fractionDigits > 6) return false;
    micros = number(cell, from + 20, fractionDigits) * (powers[6 - fractionDigits] as number);
  } else if (to - from !== 20) return false;
  const total = (dayNumber(year, month, day) * 86_400 + seconds) * 1_000_000 + micros;
  if (!(total >= 0)) return false;
  out.writeUInt32LE(total % partSize, at);
  out.writeUInt32LE(Math.floor(total / partSize), at + 4);
  return true;
};

/** NaN where there is something else than digits. */
function number(cell: Buffer, from: number, digits: number): number {
  let value = 0;
  for (let index = from; index < from + digits; index++) {
    const byte = cell[index] as number;
    if (!(byte >= digitZero && byte <= digitNine)) return Number.NaN;
    value = value * 10 + byte - digitZero;
  }
  return value;
}

const daysBefore = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];

/** Days since 1970 of a day in the Gregorian calendar. */
function dayNumber(year: number, month: number, day: number): number {
  const before = year - 1;
  const leapDays = (to: number) => Math.floor(to / 4) - Math.floor(to / 100) + Math.floor(to / 400);
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const inYear = (daysBefore[month - 1] ?? Number.NaN) + (isLeap && month > 2 ? 1 : 0) + day - 1;
  return (year - 1970) * 365 + leapDays(before) - leapDays(1969) + inYear;
}
