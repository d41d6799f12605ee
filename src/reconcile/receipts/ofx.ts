import { type Decimal, parseDecimal } from "../../core/decimal.ts";
import { type Instant, parseInstant } from "../../core/instant.ts";
import { FileProblemError, unreadable } from "../statement/refusal.ts";
import { depthMax, originalCharsMax } from "./limits.ts";
import { createMarkupReader, decodeEntities, type OpenTag } from "./markup.ts";
import {
  bookingRow,
  dayOf,
  newStatement,
  originalText,
  type ReceiptReader,
  type ReceiptRow,
  rejectRow,
  type StatementFacts,
} from "./reader.ts";

interface OpenBooking {
  readonly lineNo: number;
  readonly raw: string[];
  rawChars: number;
  readonly values: Map<string, string>;
}

/**
 * OFX: 1.x is SGML, in which the end of a value may be left out, 2.x is XML. Amounts are signed. There is a closing balance
 * and no opening one, so that the lines cannot be added up against the file itself.
 */
export function createOfxReader(): ReceiptReader {
  const statements: StatementFacts[] = [];
  const path: string[] = [];
  let rows: ReceiptRow[] = [];
  let about = new Map<string, string>();
  let statement: StatementFacts | null = null;
  let booking: OpenBooking | null = null;
  let madeAt: Instant | null = null;
  let isWhole = false;
  let hasValue = false;

  const reader = createMarkupReader({ open, close, text, raw });

  function open({ name: spelled, lineNo }: OpenTag): void {
    const name = spelled.toUpperCase();
    // A value whose end was left out ends where the next begins.
    if (hasValue) path.pop();
    hasValue = false;
    path.push(name);
    if (path.length > depthMax) throw unreadable("it is nested too deeply");
    if (path.length === 1 && name !== "OFX") {
      throw new FileProblemError("file_profile_unknown", `it begins with <${spelled}> and is not OFX`);
    }
    if (isStatement(name)) {
      about = new Map();
      statement = null;
    }
    if (name === "STMTTRN") booking = { lineNo, raw: ["<STMTTRN>"], rawChars: 9, values: new Map() };
  }

  function text(content: string): void {
    const name = path.at(-1);
    // Before the first tag stands the header of OFX 1.x, which has lines of its own.
    if (name === undefined) return;
    hasValue = true;
    const value = decodeEntities(content);
    const key = path.includes("BANKACCTTO") || path.includes("PAYEE") ? `TO/${name}` : name;
    if (booking !== null) {
      if (!booking.values.has(key)) booking.values.set(key, value);
    } else if (name === "DTSERVER") madeAt ??= timeIn(value);
    else if (statement !== null && path.includes("LEDGERBAL")) {
      if (name === "BALAMT") statement.closing = amountIn(value);
      if (name === "DTASOF") statement.to ??= dayIn(value);
    } else about.set(key, value);
  }

  function raw(piece: string): void {
    if (booking === null || booking.rawChars > originalCharsMax) return;
    booking.raw.push(piece);
    booking.rawChars += piece.length;
  }

  function close(spelled: string): void {
    const name = spelled.toUpperCase();
    const at = path.lastIndexOf(name);
    // An end without a start: of a value whose end we have taken from the next start.
    if (at < 0) return;
    path.length = at;
    hasValue = false;
    if (name === "STMTTRN") endBooking();
    if (name === "BANKTRANLIST") begin();
    if (isStatement(name)) {
      begin();
      statement = null;
    }
    if (name === "OFX") isWhole = true;
  }

  function begin(): StatementFacts {
    if (statement !== null) return statement;
    const account = about.get("ACCTID");
    if (account === undefined) throw unreadable("a statement does not name its account (ACCTID)");
    const bank = about.get("BANKID");
    const bankAccount = bank === undefined ? account : `${bank}/${account}`;
    const currency = about.get("CURDEF")?.toUpperCase() ?? null;
    statement = newStatement(statements, { bankAccount, currency, number: null });
    statement.from = dayIn(about.get("DTSTART") ?? "");
    statement.to = dayIn(about.get("DTEND") ?? "");
    return statement;
  }

  function endBooking(): void {
    if (booking === null) return;
    const { lineNo, raw: pieces, values } = booking;
    booking = null;
    rows.push(rowOf({ lineNo, text: originalText(pieces.join("")) }, begin(), values));
  }

  return {
    *push(piece) {
      reader.push(piece);
      yield* rows;
      rows = [];
    },
    *end() {
      yield* rows;
      rows = [];
    },
    facts: () => ({
      statements,
      madeAt,
      problems: [],
      cutOff: reader.end() && isWhole ? null : "the document does not end: </OFX> is missing",
    }),
  };
}

const isStatement = (name: string) => name === "STMTRS" || name === "CCSTMTRS";

function rowOf(
  place: { lineNo: number; text: string },
  of: StatementFacts,
  values: ReadonlyMap<string, string>,
): ReceiptRow {
  const amount = amountIn(values.get("TRNAMT") ?? "");
  if (amount === null)
    return rejectRow(place, "amount", `TRNAMT is ${values.get("TRNAMT") ?? "missing"}, not an amount`);
  if (of.currency === null)
    return rejectRow(place, "currency", "the statement does not name its currency (CURDEF)");
  const corrected = values.get("CORRECTFITID");
  if (corrected !== undefined) {
    const does = values.get("CORRECTACTION") === "DELETE" ? "deletes" : "replaces";
    const why = `it ${does} booking ${corrected}, which would count beside it: withdraw the file that holds it, and import one that is whole`;
    return rejectRow(place, "CORRECTFITID", why);
  }
  const posted = values.get("DTPOSTED") ?? "";
  // An amount in another currency is told only as a rate, from which it cannot be had exactly: the line stays in the
  // currency of the account.
  return bookingRow(place, of, {
    bankAccount: of.bankAccount,
    valueDate: dayIn(values.get("DTAVAIL") ?? "") ?? dayIn(posted),
    bookingDate: dayIn(posted),
    bookedAt: timeIn(posted),
    amount,
    currency: of.currency,
    isReversal: /^(?:REVERSAL|RVSL)$/.test(values.get("TRNTYPE") ?? ""),
    reference: values.get("REFNUM") ?? values.get("CHECKNUM") ?? null,
    otherReferences: [values.get("REFNUM") ?? null, values.get("SRVRTID") ?? null],
    uniqueId: values.get("FITID") ?? null,
    bankReference: values.get("FITID") ?? null,
    counterparty: values.get("NAME") ?? values.get("TO/NAME") ?? null,
    pieces: [values.get("NAME") ?? "", values.get("MEMO") ?? ""],
  });
}

/** Some banks write a comma for the point. */
function amountIn(text: string): Decimal | null {
  return /^[+-]?\d{1,18}(?:[.,]\d{0,18})?$/.test(text.trim())
    ? parseDecimal(text.trim().replace(",", "."))
    : null;
}

const timeForm =
  /^(\d{4})(\d{2})(\d{2})(?:(\d{2})(\d{2})(\d{2})?(?:\.\d{1,6})?)?(?:\[([+-]?\d{1,2})(?:\.(\d{1,2}))?(?::[^\]]{0,9})?\])?$/;

/** The day as the bank wrote it. */
function dayIn(text: string): string | null {
  const found = timeForm.exec(text.trim());
  return found ? dayOf(found[1] ?? "", found[2] ?? "", found[3] ?? "") : null;
}

/** `20261024120000[-5:EST]`; a day alone is no time. */
function timeIn(text: string): Instant | null {
  const found = timeForm.exec(text.trim());
  if (!found?.[4]) return null;
  const [, year, month, day, hour, minute, second = "00", zone = "0", part = "0"] = found;
  const sign = zone.startsWith("-") ? "-" : "+";
  const hours = zone.replace(/^[+-]/, "").padStart(2, "0");
  // `5.5` and `5.30` are both written for five hours and a half.
  const minutes =
    part === "5" || part === "50" || part === "30" ? "30" : part === "75" || part === "45" ? "45" : "00";
  return parseInstant(`${year}-${month}-${day}T${hour}:${minute}:${second}${sign}${hours}:${minutes}`);
}
