import { type Decimal, negateDecimal, parseDecimal } from "../../core/decimal.ts";

export interface NumberForm {
  readonly decimal: "." | ",";
  readonly grouping: "" | "," | "." | " " | "'";
  /** What may come before or after an amount, such as `$` or `EUR`. */
  readonly amount_marks?: readonly string[] | undefined;
}

/**
 * Reads amounts in one form, the profile's, and refuses every other: `1.234,56` is not an amount with a decimal point. A
 * sign may stand before, after or as brackets; exponents are read, because small values are printed so.
 */
export function createNumberReader(numberForm: NumberForm): (text: string) => Decimal | null {
  const { decimal, grouping, amount_marks: marks = [] } = numberForm;
  const unmarked = createMarkDropper(marks);
  const group = groupForms[grouping] ?? grouping;
  // No group begins with zero: 0.005 in a file that groups by points is a coin amount in another form, and not five.
  const whole = grouping === "" ? "\\d+" : `(?:[1-9]\\d{0,2}(?:${group}\\d{3})+|\\d+)`;
  const point = decimal === "." ? "\\." : ",";
  const form = new RegExp(`^(?:${whole}(?:${point}\\d*)?|${point}\\d+)(?:[eE][+-]?\\d{1,3})?$`);
  const groups = new RegExp(group, "g");

  return (text) => {
    if (decimal === "." && plain.test(text)) return canonical(text);
    // The mark may be outside the sign or inside it: -$5, $-5, ($5), 5- EUR.
    const { body: signed, negative } = withoutSign(unmarked(text));
    const body = unmarked(signed);
    if (!form.test(body)) return null;
    const ungrouped = grouping === "" ? body : body.replaceAll(groups, "");
    const parsed = parseDecimal(decimal === "," ? ungrouped.replace(",", ".") : ungrouped);
    return parsed !== null && negative ? negateDecimal(parsed) : parsed;
  };
}

/** Of signs with several spellings: Swiss spreadsheets write the typographic apostrophe. */
const groupForms: Readonly<Record<string, string>> = {
  " ": "[ \\u00a0\\u202f]",
  ".": "\\.",
  "'": "['\\u2019]",
};

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

/** Longer marks first, so that US$ is not taken for something before a $. */
function createMarkDropper(marks: readonly string[]): (text: string) => string {
  const byLength = marks.toSorted((a, b) => b.length - a.length);
  return (text) => {
    for (const mark of byLength) {
      if (text.startsWith(mark)) return text.slice(mark.length).trim();
      if (text.endsWith(mark)) return text.slice(0, -mark.length).trim();
    }
    return text;
  };
}

function withoutSign(text: string): { body: string; negative: boolean } {
  const bracketed = /^\((.+)\)$/.exec(text);
  if (bracketed) return { body: (bracketed[1] ?? "").trim(), negative: true };
  // By hand: an expression would try every way to divide a long row of spaces.
  const [first, last] = [text[0] ?? "", text.at(-1) ?? ""];
  if (text.length > 1 && (first === "+" || isMinus(first)))
    return { body: text.slice(1).trimStart(), negative: first !== "+" };
  if (text.length > 1 && isMinus(last)) return { body: text.slice(0, -1).trimEnd(), negative: true };
  return { body: text, negative: false };
}

/** The typographic one too: spreadsheets write it. */
function isMinus(sign: string): boolean {
  return sign === "-" || sign === "\u2212";
}
