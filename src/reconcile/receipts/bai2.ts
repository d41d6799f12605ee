import { minorUnits } from "../../core/asset.ts";
import { type Decimal, decimalFromUnits } from "../../core/decimal.ts";
import { type Instant, parseInstant } from "../../core/instant.ts";
import { unreadable } from "../statement/refusal.ts";
import { type BankLine, createLineSplitter } from "./bank-lines.ts";
import { continuationsMax } from "./limits.ts";
import {
  bookingRow,
  dayOfShort,
  newStatement,
  originalText,
  type ReceiptReader,
  type ReceiptRow,
  rejectRow,
  type StatementFacts,
} from "./reader.ts";

interface Logical {
  readonly code: string;
  readonly lineNo: number;
  readonly parts: string[];
}

/**
 * BAI2, as banks in the United States send it: comma-separated records that end in a slash and go on in records 88. Amounts
 * have no decimal point: they count the smallest unit of their currency. Each account states a sum of all its amounts.
 */
export function createBai2Reader(): ReceiptReader {
  const statements: StatementFacts[] = [];
  const problems: string[] = [];
  const splitter = createLineSplitter();
  let record: Logical | null = null;
  let group: { currency: string; day: string | null } | null = null;
  let statement: StatementFacts | null = null;
  let control = 0n;
  let madeAt: Instant | null = null;
  let hasEnded = false;

  function* take({ lineNo, text }: BankLine): Generator<ReceiptRow> {
    const line = text.trim();
    if (line === "") {
      yield { lineNo, text, kind: "blank" };
      return;
    }
    const code = /^(\d{2}),?/.exec(line)?.[1] ?? "";
    if (code === "88" && record !== null) {
      if (record.parts.length >= continuationsMax) {
        throw unreadable(`line ${lineNo}: more than ${continuationsMax} records continue one`);
      }
      record.parts.push(line);
      return;
    }
    yield* endRecord();
    if (!known.has(code))
      throw unreadable(`line ${lineNo}: there is no record ${code || line.slice(0, 10)} in BAI2`);
    record = { code, lineNo, parts: [line] };
  }

  function* endRecord(): Generator<ReceiptRow> {
    if (record === null) return;
    const { code, lineNo, parts } = record;
    record = null;
    const place = { lineNo, text: originalText(parts.join("\n")) };
    const fields = fieldsOf(parts);
    if (code === "01") madeAt ??= timeOf(fields[3] ?? "", fields[4] ?? "");
    if (code === "02") openGroup(fields, lineNo);
    if (code === "03") openAccount(fields, lineNo);
    if (code === "49") closeAccount(fields, lineNo);
    if (code === "99") hasEnded = true;
    if (code === "16") yield detail(place, parts);
    else yield { ...place, kind: code > "40" ? "trailer" : "header" };
  }

  function openGroup(fields: readonly string[], lineNo: number): void {
    const refused = refusedStates[fields[3] ?? ""] ?? refusedDays[fields[7] ?? ""];
    if (refused !== undefined) {
      throw unreadable(`line ${lineNo}: ${refused}`);
    }
    if (fields[3] === "3") {
      problems.push(
        `line ${lineNo}: it corrects an earlier group (status 3): withdraw the file that held it first`,
      );
    }
    group = { currency: fields[6] || "USD", day: dayOfShort(fields[4] ?? "") };
  }

  function openAccount(fields: readonly string[], lineNo: number): void {
    if (group === null) throw unreadable(`line ${lineNo}: an account before its group (02)`);
    const currency = fields[2] || group.currency;
    statement = newStatement(statements, { bankAccount: fields[1] ?? "", currency, number: group.day });
    statement.from = group.day;
    statement.to = group.day;
    control = 0n;
    // From the fourth field on: type, amount, item count, funds type, and what the funds type brings along.
    for (let at = 3; at < fields.length;) {
      const type = fields[at] ?? "";
      const units = unitsIn(fields[at + 1] ?? "");
      if (units !== null) control += units;
      if (units !== null && type === "010") statement.opening = money(units, currency);
      if (units !== null && type === "015") statement.closing = money(units, currency);
      at += 4 + fundsFields(fields, at + 3);
    }
  }

  function closeAccount(fields: readonly string[], lineNo: number): void {
    const stated = unitsIn(fields[1] ?? "");
    if (stated !== null && statement !== null && stated !== control) {
      const say = (units: bigint) => money(units, statement?.currency ?? "USD");
      problems.push(
        `line ${lineNo}: the account says that its amounts sum to ${say(stated)}, and they sum to ${say(control)}`,
      );
    }
    statement = null;
  }

  function detail(place: { lineNo: number; text: string }, parts: readonly string[]): ReceiptRow {
    if (statement === null || group === null) {
      throw unreadable(`line ${place.lineNo}: a booking outside of an account`);
    }
    const fields = fieldsOf(parts.slice(0, 1));
    const type = Number(fields[1]);
    const units = unitsIn(fields[2] ?? "");
    if (units === null)
      return rejectRow(place, "amount", `${fields[2] ?? ""} is not an amount in smallest units`);
    control += units;
    const direction = type >= 100 && type < 400 ? "credit" : type >= 400 && type < 700 ? "debit" : null;
    if (direction === null) return rejectRow(place, "direction", `${fields[1] ?? ""} is not a booking code`);
    const skipped = fundsFields(fields, 3);
    const [bankReference, customer] = fields.slice(4 + skipped, 6 + skipped);
    // The text is the last field, and so may hold commas.
    const text = fields.slice(6 + skipped).join(",");
    const continued = parts.slice(1).map((part) => part.replace(/^88,?/, "").replace(/\/$/, ""));
    const valueDate = fields[3] === "V" ? dayOfShort(fields[4] ?? "") : group.day;
    const currency = statement.currency ?? "USD";
    return bookingRow(place, statement, {
      bankAccount: statement.bankAccount,
      valueDate,
      bookingDate: group.day,
      amount: money(units, currency),
      direction,
      currency,
      isReversal: reversals.has(type),
      reference: customer ?? null,
      bankReference: bankReference ?? null,
      otherReferences: [customer ?? null],
      pieces: [text, ...continued],
      counterparty: originatorIn([text, ...continued]),
    });
  }

  return {
    *push(piece) {
      for (const line of splitter.push(piece)) yield* take(line);
    },
    *end() {
      for (const line of splitter.end()) yield* take(line);
      yield* endRecord();
    },
    facts: () => ({
      statements,
      madeAt,
      problems,
      cutOff: hasEnded ? null : "the last record (99) is missing",
    }),
  };
}

const known: ReadonlySet<string> = new Set(["01", "02", "03", "16", "49", "98", "99"]);
/** `ORIG: NAME`, as banks put it among other words. */
function originatorIn(texts: readonly string[]): string | null {
  const found = texts.map((text) => /\bORIG(?:INATOR)?[:=]\s*([^/;=]{2,60})/i.exec(text)?.[1]?.trim());
  return found.find((name) => name !== undefined) ?? null;
}

/** What the bank says of a group that is not money received: its status, and whether its day has ended. */
const refusedStates: Readonly<Record<string, string>> = {
  "2": "the bank takes an earlier group back (status 2): withdraw the file that held it",
  "4": "the group is a test (status 4)",
};
const refusedDays: Readonly<Record<string, string>> = {
  "1": "the report is interim (1): import the final one of that day",
  "3": "the report is of a day that has not ended (3): import the final one of that day",
};

/** Types that take an earlier booking back. */
const reversals: ReadonlySet<number> = new Set([252, 254, 255, 257, 258, 552, 554, 555, 557, 558]);

/** Of a record and what continues it. The slash ends a record; behind it is filling. */
function fieldsOf(parts: readonly string[]): string[] {
  const joined = parts.map((part, at) => (at === 0 ? part : part.replace(/^88,?/, "")).replace(/\/\s*$/, ""));
  return joined
    .join(",")
    .split(",")
    .map((field) => field.trim());
}

/** How many more fields the funds type brings: distributed amounts, or a value date and time. */
function fundsFields(fields: readonly string[], at: number): number {
  const type = fields[at] ?? "";
  if (type === "V") return 2;
  if (type === "S") return 3;
  if (type === "D") return 1 + 2 * Math.min(Number(fields[at + 1]) || 0, 30);
  return 0;
}

function unitsIn(text: string): bigint | null {
  return /^[+-]?\d{1,18}$/.test(text) ? BigInt(text.replace(/^\+/, "")) : null;
}

function money(units: bigint, currency: string): Decimal {
  return decimalFromUnits(units, minorUnits(currency));
}

function timeOf(day: string, clock: string): Instant | null {
  const date = dayOfShort(day);
  const found = /^(\d{2})(\d{2})$/.exec(clock === "2400" || clock === "9999" ? "2359" : clock);
  return date === null || found === null ? null : parseInstant(`${date}T${found[1]}:${found[2]}:00Z`);
}
