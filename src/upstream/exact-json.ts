/**
 * JSON whose numbers keep the digits they were sent with. On Node 20 a `JSON.parse` reviver cannot see those digits;
 * but a double keeps any literal of up to 15 significant digits, so `JSON.parse` is exact for those. A longer literal is
 * put into a marked object before parsing, and taken out of it afterwards as a `LosslessNumber`: four times as quick as a
 * parser written in JavaScript.
 */
import { isLosslessNumber, LosslessNumber, parse, stringify } from "lossless-json";
import { type Decimal, decimalDigitsMax, parseDecimal } from "../core/decimal.ts";
import { cutNesting } from "./nesting.ts";

/** Throws a `SyntaxError` when the text is not JSON. What is nested too deep is replaced by `tooDeep`. */
export function parseExactJson(text: string): unknown {
  const shallow = cutNesting(text);
  if (!mayRound.test(shallow)) return JSON.parse(shallow);
  // Our marker never occurs by chance; if it does occur, every number takes the slow path.
  if (shallow.includes(markAsSent)) return parseSlowly(shallow);
  return unmark(JSON.parse(shallow.replace(stringOrNumber, markIfLong)));
}

/** The JSON text of what `parseExactJson` returned, digits included. */
export function writeExactJson(value: unknown): string {
  return stringify(value) ?? "null";
}

/** An amount as it stood on the wire, as a number or as a text; `null` when it is neither. */
export function decimalFromWire(value: unknown): Decimal | null {
  const literal = typeof value === "string" ? value : numberText(value);
  const parsed = literal === null ? null : parseDecimal(literal);
  // An exponent can unfold to more digits than could be read back from where we store them.
  return parsed !== null && parsed.length <= decimalDigitsMax ? parsed : null;
}

/** The digits of a number on the wire; `null` for anything else. */
export function numberText(value: unknown): string | null {
  if (typeof value === "number") return String(value);
  return isLosslessNumber(value) ? value.value : null;
}

// 16 characters of digits and point may exceed 15 digits; a three-digit exponent may overflow. A match inside a
// string costs some time; a missed number would cost money.
const mayRound = /(?:^|[[,:\s])-?(?:[\d.]{16}|[\d.]+[eE][+-]?\d{3})/;

const markAsSent = String.raw`\u0000exact`;
const mark = "\u0000exact";
const stringOrNumber = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]{15,}|-?\d[\d.]*[eE][+-]?\d{3,}/gs;
const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** A text that is not a number stays as it is, for the parser to refuse. */
function markIfLong(token: string): string {
  if (token.startsWith('"') || !jsonNumber.test(token) || !mayRound.test(token)) return token;
  return `{"${markAsSent}":"${token}"}`;
}

function unmark(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const literal = (value as Record<string, unknown>)[mark];
  if (typeof literal === "string") return new LosslessNumber(literal);
  const holder = value as Record<string, unknown>;
  for (const key of Object.keys(holder)) {
    const inner = holder[key];
    if (typeof inner === "object" && inner !== null) holder[key] = unmark(inner);
  }
  return holder;
}

function parseSlowly(text: string): unknown {
  // Of a repeated key the last value counts, as in `JSON.parse`: the page must not depend on which parser read it.
  return parse(text, null, { parseNumber, onDuplicateKey: ({ newValue }) => newValue });
}

function parseNumber(literal: string): number | LosslessNumber {
  return mayRound.test(literal) ? new LosslessNumber(literal) : Number(literal);
}
