/**
 * A guard against bodies nested thousands of levels deep, which would exhaust the stack or the memory of a parser.
 * It works on the text, before anything is parsed, in one pass and without recursion.
 */
import { isLosslessNumber } from "lossless-json";

/** Levels inside one record: more than any record has, and far below what any parser minds. */
export const nestingMax = 32;

/** Stands where something was nested too deep. It holds a NUL, which no storable text does. */
export const tooDeep = "\u0000nested too deep";

// A page puts its records two levels down: an object, and in it an array.
const levelsKept = nestingMax + 2;

/** The same text, with each array or object below the kept levels replaced by the string `tooDeep`. */
export function cutNesting(text: string): string {
  let kept = "";
  let keptUpTo = 0;
  let level = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = endOfString(text, at);
        break;
      case openBrace:
      case openBracket:
        if (++level === levelsKept + 1) kept += text.slice(keptUpTo, at);
        break;
      case closeBrace:
      case closeBracket:
        if (level-- === levelsKept + 1) {
          kept += JSON.stringify(tooDeep);
          keptUpTo = at + 1;
        }
        break;
    }
  }
  if (level > levelsKept) return kept;
  return keptUpTo === 0 ? text : kept + text.slice(keptUpTo);
}

/** Whether something in this value was cut, or is deeper than a record may be. */
export function isTooDeep(value: unknown, levelsLeft = nestingMax): boolean {
  if (value === tooDeep) return true;
  if (typeof value !== "object" || value === null || isLosslessNumber(value)) return false;
  if (levelsLeft === 0) return true;
  return Object.values(value).some((inner) => isTooDeep(inner, levelsLeft - 1));
}

const quote = 0x22;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Position of the quote that ends the string begun at `from`; the end of the text when none does. */
function endOfString(text: string, from: number): number {
  let end = text.indexOf('"', from + 1);
  while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(at - 1 - slashes) === backslash) slashes++;
  return slashes % 2 === 1;
}
