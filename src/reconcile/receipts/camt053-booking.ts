import {
  compareDecimals,
  type Decimal,
  negateDecimal,
  parseDecimal,
  sumDecimals,
  zero,
} from "../../core/decimal.ts";
import { type Instant, parseInstant } from "../../core/instant.ts";
import {
  type BookingParts,
  bookingRow,
  dayOf,
  type Place,
  type ReceiptRow,
  rejectRow,
  type StatementFacts,
} from "./reader.ts";

/** The values of one element and below, by their path within it. */
export type Values = Map<string, Value[]>;
export interface Value {
  readonly text: string;
  readonly currency: string | null;
}

/** A booking as it was read, with the payments in it. */
export interface CamtEntry {
  values: Values;
  readonly details: Values[];
}

/** The rows of one booking: itself, or the payments of a batch. */
export function* rowsOfEntry(
  place: Place,
  of: StatementFacts,
  { values, details }: CamtEntry,
): Generator<ReceiptRow> {
  const ownWord = first(values, "Sts/Prtry");
  if (ownWord !== null) {
    yield rejectRow(
      place,
      "status",
      `its status ${ownWord} is the bank's own word: it may not be booked yet`,
    );
    return;
  }
  const status = first(values, "Sts/Cd") ?? first(values, "Sts") ?? "BOOK";
  if (status !== "BOOK") {
    yield { kind: "skipped", reason: `its status is ${status}: not booked yet`, ...place };
    return;
  }
  const [value] = values.get("Amt") ?? [];
  const amount = value ? parseDecimal(value.text) : null;
  const direction = directionOf(first(values, "CdtDbtInd"));
  const currency = value?.currency ?? of.currency;
  if (amount === null) {
    yield rejectRow(place, "amount", "its amount cannot be read");
    return;
  }
  if (direction === null) {
    yield rejectRow(place, "direction", "CdtDbtInd is neither CRDT nor DBIT");
    return;
  }
  if (currency === null) {
    yield rejectRow(place, "currency", "its amount has no currency");
    return;
  }
  const base = {
    bankAccount: of.bankAccount,
    valueDate: dayIn(first(values, "ValDt/Dt") ?? first(values, "ValDt/DtTm")),
    bookingDate: dayIn(first(values, "BookgDt/Dt") ?? first(values, "BookgDt/DtTm")),
    bookedAt: instantIn(first(values, "BookgDt/DtTm")),
    currency,
    isReversal: first(values, "RvslInd") === "true" || first(values, "RvslInd") === "1",
  };
  const parts = details.map((each) => amountOf(each, { currency, direction }));
  const isToldApart =
    details.length > 1 &&
    parts.every((part) => part !== null) &&
    compareDecimals(sumDecimals(parts.filter((part) => part !== null)), amount) === 0;
  if (!isToldApart) {
    const charges = chargesOf(values, currency) ?? sumOfCharges(details, currency);
    yield bookingRow(place, of, { ...bookingOf(base, { amount, direction }, values, details), charges });
    return;
  }
  for (const [at, each] of details.entries()) {
    const part = parts[at] ?? zero;
    // Taken off the others, it goes the other way.
    const isOther = part.startsWith("-");
    const money = {
      amount: isOther ? negateDecimal(part) : part,
      direction: isOther ? opposite[direction] : direction,
    };
    yield bookingRow(place, of, {
      ...bookingOf(base, money, values, [each]),
      // Charges of the whole booking are not those of any one payment in it.
      charges: chargesOf(each, currency) ?? zero,
      // The number of the booking is that of the batch: of its payments only their own.
      bankReference: first(each, "Refs/AcctSvcrRef") ?? numbered(first(values, "AcctSvcrRef"), at + 1),
    });
  }
}

/** Of one payment of a batch, in the currency of the booking, with the sign that it has against the booking. */
function amountOf(
  details: Values,
  { currency, direction }: { currency: string; direction: "credit" | "debit" },
): Decimal | null {
  const found =
    valueIn(details, "Amt", currency) ??
    valueIn(details, "AmtDtls/TxAmt/Amt", currency) ??
    valueIn(details, "AmtDtls/InstdAmt/Amt", currency);
  const own = directionOf(first(details, "CdtDbtInd")) ?? direction;
  return found === null || own === direction ? found : negateDecimal(found);
}

const opposite = { credit: "debit", debit: "credit" } as const;

function valueIn(values: Values, path: string, currency: string): Decimal | null {
  const value = values.get(path)?.find((each) => each.currency === null || each.currency === currency);
  return value ? parseDecimal(value.text) : null;
}

/** With references, text, names, charges and the amount as it was sent: of the booking and of the payments in it. */
function bookingOf(
  base: Required<
    Pick<BookingParts, "bankAccount" | "valueDate" | "bookingDate" | "bookedAt" | "currency" | "isReversal">
  >,
  { amount, direction }: Required<Pick<BookingParts, "amount" | "direction">>,
  entry: Values,
  details: readonly Values[],
): BookingParts {
  const all = [...details, entry];
  const one = (...paths: string[]) => {
    for (const values of all) {
      for (const path of paths) {
        const text = first(values, path);
        if (text !== null) return text;
      }
    }
    return null;
  };
  const every = (...paths: string[]) => {
    const texts: string[] = [];
    for (const path of paths)
      for (const values of all) for (const { text } of values.get(path) ?? []) texts.push(text);
    return texts;
  };
  const [party, other] = first(entry, "CdtDbtInd") === "DBIT" ? [creditor, debtor] : [debtor, creditor];
  const currency = entry.get("Amt")?.[0]?.currency ?? null;
  const [sent] =
    details.length === 1
      ? (details[0]?.get("AmtDtls/InstdAmt/Amt") ?? entry.get("AmtDtls/InstdAmt/Amt") ?? [])
      : (entry.get("AmtDtls/InstdAmt/Amt") ?? []);
  const sentAmount =
    sent && sent.currency !== null && sent.currency !== currency ? parseDecimal(sent.text) : null;
  // Every field is written out: to spread one object into another takes several microseconds, once for every booking.
  return {
    bankAccount: base.bankAccount,
    valueDate: base.valueDate,
    bookingDate: base.bookingDate,
    bookedAt: base.bookedAt,
    amount,
    direction,
    currency: base.currency,
    isReversal: base.isReversal,
    reference: one("RmtInf/Strd/CdtrRefInf/Ref", "Refs/InstrId", "Refs/TxId", "Refs/PmtInfId"),
    endToEndId: one("Refs/EndToEndId"),
    bankReference: one("AcctSvcrRef", "Refs/AcctSvcrRef"),
    otherReferences: every(
      "Refs/EndToEndId",
      "Refs/InstrId",
      "Refs/TxId",
      "Refs/PmtInfId",
      "Refs/MsgId",
      "RmtInf/Strd/CdtrRefInf/Ref",
      "RmtInf/Strd/RfrdDocInf/Nb",
      "NtryDtls/Btch/PmtInfId",
    ),
    counterparty: one(...party) ?? one(...other),
    pieces: every("RmtInf/Ustrd", "AddtlTxInf", "AddtlNtryInf"),
    original: sentAmount !== null && sent?.currency ? { amount: sentAmount, currency: sent.currency } : null,
  };
}

const debtor = ["RltdPties/Dbtr/Nm", "RltdPties/Dbtr/Pty/Nm", "RltdPties/UltmtDbtr/Nm"] as const;
const creditor = ["RltdPties/Cdtr/Nm", "RltdPties/Cdtr/Pty/Nm", "RltdPties/UltmtCdtr/Nm"] as const;

/**
 * What the bank says that it has taken off: the total, else the single charges, of which version 2 has one without a record
 * around it. `null` where it states none. A charge that is marked as not included was taken elsewhere; where the marks cannot be
 * told apart, none counts, and what is missing of a payout stays visible.
 */
function chargesOf(values: Values, currency: string): Decimal | null {
  for (const [path, record] of [
    ["Chrgs/TtlChrgsAndTaxAmt", "Chrgs/Rcrd"],
    ["Chrgs/Rcrd/Amt", "Chrgs/Rcrd"],
    ["Chrgs/Amt", "Chrgs"],
  ] as const) {
    const stated = values.get(path) ?? nothing;
    if (stated.length === 0) continue;
    const marks = (values.get(`${record}/ChrgInclInd`) ?? nothing).map(({ text }) => text);
    const isIncluded = (mark: string | undefined) => mark !== "false" && mark !== "0";
    if (!marks.every(isIncluded) && marks.length !== stated.length) return zero;
    const charged = stated.filter((each, at) => each.currency === currency && isIncluded(marks[at]));
    return sumDecimals(charged.map((each) => parseDecimal(each.text) ?? zero));
  }
  return null;
}

function sumOfCharges(details: readonly Values[], currency: string): Decimal {
  return sumDecimals(details.map((each) => chargesOf(each, currency) ?? zero));
}

const nothing: readonly Value[] = [];

function directionOf(indicator: string | null): "credit" | "debit" | null {
  if (indicator === "CRDT") return "credit";
  return indicator === "DBIT" ? "debit" : null;
}

const numbered = (reference: string | null, number: number) =>
  reference === null ? null : `${reference}/${number}`;

export function addValue(values: Values, path: string, value: Value): void {
  const held = values.get(path);
  if (held) held.push(value);
  else values.set(path, [value]);
}

export function first(values: Values, path: string): string | null {
  return values.get(path)?.[0]?.text ?? null;
}

export function dayIn(text: string | null): string | null {
  const found = /^(\d{4})-(\d{2})-(\d{2})/.exec(text ?? "");
  return found ? dayOf(found[1] ?? "", found[2] ?? "", found[3] ?? "") : null;
}

function instantIn(text: string | null): Instant | null {
  return text === null ? null : parseInstant(zoned(text));
}

/** A time without its zone is the bank's; we take it as UTC, and the day stays what the bank says it is. */
export function zoned(text: string): string {
  return /(?:Z|[+-]\d{2}:\d{2})$/.test(text) ? text : `${text}Z`;
}
