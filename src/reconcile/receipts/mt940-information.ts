import { type Decimal, parseDecimal, zero } from "../../core/decimal.ts";

/** What the text of a booking (`:86:`) tells: every bank has its own way to put several things into it. */
export interface Information {
  readonly reference: string | null;
  readonly endToEndId: string | null;
  readonly others: readonly string[];
  readonly counterparty: string | null;
  readonly pieces: readonly string[];
  /** Where the pieces are not as the bank has cut them. */
  readonly searched?: readonly string[];
  readonly charges: Decimal;
  readonly original: { readonly amount: Decimal; readonly currency: string } | null;
}

export function readInformation(lines: readonly string[], forms = present): Information {
  const joined = lines.join("");
  const numbered = forms.numbered.exec(joined);
  if (numbered !== null) return ofSubfields(joined.slice(3), numbered[1] ?? "?", forms);
  const labels = labelled(joined);
  if (labels.size > 0) return ofLabels(labels, lines);
  return ofPairs(lines, forms);
}

/** As version 2 read the same text; `null` where it was no different. */
export function readFormerly(lines: readonly string[]): Information | null {
  return added.test(lines.join("")) ? readInformation(lines, former) : null;
}

const present = {
  numbered: /^\d{3}([?~^<])\d{2}/,
  pairs: /(EREF|KREF|MREF|BREF|RREF|PREF|PURP|SVWZ|CRED|DEBT|ABWA|ABWE|IBAN|OAMT|COAM)\+/g,
};
const former: typeof present = {
  numbered: /^\d{3}([?~^])\d{2}/,
  pairs: /(EREF|KREF|MREF|SVWZ|CRED|DEBT|ABWA|IBAN|OAMT|COAM)\+/g,
};
const added = /^\d{3}<\d{2}|(?:BREF|RREF|PREF|PURP|ABWE)\+/;

/** `/OCMT/USD120,00//CHGS/EUR2,00/`, in the lines below a `:61:`. */
export function readBelow(lines: readonly string[]): Pick<Information, "charges" | "original"> {
  const labels = labelled(lines.join(""));
  return { charges: amountIn(labels.get("CHGS") ?? null), original: originalIn(labels.get("OCMT") ?? null) };
}

/** As German banks write it: `166?00…?20EREF+PO-1?21SVWZ+…?32Name`. Texts go on from one subfield to the next. */
function ofSubfields(text: string, mark: string, forms: typeof present): Information {
  const subfields = text
    .split(mark)
    .filter((part) => /^\d{2}/.test(part))
    .map((part) => ({ number: Number(part.slice(0, 2)), value: part.slice(2) }));
  const within = (from: number, to: number) =>
    subfields.filter(({ number }) => number >= from && number <= to).map(({ value }) => value);
  const pieces = [...within(20, 29), ...within(60, 63)];
  const name = within(32, 33).join("").trim();
  return { ...ofPairs(pieces, forms), counterparty: name === "" ? null : name };
}

/** `EREF+PO-1SVWZ+October`: four letters and a plus, until the next of these. */
function ofPairs(pieces: readonly string[], forms: typeof present): Information {
  const joined = pieces.join("");
  const marks = [...joined.matchAll(forms.pairs)];
  const value = (name: string) => {
    const at = marks.findIndex(([, label]) => label === name);
    if (at < 0) return null;
    const start = (marks[at]?.index ?? 0) + name.length + 1;
    const text = joined.slice(start, marks[at + 1]?.index).trim();
    return text === "" ? null : text;
  };
  return {
    reference: value("KREF"),
    endToEndId: value("EREF"),
    others: [value("MREF")].filter((text) => text !== null),
    counterparty: value("ABWA"),
    pieces,
    charges: amountIn(value("COAM")),
    original: originalIn(value("OAMT")),
  };
}

/** `/EREF/PO-1//REMI/…/NAME/…`, as Dutch and many international banks write it. */
function labelled(text: string): Map<string, string> {
  const found = new Map<string, string>();
  if (!text.startsWith("/")) return found;
  const marks = [
    ...text.matchAll(
      /\/(EREF|KREF|RREF|PREF|IREF|TRTP|NAME|REMI|ORDP|BENM|MARF|CSID|CHGS|EXCH|OCMT|ISDT|IBAN|BIC|PURP|RTRN|SVCL|ULTD|ULTB|ADDR|ID|BUSP)\//g,
    ),
  ];
  for (const [at, mark] of marks.entries()) {
    const start = (mark.index ?? 0) + mark[0].length;
    const value = text
      .slice(start, marks[at + 1]?.index)
      .replace(/^\/+|\/+$/g, "")
      .trim();
    if (value !== "" && !found.has(mark[1] ?? "")) found.set(mark[1] ?? "", value);
  }
  return found;
}

function ofLabels(labels: ReadonlyMap<string, string>, lines: readonly string[]): Information {
  const value = (name: string) => labels.get(name) ?? null;
  const remittance = value("REMI");
  return {
    reference: value("KREF") ?? value("RREF"),
    endToEndId: value("EREF"),
    others: [value("PREF"), value("IREF"), value("RREF")].filter((text) => text !== null),
    counterparty: value("NAME") ?? value("ORDP") ?? value("BENM"),
    pieces: remittance === null ? lines : [remittance],
    searched: remittance === null ? lines : cutAsLines(remittance, lines),
    charges: amountIn(value("CHGS")),
    original: originalIn(value("OCMT")),
  };
}

/** The text with the ends of its lines: a word may end there, as well as go on. */
function cutAsLines(text: string, lines: readonly string[]): string[] {
  const joined = lines.join("");
  const from = joined.indexOf(text, joined.indexOf("/REMI/"));
  const pieces: string[] = [];
  let start = 0;
  for (const line of lines) {
    const end = start + line.length;
    pieces.push(joined.slice(Math.max(start, from), Math.min(end, from + text.length)));
    start = end;
  }
  return pieces;
}

/** `EUR12,50` */
function originalIn(text: string | null): Information["original"] {
  const found = /^([A-Z]{3})\s?(\d{1,15}(?:[.,]\d{0,6})?)/.exec(text ?? "");
  const amount = found ? parseDecimal((found[2] ?? "").replace(",", ".")) : null;
  return found && amount !== null ? { amount, currency: found[1] ?? "" } : null;
}

function amountIn(text: string | null): Decimal {
  return originalIn(text)?.amount ?? zero;
}
