/**
 * JSON whose numbers keep the digits they were sent with. On Node 20 a `JSON.parse` reviver cannot see those digits;
 * but a double keeps any literal of up to 15 significant digits, so `JSON.parse` is exact for those, and only texts
 * with longer ones take the slower parser. Either way a longer literal is a `LosslessNumber`, a shorter a number.
 */
import { isLosslessNumber, LosslessNumber, parse, stringify } from "lossless-json";
import { type Decimal, decimalDigitsMax, parseDecimal } from "../core/decimal.ts";
import { cutNesting } from "./nesting.ts";

/** Throws a `SyntaxError` when the text is not JSON. What is nested too deep is replaced by `tooDeep`. */
export function parseExactJson(text: string): unknown {
  const shallow = cutNesting(text);
  if (!mayRound.test(shallow)) return JSON.parse(shallow);
  // Of a repeated key the last value counts, as in `JSON.parse`: the page must not depend on which parser read it.
  return parse(shallow, null, { parseNumber, onDuplicateKey: ({ newValue }) => newValue });
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

function parseNumber(literal: string): number | LosslessNumber {
  return mayRound.test(literal) ? new LosslessNumber(literal) : Number(literal);
}
