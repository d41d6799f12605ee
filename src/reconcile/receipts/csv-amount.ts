import { type Decimal, negateDecimal, zero } from "../../core/decimal.ts";
import { createNumberReader } from "../statement/numbers.ts";
import { type CsvField, type CsvProfile, folded } from "./csv-profile.ts";
import type { BookingParts } from "./reader.ts";

/** A cell of the row by its meaning; `null` where it is empty or there is none. */
export type CellOf = (field: CsvField) => string | null;
export type Unread = { readonly field: CsvField; readonly why: string };
export type Money = Pick<BookingParts, "amount" | "direction" | "isReversal" | "was">;

/** How much, and which way: in two columns, with a sign, or beside a word. Where that is not certain, the row is not read. */
export function createAmountReader(profile: CsvProfile) {
  const number = createNumberReader({ decimal: profile.decimal, grouping: profile.grouping });
  const creditWords = new Set(profile.credit_words.map(folded));
  const debitWords = new Set(profile.debit_words.map(folded));
  /** A column that is called type may say which way the money went, and may say anything else. */
  let isTypeLoose = false;
  let unmapped: { at: number; name: string }[] = [];

  return {
    number,

    begin(header: readonly string[], columns: ReadonlyMap<CsvField, number>): void {
      isTypeLoose = folded(header[columns.get("direction") ?? -1] ?? "") === "type";
      const used = new Set(columns.values());
      unmapped = header.flatMap((name, at) => (used.has(at) ? [] : [{ at, name: name.trim() }]));
    },

    read(cell: CellOf, cells: readonly string[]): Money | Unread {
      const read: Partial<Record<"credit" | "debit", Decimal>> = {};
      for (const direction of ["credit", "debit"] as const) {
        const text = cell(direction);
        const amount = text === null ? zero : number(text);
        if (amount === null) return { field: direction, why: `${text} is not an amount` };
        // Some banks write 0.00 into the column that does not apply.
        if (amount !== zero) read[direction] = amount;
      }
      if (read.credit !== undefined && read.debit !== undefined) {
        return { field: "credit", why: `there is a credit of ${read.credit} and a debit of ${read.debit}` };
      }
      if (read.debit !== undefined) return debitOf(read.debit);
      if (read.credit !== undefined) return creditOf(read.credit);
      const text = cell("amount");
      const amount = text === null ? null : number(text);
      if (amount === null)
        return { field: "amount", why: `${text ?? "nothing"} is not an amount: ${howWritten(profile)}` };
      const word = cell("direction");
      if (word !== null && creditWords.has(folded(word))) return creditOf(amount);
      if (word !== null && debitWords.has(folded(word))) return debitOf(amount);
      if (word !== null && !isTypeLoose) return unknownWord(word);
      if (amount.startsWith("-")) return { amount };
      if (word !== null && outgoing.test(word)) return unknownWord(word);
      const other = unmapped.find(({ at }) => saysDebit(cells[at] ?? ""));
      return other === undefined ? { amount } : unknownColumn(other.name, cells[other.at] ?? "");
    },
  };

  /** In a column that was not asked for a hyphen is nothing. */
  function saysDebit(text: string): boolean {
    const word = folded(text);
    return word !== "-" && debitWords.has(word);
  }
}

function unknownWord(word: string): Unread {
  const why = `it is unclear whether "${word}" means credit or debit: name it in a profile (credit_words, debit_words)`;
  return { field: "direction", why };
}

function unknownColumn(name: string, word: string): Unread {
  const why = `the column "${name}" says ${word.trim()} beside an amount above zero: name it in a profile (columns, direction)`;
  return { field: "direction", why };
}

/** Some banks print debits with a minus. */
function debitOf(amount: Decimal): Money {
  return { amount: amount.startsWith("-") ? negateDecimal(amount) : amount, direction: "debit" };
}

/** A credit below zero takes an earlier one back. */
function creditOf(amount: Decimal): Money {
  if (!amount.startsWith("-")) return { amount, direction: "credit" };
  const was = { direction: "credit", isReversal: false } as const;
  return { amount: negateDecimal(amount), direction: "debit", isReversal: true, was };
}

const outgoing = /debit|withdraw|outgoing|\bout\b|lastschrift|ausgang/i;

function howWritten({ decimal, grouping }: CsvProfile): string {
  return `the profile reads 1${grouping}234${decimal}56`;
}
