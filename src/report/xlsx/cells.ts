import type { ColumnType } from "../report.ts";
import { dayDigits, dayFraction, serialDay } from "./serial-day.ts";
import { decimalsMax, styles } from "./styles.ts";

/** Bytes on their way out; `at` is how many there are. */
export interface Output {
  bytes: Buffer;
  at: number;
}

/** A cell of CSV: where its text stands, without the quotes around it. */
export interface CsvCell {
  from: number;
  to: number;
  quoted: boolean;
}

/** What a spreadsheet can hold in one cell, and how many digits of a number it keeps. */
const charactersMax = 32_767;
const digitsMax = 15;

/** Writes a cell of that type; `true` when its text was too long for a spreadsheet and had to be cut. */
export function writeCell(out: Output, bytes: Buffer, cell: CsvCell, type: ColumnType | "header"): boolean {
  const { from, to } = cell;
  if (from === to && !cell.quoted) {
    put(out, emptyCell);
    return false;
  }
  if (type === "amount" || type === "integer") {
    const decimals = decimalsOf(bytes, from, to);
    if (decimals === null) return writeText(out, bytes, cell, longNumberOpen);
    return writeValue(out, bytes, cell, numberOpen[decimals] as Buffer);
  }
  if (type === "time" && to - from === millisecondsLength) {
    const day = serialDay(bytes, from);
    if (day !== null) return writeTime(out, day, dayFraction(bytes, from));
  } else if (type === "date" && to - from === dayLength) {
    const day = serialDay(bytes, from);
    if (day !== null) {
      put(out, dateOpen);
      putDigits(out, day, 0);
      put(out, valueClose);
      return false;
    }
  } else if (type === "boolean") {
    put(out, bytes[from] === letterT ? trueCell : falseCell);
    return false;
  }
  return writeText(out, bytes, cell, type === "header" ? headerOpen : textOpen);
}

const letterT = 0x74;
/** `2026-10-01` and `2026-10-01T12:00:00.000Z`. A time with microseconds would be rounded: it stays a text. */
const dayLength = 10;
const millisecondsLength = 24;

const emptyCell = Buffer.from("<c/>");
const trueCell = Buffer.from(`<c t="b"><v>1</v></c>`);
const falseCell = Buffer.from(`<c t="b"><v>0</v></c>`);
const timeOpen = Buffer.from(`<c s="${styles.time}"><v>`);
const dateOpen = Buffer.from(`<c s="${styles.date}"><v>`);
const valueClose = Buffer.from("</v></c>");
const numberOpen = Array.from({ length: decimalsMax + 1 }, (_, decimals) =>
  Buffer.from(`<c s="${styles.number + decimals}"><v>`),
);
const textOpen = inlineOpen(styles.text);
const headerOpen = inlineOpen(styles.header);
const longNumberOpen = inlineOpen(styles.longNumber);
const textClose = Buffer.from("</t></is></c>");

/** With the ends of a text white, a reader must be told to keep them. */
function inlineOpen(style: number): { plain: Buffer; spaced: Buffer } {
  const open = `<c s="${style}" t="inlineStr"><is>`;
  return { plain: Buffer.from(`${open}<t>`), spaced: Buffer.from(`${open}<t xml:space="preserve">`) };
}

/** How many decimals a number shows; `null` when a double would round it, or when it is not a number. */
function decimalsOf(bytes: Buffer, from: number, to: number): number | null {
  let point = -1;
  let digits = 0;
  let first = -1;
  let last = -1;
  for (let at = bytes[from] === minus ? from + 1 : from; at < to; at++) {
    const byte = bytes[at] as number;
    if (byte === dot && point === -1) point = at;
    else if (byte < digitZero || byte > digitNine) return null;
    else {
      if (byte !== digitZero) {
        if (first === -1) first = digits;
        last = digits;
      }
      digits++;
    }
  }
  const decimals = point === -1 ? 0 : to - point - 1;
  return digits === 0 || last - first >= digitsMax || decimals > decimalsMax ? null : decimals;
}

const minus = 0x2d;
const dot = 0x2e;
const digitZero = 0x30;
const digitNine = 0x39;

function writeValue(out: Output, bytes: Buffer, { from, to }: CsvCell, open: Buffer): false {
  put(out, open);
  reserve(out, to - from);
  const target = out.bytes;
  let end = out.at;
  for (let at = from; at < to; at++) target[end++] = bytes[at] as number;
  out.at = end;
  put(out, valueClose);
  return false;
}

function writeTime(out: Output, day: number, fraction: number): false {
  put(out, timeOpen);
  putDigits(out, day, 0);
  if (fraction > 0) {
    reserve(out, 1);
    out.bytes[out.at++] = dot;
    putDigits(out, fraction, dayDigits);
  }
  put(out, valueClose);
  return false;
}

/** A whole number, with zeros in front up to that length. */
function putDigits(out: Output, value: number, length: number): void {
  let count = 1;
  for (let rest = value; rest >= 10; rest = Math.floor(rest / 10)) count++;
  count = Math.max(count, length);
  reserve(out, count);
  let rest = value;
  for (let place = out.at + count - 1; place >= out.at; place--) {
    const next = Math.floor(rest / 10);
    out.bytes[place] = digitZero + (rest - next * 10);
    rest = next;
  }
  out.at += count;
}

function writeText(
  out: Output,
  bytes: Buffer,
  cell: CsvCell,
  open: { plain: Buffer; spaced: Buffer },
): boolean {
  const { from, to } = cell;
  if (to - from > charactersMax) {
    const text = bytes.toString("utf8", from, to);
    const whole = cell.quoted ? text.replaceAll('""', '"') : text;
    if (whole.length > charactersMax) {
      const kept = Buffer.from(`${whole.slice(0, charactersMax - 1).replace(halfPair, "")}…`);
      writeShortText(out, kept, { from: 0, to: kept.length, quoted: false }, open);
      return true;
    }
  }
  writeShortText(out, bytes, cell, open);
  return false;
}

/** The first half of a character that was cut in two. */
const halfPair = /[\uD800-\uDBFF]$/;

function writeShortText(
  out: Output,
  bytes: Buffer,
  { from, to, quoted }: CsvCell,
  open: { plain: Buffer; spaced: Buffer },
): void {
  const spaced = (bytes[from] as number) <= space || (bytes[to - 1] as number) <= space;
  put(out, to > from && spaced ? open.spaced : open.plain);
  reserve(out, (to - from) * longestEscape);
  const target = out.bytes;
  let end = out.at;
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number;
    if (isPlain[byte] === 1) target[end++] = byte;
    else {
      const escape = escapeAt(bytes, at);
      if (escape === null) target[end++] = byte;
      else {
        end += target.write(escape.text, end, "latin1");
        at += escape.length - 1;
      }
      // A quote in a quoted text stands twice.
      if (byte === quote && quoted) at++;
    }
  }
  out.at = end;
  put(out, textClose);
}

const space = 0x20;
const quote = 0x22;
const underscore = 0x5f;
const longestEscape = "_x0000_".length;
const isPlain = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= space && !'"&<>_'.includes(String.fromCharCode(byte)) && byte !== 0xef ? 1 : 0,
);

/** What stands for the character at that place, where it cannot stand for itself; `null` where it can. */
function escapeAt(bytes: Buffer, at: number): { text: string; length: number } | null {
  const byte = bytes[at] as number;
  if (byte === quote || byte === 0x09 || byte === 0x0a) return null;
  if (byte === 0x26) return { text: "&amp;", length: 1 };
  if (byte === 0x3c) return { text: "&lt;", length: 1 };
  if (byte === 0x3e) return { text: "&gt;", length: 1 };
  // XML has no control characters; spreadsheets write them so, and so a text that looks like one is escaped as well.
  if (byte < space) return { text: `_x00${byte.toString(16).padStart(2, "0").toUpperCase()}_`, length: 1 };
  if (byte === underscore)
    return /^_x[0-9A-Fa-f]{4}_$/.test(bytes.toString("latin1", at, at + longestEscape))
      ? { text: "_x005F_", length: 1 }
      : null;
  // U+FFFE and U+FFFF.
  const isForbidden = bytes[at + 1] === 0xbf && (bytes[at + 2] as number) >= 0xbe;
  return isForbidden ? { text: bytes[at + 2] === 0xbe ? "_xFFFE_" : "_xFFFF_", length: 3 } : null;
}

export function put(out: Output, piece: Uint8Array): void {
  reserve(out, piece.length);
  out.bytes.set(piece, out.at);
  out.at += piece.length;
}

function reserve(out: Output, more: number): void {
  if (out.at + more <= out.bytes.length) return;
  const larger = Buffer.allocUnsafeSlow((out.at + more) * 2);
  out.bytes.copy(larger, 0, 0, out.at);
  out.bytes = larger;
}
