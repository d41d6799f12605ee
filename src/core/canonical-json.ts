/**
 * One text for every JSON value, in any program: no white space, keys sorted by UTF-16 code units, strings escaped
 * as in RFC 8785, and every number as a canonical decimal (`decimal.ts`), so that `1.0`, `1.00` and `1e0` are `1`
 * and no digit is lost. Of a repeated key the last value counts.
 */
import { decimalDigitsMax, parseDecimal } from "./decimal.ts";

export type CanonicalJson = string & { readonly brand: "canonical-json" };

export const emptyObject = "{}" as CanonicalJson;

/** `null` when the text is not JSON, or holds a number with more digits than a decimal may have. */
export function canonicaliseJson(text: string): CanonicalJson | null {
  let representable = true;
  // Every string and number becomes a marked string before parsing: then no number ever passes through a float, and
  // no key can be `__proto__`. Text that is not JSON stays so, because each token is replaced by one token.
  const marked = text.replace(stringOrNumber, (token) => {
    if (token.startsWith('"')) return `"${textMark}${token.slice(1)}`;
    const parsed = jsonNumber.test(token) ? parseDecimal(token) : null;
    // An exponent can unfold to more digits than are read back: such a number would have no form of its own.
    representable &&= parsed !== null && parsed.length <= decimalDigitsMax;
    return `"${numberMark}${parsed}"`;
  });
  if (!representable) return null;
  try {
    return write(JSON.parse(marked)) as CanonicalJson;
  } catch (error) {
    // Nesting so deep that the stack ends is refused like any other text that we cannot read.
    if (error instanceof SyntaxError || error instanceof RangeError) return null;
    throw error;
  }
}

/** A string as it stands in canonical JSON. */
export function canonicalString(text: string): string {
  return JSON.stringify(text);
}

const textMark = "t";
const numberMark = "n";
// A number takes all that could belong to it, so that `1.2.3` is one bad token rather than two good ones.
const stringOrNumber = /"(?:[^"\\]|\\.)*"|[-+.\d][-+.\deE]*/gs;
const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function write(marked: unknown): string {
  if (typeof marked === "string") {
    return marked.startsWith(numberMark) ? marked.slice(1) : canonicalString(marked.slice(1));
  }
  if (Array.isArray(marked)) return `[${marked.map(write).join(",")}]`;
  if (typeof marked !== "object" || marked === null) return String(marked);
  const members = Object.entries(marked).map(([key, value]) => ({ key: key.slice(1), value }));
  members.sort((a, b) => (a.key < b.key ? -1 : 1));
  return `{${members.map(({ key, value }) => `${canonicalString(key)}:${write(value)}`).join(",")}}`;
}
