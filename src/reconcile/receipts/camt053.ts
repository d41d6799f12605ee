import { type Decimal, negateDecimal, parseDecimal } from "../../core/decimal.ts";
import { type Instant, parseInstant } from "../../core/instant.ts";
import { FileProblemError, unreadable } from "../statement/refusal.ts";
import {
  addValue,
  type CamtEntry,
  dayIn,
  first,
  rowsOfEntry,
  type Value,
  type Values,
  zoned,
} from "./camt053-booking.ts";
import { batchMax, depthMax, originalCharsMax, valuesMax } from "./limits.ts";
import { attribute, createMarkupReader, decodeEntities, type OpenTag } from "./markup.ts";
import {
  newStatement,
  originalText,
  type ReceiptReader,
  type ReceiptRow,
  type StatementFacts,
} from "./reader.ts";

interface OpenEntry extends CamtEntry {
  readonly lineNo: number;
  readonly raw: string[];
  rawChars: number;
  count: number;
}

/**
 * camt.053 of ISO 20022, any version: the statement of an account as XML. A booking of a batch is told apart into its
 * payments where they add up to it; one that is only pending is passed over.
 */
export function createCamt053Reader(): ReceiptReader {
  const statements: StatementFacts[] = [];
  const problems: string[] = [];
  const path: string[] = [];
  let rows: ReceiptRow[] = [];
  let leaf: { text: string; currency: string | null } | null = null;
  let head: Values = new Map();
  let statement: StatementFacts | null = null;
  let entry: OpenEntry | null = null;
  let entries = 0;
  let madeAt: Instant | null = null;
  let isDone = false;

  const reader = createMarkupReader({ open, close, text, raw });

  function open(tag: OpenTag): void {
    path.push(tag.name);
    if (path.length > depthMax) throw unreadable(`it is nested too deeply`);
    if (path.length === 2) refuseOtherKinds(tag.name);
    leaf = { text: "", currency: attribute(tag.attributes, "Ccy") };
    if (isAt("Stmt", 3)) {
      head = new Map();
      statement = null;
      entries = 0;
    } else if (isAt("Ntry", 4)) {
      statement ??= beginStatement(tag.lineNo);
      entry = { lineNo: tag.lineNo, raw: ["<Ntry>"], rawChars: 6, values: new Map(), count: 0, details: [] };
    } else if (entry !== null && isAt("TxDtls", 6)) {
      if (entry.details.length >= batchMax) {
        throw unreadable(`line ${tag.lineNo}: a booking holds more than ${batchMax} payments`);
      }
      entry.details.push(new Map());
    }
  }

  function refuseOtherKinds(name: string): void {
    if (name === "BkToCstmrStmt") return;
    const kind = { BkToCstmrAcctRpt: "camt.052", BkToCstmrDbtCdtNtfctn: "camt.054" }[name];
    throw new FileProblemError(
      "file_profile_unknown",
      `it is ${kind ?? `an XML file with ${name}`}, not a camt.053: ask the bank for the statement (camt.053)`,
    );
  }

  function text(content: string): void {
    if (leaf !== null) leaf.text += decodeEntities(content);
  }

  function raw(piece: string): void {
    if (entry === null || entry.rawChars > originalCharsMax) return;
    entry.raw.push(piece);
    entry.rawChars += piece.length;
  }

  function close(name: string): void {
    if (path.at(-1) !== name) {
      throw unreadable(`</${name}> does not close <${path.at(-1) ?? ""}>: download it again`);
    }
    if (leaf !== null && leaf.text !== "") keep(leaf);
    leaf = null;
    if (isAt("Ntry", 4)) endEntry();
    if (isAt("Bal", 4)) endBalance();
    if (isAt("Stmt", 3)) endStatement();
    path.pop();
    if (path.length === 0) isDone = true;
  }

  const isAt = (name: string, depth: number) => path.length === depth && path[depth - 1] === name;

  function keep(value: Value): void {
    if (entry !== null) {
      if (++entry.count > valuesMax + entry.details.length * 100) return;
      const inDetails = path[5] === "TxDtls" && path[4] === "NtryDtls";
      const values = inDetails ? (entry.details.at(-1) ?? entry.values) : entry.values;
      addValue(values, path.slice(inDetails ? 6 : 4).join("/"), value);
    } else if (path[2] === "GrpHdr" && path[3] === "CreDtTm") madeAt ??= parseInstant(zoned(value.text));
    else if (path[2] === "Stmt" && path[3] !== "Ntry") addValue(head, path.slice(3).join("/"), value);
  }

  function beginStatement(lineNo: number): StatementFacts {
    const account = first(head, "Acct/Id/IBAN") ?? first(head, "Acct/Id/Othr/Id");
    if (account === null) {
      throw unreadable(`line ${lineNo}: a statement does not name its account`);
    }
    const number = first(head, "ElctrncSeqNb") ?? first(head, "LglSeqNb") ?? first(head, "Id");
    const begun = newStatement(statements, {
      bankAccount: account,
      currency: first(head, "Acct/Ccy"),
      number,
    });
    begun.from = dayIn(first(head, "FrToDt/FrDtTm") ?? first(head, "FrToDt/FrDt"));
    begun.to = dayIn(first(head, "FrToDt/ToDtTm") ?? first(head, "FrToDt/ToDt"));
    madeAt ??= parseInstant(zoned(first(head, "CreDtTm") ?? ""));
    for (const balance of balances) setBalance(begun, balance);
    balances = [];
    return begun;
  }

  /** Balances may stand before we know of the statement that they belong to. */
  let balances: Balance[] = [];

  function endBalance(): void {
    const code = first(head, "Bal/Tp/CdOrPrtry/Cd") ?? "";
    const [value] = head.get("Bal/Amt") ?? [];
    const amount = value ? parseDecimal(value.text) : null;
    const signed = amount && first(head, "Bal/CdtDbtInd") === "DBIT" ? negateDecimal(amount) : amount;
    const day = dayIn(first(head, "Bal/Dt/Dt") ?? first(head, "Bal/Dt/DtTm"));
    for (const key of head.keys()) if (key.startsWith("Bal/")) head.delete(key);
    if (signed === null) return;
    const balance = { code, amount: signed, currency: value?.currency ?? null, day };
    if (statement === null) balances.push(balance);
    else setBalance(statement, balance);
  }

  function endStatement(): void {
    statement ??= beginStatement(0);
    const stated = first(head, "TxsSummry/TtlNtries/NbOfNtries");
    if (stated !== null && Number(stated) !== entries) {
      problems.push(
        `statement ${statement.number ?? ""} says that it has ${stated} bookings, and has ${entries}`,
      );
    }
    statement = null;
  }

  function endEntry(): void {
    if (entry === null || statement === null) return;
    entries += 1;
    const place = { lineNo: entry.lineNo, text: originalText(entry.raw.join("")) };
    rows.push(...rowsOfEntry(place, statement, entry));
    entry = null;
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
    facts() {
      // A file may hold several documents, and the last may be cut off.
      const isWhole = reader.end() && isDone && path.length === 0;
      return {
        statements,
        madeAt,
        problems,
        cutOff: isWhole ? null : `the document does not end: <${path.at(-1) ?? "Document"}> stays open`,
      };
    },
  };
}

interface Balance {
  readonly code: string;
  readonly amount: Decimal;
  readonly currency: string | null;
  readonly day: string | null;
}

function setBalance(statement: StatementFacts, { code, amount, currency, day }: Balance): void {
  statement.currency ??= currency;
  if (currency !== null && statement.currency !== currency) return;
  // A statement without an opening balance begins with the closing one of the statement before.
  if (code === "OPBD" || (code === "PRCD" && statement.opening === null)) {
    statement.opening = amount;
    statement.from ??= day;
  }
  if (code === "CLBD") {
    statement.closing = amount;
    statement.to ??= day;
  }
}
