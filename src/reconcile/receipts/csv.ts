import { minorUnits } from "../../core/asset.ts";
import { absDecimal, type Decimal, negateDecimal, zero } from "../../core/decimal.ts";
import { isFiat } from "../../core/fiat.ts";
import type { Instant } from "../../core/instant.ts";
import { createRowReader, type Row } from "../statement/read-rows.ts";
import { FileProblemError } from "../statement/refusal.ts";
import { type CellOf, createAmountReader, type Unread } from "./csv-amount.ts";
import { createRunningBalances } from "./csv-balance.ts";
import { builtInCsvProfiles, type CsvField, type CsvProfile, dayReader, folded } from "./csv-profile.ts";
import { createWalletSides } from "./csv-wallet.ts";
import {
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
export function createCsvReader(
  profile: CsvProfile,
  given: GivenForFile,
  wallet = given.bankAccount,
): ReceiptReader {
  const rows = createRowReader({ delimiter: profile.delimiter });
  const amounts = createAmountReader(profile);
  const { number } = amounts;
  const sides = createWalletSides(wallet);
  const balances = createRunningBalances();
  const day = dayReader(profile.dates);
  const moment = dayReader("iso");
  const statements: StatementFacts[] = [];
  const byAccount = new Map<string, StatementFacts>();
  const words = {
    // Files that were read before there was such a column have none.
    booked: (profile.booked_words ?? []).map(folded),
    unbooked: (profile.unbooked_words ?? []).map(folded),
  };
  const isUsual = builtInCsvProfiles.some(({ name }) => name === profile.name);
  let columns: ReadonlyMap<CsvField, number> | null = null;
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
      if (columns !== null) amounts.begin(row.cells, columns);
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
      return rejectRow(place, "status", `it is unclear whether "${status}" means booked: ${statusRemedy}`);
    }
    const read = amounts.read(cell, cells);
    if ("why" in read) return rejectRow(place, read.field, read.why);
    const isChain = profile.format === "chain_csv";
    const side = isChain
      ? sides.sideOf(cell, read)
      : { bankAccount: cell("bank_account"), counterparty: cell("counterparty"), money: read };
    if ("why" in side) return rejectRow(place, side.field, side.why);
    const { money } = side;
    const dates = readDates(cell);
    if ("why" in dates) return rejectRow(place, dates.field, dates.why);
    const currency = cell("currency") ?? profile.currency ?? given.currency;
    if (currency === null) {
      return rejectRow(
        place,
        "currency",
        "there is no column for the currency: state the currency of the file",
      );
    }
    const bankAccount = side.bankAccount ?? profile.bank_account ?? given.bankAccount;
    if (bankAccount === null) {
      return rejectRow(
        place,
        "bank_account",
        "there is no column for the account: state the bank account of the file",
      );
    }
    const charges = cell("charges") === null ? zero : number(cell("charges") ?? "");
    if (charges === null) return rejectRow(place, "charges", `${cell("charges") ?? ""} is not an amount`);
    const original = originalOf(cell);
    if (original !== null && "why" in original) return rejectRow(place, original.field, original.why);
    const code = isChain ? currency.toLowerCase() : currency.toUpperCase();
    const statement = statementOf(bankAccount, code);
    const hash = cell("hash");
    if (isChain && hash === null) return rejectRow(place, "hash", "a transfer has no hash");
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
      counterparty: side.counterparty,
      pieces: [cell("remittance") ?? ""],
      original,
      ...dates,
      ...money,
      ...(original === null ? {} : { was: { ...money.was, original: null } }),
    });
    if (row.kind === "line") {
      const balance = cell("balance");
      balances.follow(row.line, statement, balance === null ? null : number(balance));
    }
    return row;
  }

  /** As it was sent, where the bank has converted it. */
  function originalOf(cell: CellOf): { amount: Decimal; currency: string } | Unread | null {
    const [text, currency] = [cell("original_amount"), cell("original_currency")?.toUpperCase() ?? null];
    if (text === null || currency === null || currency === cell("currency")?.toUpperCase()) return null;
    const amount = number(text);
    if (amount === null) return { field: "original_amount", why: `${text} is not an amount` };
    return { amount: absDecimal(amount), currency };
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

  function readDates(
    cell: CellOf,
  ): { valueDate: string | null; bookingDate: string | null; bookedAt: Instant | null } | Unread {
    const read: Partial<Record<CsvField, Instant>> = {};
    for (const field of ["time", "booking_date", "value_date"] as const) {
      const text = cell(field);
      if (text === null) continue;
      if (text.length > dateCharsMax) return { field, why: `${text.slice(0, dateCharsMax)}… is not a date` };
      const tried =
        (field === "time" ? (moment?.(text.replace(/^(\S+) (\S+)$/, "$1T$2Z")) ?? null) : day?.(text)) ??
        null;
      const instant =
        typeof tried === "string" ? tried : field === "time" ? moment?.(text) : day?.(withoutHour(text));
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
      balances.set();
    },
    facts: () => ({ statements, madeAt: null, problems: sides.problems(), cutOff }),
  };
}

/** The places of the columns; `null` when this row is not a header of the profile's. */
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

function unknownHeader(profile: CsvProfile): FileProblemError {
  return new FileProblemError(
    "file_profile_unknown",
    `profile ${profile.name} finds no header with an amount and a date in its first ${headerLinesMax} lines: choose another profile`,
  );
}

/** A date with any text after it. Anything longer is not a date, and slow to parse. */
const dateCharsMax = 300;

/** Without its hour, or whatever else stands behind a day of ten letters: a day must not lose its last digit. */
function withoutHour(text: string): string {
  const day = text.replace(/[\sT]+\d{1,2}:\d{2}.*$/s, "");
  return day === text ? text.replace(/^(.{10})\D.*$/s, "$1") : day;
}

const statusRemedy = "name it in a profile (booked_words, unbooked_words)";
