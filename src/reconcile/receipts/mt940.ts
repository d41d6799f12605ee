import { type Decimal, negateDecimal, parseDecimal, zero } from "../../core/decimal.ts";
import { FileProblemError, unreadable } from "../statement/refusal.ts";
import { type BankLine, createLineSplitter } from "./bank-lines.ts";
import { continuationsMax } from "./limits.ts";
import { readBelow, readFormerly, readInformation } from "./mt940-information.ts";
import {
  bookingRow,
  dayOf,
  dayOfShort,
  newStatement,
  originalText,
  type ReceiptReader,
  type ReceiptRow,
  rejectRow,
  type StatementFacts,
} from "./reader.ts";

interface Field {
  readonly tag: string;
  readonly lineNo: number;
  readonly lines: string[];
}

/** SWIFT's MT940: fields `:61:` with the `:86:` after each, between an opening and a closing balance. */
export function createMt940Reader(): ReceiptReader {
  const statements: StatementFacts[] = [];
  const problems: string[] = [];
  const splitter = createLineSplitter();
  let field: Field | null = null;
  /** A booking that waits for the text after it. */
  let booking: Field | null = null;
  let account: string | null = null;
  let statement: StatementFacts | null = null;
  let isOpen = false;

  function* take({ lineNo, text }: BankLine): Generator<ReceiptRow> {
    const inner = withoutBlocks(text);
    const tag = /^:(\d{2}[A-Z]?|NS):/.exec(inner);
    if (tag === null && inner.trim() === "") {
      yield { lineNo, text, kind: text.trim() === "" ? "blank" : "preamble" };
      return;
    }
    if (tag !== null) {
      yield* endField();
      field = { tag: tag[1] ?? "", lineNo, lines: [inner.slice(tag[0].length)] };
      return;
    }
    if (/^-\}?\s*$/.test(inner) || /^\{|^\}/.test(inner)) {
      yield* endField();
      yield* endBooking([]);
      yield { lineNo, text, kind: "trailer" };
      return;
    }
    if (field === null) {
      yield { lineNo, text, kind: "preamble" };
      return;
    }
    if (field.lines.length >= continuationsMax) {
      throw unreadable(`line ${lineNo}: a field has more than ${continuationsMax} lines`);
    }
    field.lines.push(inner);
  }

  function* endField(): Generator<ReceiptRow> {
    if (field === null) return;
    const { tag, lineNo, lines } = field;
    const ended = field;
    field = null;
    if (tag === "86" && booking !== null) {
      yield* endBooking(lines);
      return;
    }
    yield* endBooking([]);
    const place = { lineNo, text: originalText(`:${tag}:${lines.join("\n")}`) };
    if (tag === "61") {
      if (statement === null) throw misplaced(lineNo, ":61: before an opening balance (:60F:)");
      booking = ended;
      return;
    }
    if (tag === "25" || tag === "25P") account = (lines[0] ?? "").trim();
    if (tag === "60F" || tag === "60M") open(lines[0] ?? "", lineNo);
    if (tag === "62F" || tag === "62M") closeStatement(lines[0] ?? "", lineNo);
    if (tag === "28C" || tag === "28") number = (lines[0] ?? "").trim();
    yield { ...place, kind: tag.startsWith("62") || tag === "64" || tag === "65" ? "trailer" : "header" };
  }

  let number: string | null = null;

  function open(text: string, lineNo: number): void {
    if (account === null) throw misplaced(lineNo, "a balance before the account (:25:)");
    const balance = readBalance(text);
    if (balance === null) throw misplaced(lineNo, `a balance that cannot be read: ${text.slice(0, 40)}`);
    statement = newStatement(statements, { bankAccount: account, currency: balance.currency, number });
    statement.opening = balance.amount;
    statement.from = balance.day;
    isOpen = true;
  }

  function closeStatement(text: string, lineNo: number): void {
    const balance = readBalance(text);
    if (balance === null || statement === null)
      throw misplaced(lineNo, "a closing balance that cannot be read");
    statement.closing = balance.amount;
    statement.to = balance.day;
    if (balance.currency !== statement.currency) {
      problems.push(`line ${lineNo}: it opens in ${statement.currency} and closes in ${balance.currency}`);
    }
    isOpen = false;
  }

  function* endBooking(information: readonly string[]): Generator<ReceiptRow> {
    if (booking === null || statement === null) return;
    const { lineNo, lines } = booking;
    booking = null;
    const original = `:61:${lines.join("\n")}${information.length > 0 ? `\n:86:${information.join("\n")}` : ""}`;
    yield bookingOf({ lineNo, text: originalText(original) }, statement, lines, information);
  }

  return {
    *push(piece) {
      for (const line of splitter.push(piece)) yield* take(line);
    },
    *end() {
      for (const line of splitter.end()) yield* take(line);
      yield* endField();
      yield* endBooking([]);
    },
    facts: () => ({
      statements,
      madeAt: null,
      problems,
      cutOff: isOpen ? "the last statement has no closing balance (:62F:)" : null,
    }),
  };
}

/** What SWIFT puts around a message. */
function withoutBlocks(text: string): string {
  return text.replace(/^\{1:[^{}]{0,60}\}(?:\{2:[^{}]{0,60}\})?(?:\{3:(?:\{[^{}]{0,60}\}){0,9}\})?\{4:/, "");
}

// value date, entry date, mark, funds code, amount, type, reference for us, the bank's. An amount with a point has not ended where its
// whole part has.
const bookingForm =
  /^(\d{6})(\d{4})?(R?[CD])([A-Z])?(\d{1,15}(?:,\d{0,6})?)(?![\d.,])([NFS][A-Z0-9]{3})?([^/]{0,34}(?:\/(?!\/)[^/]{0,34}){0,5})(?:\/\/(.{0,34}))?$/;

function bookingOf(
  place: { lineNo: number; text: string },
  of: StatementFacts,
  lines: readonly string[],
  information: readonly string[],
): ReceiptRow {
  const [head = "", ...supplementary] = lines;
  const found = bookingForm.exec(head.trim());
  if (found === null) return rejectRow(place, "amount", `:61: cannot be read: ${head.slice(0, 60)}`);
  const [, value = "", entry, mark = "", , amountText = "", , ours = "", theirs = ""] = found;
  const amount = parseDecimal(amountText.replace(",", "."));
  if (amount === null) return rejectRow(place, "amount", `${amountText} is not an amount`);
  const valueDate = dayOfShort(value);
  const told = readInformation(information);
  // German banks state the amount as it was sent, and what they kept of it, below the booking.
  const below = readBelow(supplementary);
  const isReversal = mark.startsWith("R");
  // The reversal of a credit takes money away.
  const isCredit = isReversal ? mark === "RD" : mark === "C";
  const formerly = readFormerly(information) ?? told;
  const hasChanged = formerly !== told || below.original !== null || below.charges !== zero;
  return bookingRow(place, of, {
    bankAccount: of.bankAccount,
    valueDate,
    bookingDate: valueDate === null || entry === undefined ? null : entryDay(valueDate, entry),
    amount,
    direction: isCredit ? "credit" : "debit",
    currency: of.currency ?? "",
    isReversal,
    reference: told.reference ?? ours,
    endToEndId: told.endToEndId,
    bankReference: theirs,
    otherReferences: [ours, told.reference, ...told.others],
    counterparty: told.counterparty,
    pieces: [...told.pieces, ...supplementary],
    ...(told.searched ? { searched: [...told.searched, ...supplementary] } : {}),
    charges: told.charges === zero ? below.charges : told.charges,
    original: told.original ?? below.original,
    was: hasChanged
      ? {
          reference: formerly.reference ?? ours,
          endToEndId: formerly.endToEndId,
          counterparty: formerly.counterparty,
          pieces: [...formerly.pieces, ...supplementary],
          charges: formerly.charges,
          original: formerly.original,
        }
      : null,
  });
}

/** The entry date has no year: it is the one that brings it nearest to the value date. */
function entryDay(valueDate: string, entry: string): string | null {
  const year = Number(valueDate.slice(0, 4));
  const days = [year - 1, year, year + 1]
    .map((each) => dayOf(String(each), entry.slice(0, 2), entry.slice(2)))
    .filter((day) => day !== null);
  const distance = (day: string) => Math.abs(Date.parse(day) - Date.parse(valueDate));
  return days.toSorted((a, b) => distance(a) - distance(b))[0] ?? null;
}

function readBalance(text: string): { amount: Decimal; currency: string; day: string | null } | null {
  const found = /^([CD])(\d{6})([A-Z]{3})(\d{1,15}(?:,\d{0,6})?)$/.exec(text.trim());
  const amount = found ? parseDecimal((found[4] ?? "").replace(",", ".")) : null;
  if (found === null || amount === null) return null;
  const signed = found[1] === "D" ? negateDecimal(amount) : amount;
  return { amount: signed, currency: found[3] ?? "", day: dayOfShort(found[2] ?? "") };
}

function misplaced(lineNo: number, what: string): FileProblemError {
  return unreadable(`line ${lineNo}: ${what}: download the statement again`);
}
