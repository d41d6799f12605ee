import { type Decimal, negateDecimal, parseDecimal } from "../../core/decimal.ts";

export interface NumberForm {
  readonly decimal: "." | ",";
  readonly grouping: "" | "," | "." | " " | "'";
}

/**
 * Reads amounts in one form, the profile's, and refuses every other: `1.234,56` is no amount with a decimal point. A
 * sign may stand before, after or as brackets; exponents are read, because small values are printed so.
 */
export function createNumberReader({ decimal, grouping }: NumberForm): (text: string) => Decimal | null {
  const group = grouping === " " ? "[ \\u00a0\\u202f]" : grouping === "." ? "\\." : grouping;
  const whole = grouping === "" ? "\\d+" : `(?:\\d{1,3}(?:${group}\\d{3})+|\\d+)`;
  const point = decimal === "." ? "\\." : ",";
  const form = new RegExp(`^(?:${whole}(?:${point}\\d*)?|${point}\\d+)(?:[eE][+-]?\\d{1,3})?$`);
  const groups = new RegExp(group, "g");

  return (text) => {
    if (decimal === "." && plain.test(text)) return canonical(text);
    const { body, negative } = withoutSign(text);
    if (!form.test(body)) return null;
    const ungrouped = grouping === "" ? body : body.replaceAll(groups, "");
    const parsed = parseDecimal(decimal === "," ? ungrouped.replace(",", ".") : ungrouped);
    return parsed !== null && negative ? negateDecimal(parsed) : parsed;
  };
}

// Nearly all amounts, and there are several in each row: these need no arithmetic to become canonical.
const plain = /^-?\d{1,60}(?:\.\d{1,60})?$/;

function canonical(text: string): Decimal {
  const negative = text.startsWith("-");
  let start = negative ? 1 : 0;
  const point = text.indexOf(".");
  const wholeEnd = point < 0 ? text.length : point;
  while (start < wholeEnd - 1 && text[start] === "0") start += 1;
  let end = text.length;
  if (point >= 0) {
    while (text[end - 1] === "0") end -= 1;
    if (end === point + 1) end = point;
  }
  const digits = text.slice(start, end);
  return (negative && digits !== "0" ? `-${digits}` : digits) as Decimal;
}

function withoutSign(text: string): { body: string; negative: boolean } {
  const bracketed = /^\((.+)\)$/.exec(text);
  if (bracketed) return { body: (bracketed[1] ?? "").trim(), negative: true };
  // The typographic minus too: spreadsheets write it.
  const before = /^([-+\u2212])\s*(.+)$/.exec(text);
  if (before) return { body: before[2] ?? "", negative: before[1] !== "+" };
  const after = /^(.+?)\s*([-\u2212])$/.exec(text);
  if (after) return { body: after[1] ?? "", negative: true };
  return { body: text, negative: false };
}
