import { minorUnits } from "../../core/asset.ts";
import { type Decimal, negateDecimal, subtractDecimals, zero } from "../../core/decimal.ts";
import { isFiat } from "../../core/fiat.ts";
import type { Instant } from "../../core/instant.ts";
import type { ReceiptLine } from "../../core/receipt-line.ts";
import { createNumberReader } from "../statement/numbers.ts";
import { createRowReader, type Row } from "../statement/read-rows.ts";
import { FileProblemError } from "../statement/refusal.ts";
import type { CsvField, CsvProfile } from "./csv-profile.ts";
import { builtInCsvProfiles, dayReader } from "./csv-profile.ts";
import {
  addsUp,
  type BookingParts,
  bookingRow,
  newStatement,
  originalText,
  type ReceiptReader,
  type ReceiptRow,
  rejectRow,
  type StatementFacts,
} from "./reader.ts";

/** What is given with a file that does not say it itself. */
export interface GivenForFile {
  readonly bankAccount: string | null;
  readonly currency: string | null;
}

const headerLinesMax = 30;

/** CSV by a profile: columns by name, never by position. Of an on-chain file a row is a transfer, known by its hash. */
export function createCsvReader(profile: CsvProfile, given: GivenForFile): ReceiptReader {
  const rows = createRowReader({ delimiter: profile.delimiter });
  const number = createNumberReader({ decimal: profile.decimal, grouping: profile.grouping });
  const day = dayReader(profile.dates);
  const moment = dayReader("iso");
  const statements: StatementFacts[] = [];
  const byAccount = new Map<string, StatementFacts>();
  const balances = new Map<StatementFacts, RunningBalance>();
  const words = {
    credit: profile.credit_words.map(folded),
    debit: profile.debit_words.map(folded),
    // Files that were read before there was such a column have none.
    booked: (profile.booked_words ?? []).map(folded),
    unbooked: (profile.unbooked_words ?? []).map(folded),
  };
  const isUsual = builtInCsvProfiles.some(({ name }) => name === profile.name);
  let columns: ReadonlyMap<CsvField, number> | null = null;
  /** A column that is called type may say which way the money went, and may say anything else. */
  let isTypeLoose = false;
  let columnCount = 0;
  let cutOff: string | null = null;

  function take(row: Row): ReceiptRow {
    const place = { lineNo: row.lineNo, text: originalText(row.text) };
    if (row.problem !== null) {
      const { code, reason } = row.problem;
      return { kind: "rejected", code, field: null, reason, ...place };
    }
    if (row.cells.every((cell) => cell.trim() === "")) return { kind: "blank", ...place };
    if (columns === null) {
      columns = headerOf(profile, row.cells);
      columnCount = row.cells.length;
      isTypeLoose = folded(row.cells[columns?.get("direction") ?? -1] ?? "") === "type";
      if (columns === null && row.lineNo >= headerLinesMax) throw unknownHeader(profile);
      return { kind: columns === null ? "preamble" : "header", ...place };
    }
    cutOff = row.ended || row.cells.length >= columnCount ? null : `line ${row.lineNo}, the last, is cut off`;
    return bookingIn(place, row.cells, columns);
  }

  function bookingIn(
    place: { lineNo: number; text: string },
    cells: readonly string[],
    at: ReadonlyMap<CsvField, number>,
  ): ReceiptRow {
    const cell = (field: CsvField) => {
      const index = at.get(field);
      const text = index === undefined ? "" : (cells[index] ?? "").trim();
      return text === "" ? null : text;
    };
    const status = cell("status");
    if (status !== null && words.unbooked.includes(folded(status))) {
      return { kind: "skipped", reason: `its status is ${status}: not booked`, ...place };
    }
    if (status !== null && !words.booked.includes(folded(status))) {
      return rejectRow(place, "status", `whether "${status}" means booked is not known: ${statusRemedy}`);
    }
    const money = readAmount(cell);
    if ("why" in money) return rejectRow(place, money.field, money.why);
    const dates = readDates(cell);
    if ("why" in dates) return rejectRow(place, dates.field, dates.why);
    const currency = cell("currency") ?? profile.currency ?? given.currency;
    if (currency === null) {
      return rejectRow(place, "currency", "there is no column for the currency: name it with --currency");
    }
    const bankAccount = cell("bank_account") ?? profile.bank_account ?? given.bankAccount;
    if (bankAccount === null) {
      return rejectRow(
        place,
        "bank_account",
        "there is no column for the account: name it with --bank-account",
      );
    }
    const charges = cell("charges") === null ? zero : number(cell("charges") ?? "");
    if (charges === null) return rejectRow(place, "charges", `${cell("charges") ?? ""} is not an amount`);
    const code = profile.format === "chain_csv" ? currency.toLowerCase() : currency.toUpperCase();
    const statement = statementOf(bankAccount, code);
    const hash = cell("hash");
    if (profile.format === "chain_csv" && hash === null)
      return rejectRow(place, "hash", "a transfer has no hash");
    const unclear =
      isUsual && isFiat(code) ? groupedOrNot(code, [cell("amount"), cell("credit"), cell("debit")]) : null;
    if (unclear !== null) return rejectRow(place, "amount", unclear);
    const row = bookingRow(place, statement, {
      bankAccount,
      currency: code,
      charges: charges.startsWith("-") ? negateDecimal(charges) : charges,
      reference: cell("reference"),
      endToEndId: cell("end_to_end_id"),
      bankReference: cell("bank_reference"),
      uniqueId: hash === null ? null : `${hash}|${code}|${money.direction ?? ""}`,
      hash,
      counterparty: cell("counterparty"),
      pieces: [cell("remittance") ?? ""],
      ...dates,
      ...money,
    });
    if (row.kind === "line") followBalance(row.line, statement, cell("balance"));
    return row;
  }

  /** The balance beside the first line and the last: with all lines between them they have to add up. */
  function followBalance(line: ReceiptLine, statement: StatementFacts, text: string | null): void {
    const balance = text === null ? null : number(text);
    const signed = line.direction === "credit" ? line.amount : negateDecimal(line.amount);
    const last = { day: line.bookingDate ?? line.valueDate, signed, balance };
    balances.set(statement, { first: balances.get(statement)?.first ?? last, last });
  }

  /** `2.500` may be two and a half thousand, where it was not said how the bank writes numbers. */
  function groupedOrNot(currency: string, texts: readonly (string | null)[]): string | null {
    const form = profile.decimal === "." ? /^[^.]*\.\d{3}$/ : /^[^,]*,\d{3}$/;
    const text =
      minorUnits(currency) === 3 ? undefined : texts.find((each) => each !== null && form.test(each));
    return text === undefined
      ? null
      : `${text} may be thousands: say in a profile how the bank writes numbers`;
  }

  type Unread = { field: CsvField; why: string };

  function readAmount(
    cell: (field: CsvField) => string | null,
  ): Pick<BookingParts, "amount" | "direction" | "isReversal" | "was"> | Unread {
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
    if (word === null) return { amount };
    if (words.credit.includes(folded(word))) return creditOf(amount);
    if (words.debit.includes(folded(word))) return debitOf(amount);
    const isUnclear = isTypeLoose ? outgoing.test(word) && !amount.startsWith("-") : true;
    return isUnclear ? { field: "direction", why: `whether "${word}" means ${directionRemedy}` } : { amount };
  }

  function readDates(
    cell: (field: CsvField) => string | null,
  ): { valueDate: string | null; bookingDate: string | null; bookedAt: Instant | null } | Unread {
    const read: Partial<Record<CsvField, Instant>> = {};
    for (const field of ["time", "booking_date", "value_date"] as const) {
      const text = cell(field);
      if (text === null) continue;
      const tried =
        (field === "time" ? (moment?.(text.replace(/^(\S+) (\S+)$/, "$1T$2Z")) ?? null) : day?.(text)) ??
        null;
      const instant =
        typeof tried === "string" ? tried : field === "time" ? moment?.(text) : day?.(text.slice(0, 10));
      if (typeof instant !== "string") return { field, why: `${text} ${instant?.why ?? "is not a date"}` };
      read[field] = instant;
    }
    const booked = read.booking_date ?? read.time;
    const dayIn = (instant: Instant | undefined) => instant?.slice(0, 10) ?? null;
    return {
      valueDate: dayIn(read.value_date ?? booked),
      bookingDate: dayIn(booked),
      bookedAt: read.time ?? null,
    };
  }

  function statementOf(bankAccount: string, currency: string): StatementFacts {
    const key = `${bankAccount} ${currency}`;
    const held = byAccount.get(key) ?? newStatement(statements, { bankAccount, currency, number: null });
    byAccount.set(key, held);
    return held;
  }

  return {
    *push(piece) {
      for (const row of rows.push(piece)) yield take(row);
    },
    *end() {
      for (const row of rows.end()) yield take(row);
      if (columns === null) throw unknownHeader(profile);
      for (const [statement, running] of balances) setBalances(statement, running);
    },
    facts: () => ({ statements, madeAt: null, problems: [], cutOff }),
  };
}

interface RunningBalance {
  readonly first: { readonly day: string; readonly signed: Decimal; readonly balance: Decimal | null };
  readonly last: RunningBalance["first"];
}

/** Oldest line first or newest first: by what adds up, else by the days. */
function setBalances(statement: StatementFacts, { first, last }: RunningBalance): void {
  const oldestFirst = openingAndClosing(first, last);
  const newestFirst = openingAndClosing(last, first);
  if (oldestFirst === null || newestFirst === null) return;
  const fitting = [oldestFirst, newestFirst].find((each) => addsUp({ ...statement, ...each }));
  Object.assign(statement, fitting ?? (first.day <= last.day ? oldestFirst : newestFirst));
}

function openingAndClosing(oldest: RunningBalance["first"], newest: RunningBalance["first"]) {
  if (oldest.balance === null || newest.balance === null) return null;
  return { opening: subtractDecimals(oldest.balance, oldest.signed), closing: newest.balance };
}

/** Some banks print debits with a minus. */
function debitOf(amount: Decimal): Pick<BookingParts, "amount" | "direction"> {
  return { amount: amount.startsWith("-") ? negateDecimal(amount) : amount, direction: "debit" };
}

/** A credit below zero takes an earlier one back. */
function creditOf(amount: Decimal): Pick<BookingParts, "amount" | "direction" | "isReversal" | "was"> {
  if (!amount.startsWith("-")) return { amount, direction: "credit" };
  const was = { direction: "credit", isReversal: false } as const;
  return { amount: negateDecimal(amount), direction: "debit", isReversal: true, was };
}

const outgoing = /debit|withdraw|outgoing|\bout\b|lastschrift|ausgang/i;
const statusRemedy = "name it in a profile (booked_words, unbooked_words)";
const directionRemedy = "credit or debit is not known: name it in a profile (credit_words, debit_words)";

/** The places of the columns; `null` when this row is no header of the profile's. */
export function headerOf(
  profile: CsvProfile,
  cells: readonly string[],
): ReadonlyMap<CsvField, number> | null {
  const found = new Map<CsvField, number>();
  const headers = cells.map(folded);
  for (const [field, names] of Object.entries(profile.columns) as [CsvField, string[]][]) {
    const at = names.map((name) => headers.indexOf(folded(name))).find((index) => index >= 0);
    if (at !== undefined) found.set(field, at);
  }
  const hasAmount = found.has("amount") || found.has("credit") || found.has("debit");
  const hasDate = found.has("booking_date") || found.has("value_date") || found.has("time");
  const isWhole = profile.format === "chain_csv" ? found.has("hash") && found.has("time") : hasDate;
  return hasAmount && isWhole ? found : null;
}

function folded(text: string): string {
  return text
    .replace(/^\uFEFF/, "")
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_]+/g, " ");
}

function howWritten({ decimal, grouping }: CsvProfile): string {
  return `the profile reads 1${grouping}234${decimal}56`;
}

function unknownHeader(profile: CsvProfile): FileProblemError {
  return new FileProblemError(
    "file_profile_unknown",
    `profile ${profile.name} finds no header with an amount and a date in its first ${headerLinesMax} lines: choose another profile`,
  );
}
