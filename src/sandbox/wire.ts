import { LosslessNumber, isLosslessNumber, parse, stringify } from "lossless-json";
import { parseDecimal, type Decimal } from "../core/decimal.ts";

/** An amount that is to be a number on the wire, with exactly these digits. */
export function exactNumber(amount: Decimal): LosslessNumber {
  return new LosslessNumber(amount);
}

/** JSON in which exact numbers keep their digits. */
export function writeJson(value: unknown): string {
  return stringify(value) ?? "null";
}

/** The opposite: numbers stay as their digits. Throws a `SyntaxError` on anything that is not JSON. */
export function readJson(text: string): unknown {
  // If a key is repeated, its last value counts, as in `JSON.parse`.
  return parse(text, null, { onDuplicateKey: ({ newValue }) => newValue });
}

/** A number read by `readJson`, or one that the program made; `null` for anything else. */
export function decimalOf(value: unknown): Decimal | null {
  if (isLosslessNumber(value)) return parseDecimal(value.value);
  if (typeof value === "number") return parseDecimal(String(value));
  return null;
}
