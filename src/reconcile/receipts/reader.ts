import { minorUnits } from "../../core/asset.ts";
import { addDecimals, compareDecimals, type Decimal, negateDecimal, zero } from "../../core/decimal.ts";
import { isFiat } from "../../core/fiat.ts";
import type { RowRejectionCode } from "../../core/import-codes.ts";
import type { Instant } from "../../core/instant.ts";
import { isNoName, namesIn, type ReceiptLine } from "../../core/receipt-line.ts";
import type { RowOutcome } from "../../store/statements/incoming-row.ts";
import { unreadable } from "../statement/refusal.ts";
import { fieldCharsMax, originalCharsMax, remittanceCharsMax, statementsMax } from "./limits.ts";

/** Reads one form of file, piece by piece. Rows come as they are completed; nothing is held that has no bound. */
export interface ReceiptReader {
  push(text: string): Iterable<ReceiptRow>;
  end(): Iterable<ReceiptRow>;
  /** After the end. */
  facts(): ReaderFacts;
}

/** A row of the file: a booking, something around the bookings, or what could not be read. */
export type ReceiptRow = Place &
  (
    | {
        readonly kind: "line";
        readonly line: ReceiptLine;
        readonly id: string | null;
        readonly of: StatementFacts;
        /** As earlier versions read it, where that was something else: it is known by that. */
        readonly was: ReceiptLine | null;
      }
    | { readonly kind: Exclude<RowOutcome, "duplicate" | "rejected">; readonly reason?: string }
    | {
        readonly kind: "rejected";
        readonly code: RowRejectionCode;
        readonly field: string | null;
        readonly reason: string;
      }
  );

export interface Place {
  readonly lineNo: number;
  readonly text: string;
}

export interface ReaderFacts {
  readonly statements: readonly StatementFacts[];
  /** When the bank made the file, where it says so. */
  readonly madeAt: Instant | null;
  /** Counts and sums that the file states, and that are not so. */
  readonly problems: readonly string[];
  /** Why the file seems to end too early. */
  readonly cutOff: string | null;
}

/** One statement within a file: an account, perhaps its balances, and the sum of its lines so far. */
export interface StatementFacts {
  readonly bankAccount: string;
  currency: string | null;
  readonly number: string | null;
  opening: Decimal | null;
  closing: Decimal | null;
  sum: Decimal;
  lineCount: number;
  from: string | null;
  to: string | null;
}

export function newStatement(
  statements: StatementFacts[],
  about: { bankAccount: string; currency: string | null; number: string | null },
): StatementFacts {
  if (statements.length >= statementsMax) {
    throw unreadable(`it holds more than ${statementsMax} statements: split it`);
  }
  const statement = { ...about, opening: null, closing: null, sum: zero, lineCount: 0, from: null, to: null };
  statements.push(statement);
  return statement;
}

/** Whether opening and lines give the closing; `null` where the file does not state both. */
export function addsUp({ opening, closing, sum }: StatementFacts): boolean | null {
  if (opening === null || closing === null) return null;
  return compareDecimals(addDecimals(opening, sum), closing) === 0;
}

/** What a reader has found of a booking; the rest is the same for all of them. */
export interface BookingParts {
  readonly bankAccount: string;
  readonly valueDate: string | null;
  readonly bookingDate: string | null;
  /** Where the file tells more than the day. */
  readonly bookedAt?: Instant | null;
  /** Signed, or not negative beside a direction. */
  readonly amount: Decimal;
  readonly direction?: ReceiptLine["direction"];
  readonly currency: string;
  readonly isReversal?: boolean;
  readonly reference?: string | null;
  readonly endToEndId?: string | null;
  readonly bankReference?: string | null;
  readonly hash?: string | null;
  readonly counterparty?: string | null;
  /** Free text, as the bank has cut it. */
  readonly pieces?: readonly string[];
  /** What else is searched for names, in place of the pieces. */
  readonly searched?: readonly string[];
  /** Further fields that hold nothing but a reference. */
  readonly otherReferences?: readonly (string | null)[];
  readonly charges?: Decimal;
  readonly original?: { readonly amount: Decimal; readonly currency: string } | null;
  /** What the bank promises to be unique: the line is known by it, whatever else is restated. */
  readonly uniqueId?: string | null;
  /** How earlier versions read it. */
  readonly was?: Partial<BookingParts> | null;
}

/** The row of a booking. It is rejected where its date, the way of its money or its amount is not certain. */
export function bookingRow(place: Place, of: StatementFacts, parts: BookingParts): ReceiptRow {
  const day = parts.valueDate ?? parts.bookingDate;
  if (day === null) {
    const reason = "neither a value date nor a booking date can be read";
    return rejectRow(place, "value_date", reason);
  }
  const isNegative = parts.amount.startsWith("-");
  if (isNegative && parts.direction !== undefined) {
    const reason = `${parts.amount} is below zero beside a word for ${parts.direction}: which way the money went is not certain`;
    return rejectRow(place, "amount", reason);
  }
  const { currency } = parts;
  if (!/^[A-Za-z0-9]{2,12}$/.test(currency)) {
    return rejectRow(place, "currency", `"${currency}" is not the code of a currency, such as EUR`);
  }
  if (isFiat(currency) && decimalsOf(parts.amount) > minorUnits(currency)) {
    const reason = `${parts.amount} has more decimals than ${currency}: its point or comma may group thousands`;
    return rejectRow(place, "amount", reason);
  }
  const line = lineOf(day, parts);
  const was = parts.was ? lineOf(day, { ...parts, ...parts.was }) : null;
  // Not spread: this is done for every row of a large file.
  const { lineNo, text } = place;
  return { lineNo, text, kind: "line", line, id: idOf(line, parts.uniqueId ?? null), of, was };
}

function lineOf(day: string, parts: BookingParts): ReceiptLine {
  const pieces = trimmed(parts.pieces ?? []);
  const isNegative = parts.amount.startsWith("-");
  const field = (text: string | null | undefined) => nameIn(cut(text, fieldCharsMax));
  const reference = field(parts.reference);
  const endToEndId = field(parts.endToEndId);
  const hash = field(parts.hash);
  return {
    bankAccount: parts.bankAccount,
    valueDate: day,
    bookingDate: parts.bookingDate,
    effectiveAt: parts.bookedAt ?? startOf(parts.bookingDate ?? day),
    amount: isNegative ? negateDecimal(parts.amount) : parts.amount,
    currency: parts.currency,
    direction: parts.direction ?? (isNegative ? "debit" : "credit"),
    isReversal: parts.isReversal ?? false,
    reference,
    endToEndId,
    hash,
    bankReference: field(parts.bankReference),
    remittance: cut(pieces.join(" "), remittanceCharsMax),
    counterparty: cut(parts.counterparty, fieldCharsMax),
    charges: parts.charges ?? zero,
    originalAmount: parts.original?.amount ?? null,
    originalCurrency: parts.original?.currency ?? null,
    keys: namesIn(
      [reference, endToEndId, hash, ...(parts.otherReferences ?? [])],
      parts.searched ? trimmed(parts.searched) : pieces,
    ),
  };
}

const trimmed = (pieces: readonly string[]) =>
  pieces.map((piece) => piece.trim()).filter((piece) => piece !== "");

function decimalsOf(amount: Decimal): number {
  const point = amount.indexOf(".");
  return point < 0 ? 0 : amount.length - point - 1;
}

/** By the bank's number of the booking, with what hardly ever is restated: some banks number a batch, not a booking. */
function idOf(line: ReceiptLine, uniqueId: string | null): string | null {
  if (uniqueId !== null) return `${line.bankAccount}|${uniqueId}`;
  if (line.bankReference === null) return null;
  return [
    line.bankAccount,
    line.bankReference,
    line.valueDate,
    line.amount,
    line.currency,
    line.direction,
  ].join("|");
}

export function rejectRow(place: Place, field: string, reason: string): ReceiptRow {
  return { kind: "rejected", code: "row_unparseable", field, reason, ...place };
}

/** The booking as it stands in the file, up to a bound. */
export function originalText(text: string): string {
  return text.length > originalCharsMax ? text.slice(0, originalCharsMax) : text;
}

function cut(text: string | null | undefined, charsMax: number): string | null {
  const kept = (text ?? "").trim();
  return kept === "" ? null : kept.slice(0, charsMax);
}

/** Of a field that holds a reference: what banks print where there is none is none. */
function nameIn(text: string | null): string | null {
  return text === null || isNoName(text) ? null : text;
}

/** As version 1 of the readers kept a line: without free text that is a bank's word for no reference. */
export function asVersion1(line: ReceiptLine): ReceiptLine {
  const { remittance, counterparty } = line;
  const isSame = remittance === nameIn(remittance) && counterparty === nameIn(counterparty);
  return isSame ? line : { ...line, remittance: nameIn(remittance), counterparty: nameIn(counterparty) };
}

/** Of a day that was read, and so is one. */
function startOf(day: string): Instant {
  return `${day}T00:00:00.000Z` as Instant;
}

/** `2026-10-24` of three numbers; `null` for 30 February. */
export function dayOf(year: string, month: string, date: string): string | null {
  const day = `${year}-${month}-${date}`;
  const known = daysSeen.get(day);
  if (known !== undefined) return known;
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day) || year === "0000") return null;
  const back = new Date(`${day}T00:00:00Z`);
  const read = Number.isNaN(back.getTime()) || back.toISOString().slice(0, 10) !== day ? null : day;
  if (daysSeen.size >= daysSeenMax) daysSeen.clear();
  daysSeen.set(day, read);
  return read;
}

/** A file has many bookings and few days. */
const daysSeen = new Map<string, string | null>();
const daysSeenMax = 1_000;

/** Of a year with two digits: banks have none of the last century left to send. */
export function dayOfShort(text: string): string | null {
  const found = /^(\d{2})(\d{2})(\d{2})$/.exec(text);
  return found ? dayOf(`20${found[1]}`, found[2] ?? "", found[3] ?? "") : null;
}
