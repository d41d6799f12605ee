import { hash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { addDecimals, negateDecimal } from "../../core/decimal.ts";
import { compareInstants } from "../../core/instant.ts";
import { parseDay, startOfDay } from "../../core/period.ts";
import type { ReceiptLine } from "../../core/receipt-line.ts";
import { utc, type Zone } from "../../core/zone.ts";
import { contentOf, encodeReceipt } from "../../store/receipts/receipt-columns.ts";
import type { IncomingRow } from "../../store/statements/incoming-row.ts";
import { createKeyTable } from "../statement/key-table.ts";
import { blankRowsMax, charsPerTurn, rowsMax, rowsPerBatch, rowsPerTurn } from "../statement/limits.ts";
import { unreadable } from "../statement/refusal.ts";
import { asVersion1, type ReaderFacts, type ReceiptReader, type ReceiptRow } from "./reader.ts";

export interface ReceiptReading {
  batches(): AsyncGenerator<IncomingRow[]>;
  /** After the last batch. */
  outcome(): ReceiptOutcome;
}

export interface ReceiptOutcome {
  readonly facts: ReaderFacts;
  readonly rows: { readonly file: number; readonly read: number; readonly other: number };
  readonly rejected: readonly { lineNo: number; reason: string }[];
  /** The first and the last day of its lines. */
  readonly days: { readonly first: string; readonly last: string } | null;
}

const rejectedShownMax = 3;

/**
 * Raised when the same bytes may be read otherwise than before. 2: free text is kept whatever it says. 3: signs, states and
 * charges that were taken for something else; names broken over several pieces of text.
 */
export const receiptParserVersion = 3;

interface ReadOptions {
  readonly signal?: AbortSignal | undefined;
  /** As which version a kept file is read again. */
  readonly version?: number;
  /** Of the account's months. */
  readonly zone?: Zone;
}

/** Reads a bank's file from its first row to its last, in constant memory, and lets others have their turn meanwhile. */
export function readReceipts(
  texts: () => AsyncIterable<string>,
  reader: ReceiptReader,
  { signal, version = receiptParserVersion, zone = utc }: ReadOptions = {},
): ReceiptReading {
  const keys = createKeyTable();
  const rejected: { lineNo: number; reason: string }[] = [];
  let rowNo = 0;
  let read = 0;
  let blank = 0;
  let first: string | null = null;
  let last: string | null = null;

  function take(row: ReceiptRow): IncomingRow {
    rowNo += 1;
    if (row.kind === "blank") blank += 1;
    if (rowNo > rowsMax || blank > blankRowsMax) {
      throw unreadable(`it has more than ${rowsMax} rows, or ${blankRowsMax} blank ones: split it`);
    }
    // Every field is written out: to spread an object into another takes several microseconds, once for every row.
    const { lineNo: placeNo, text } = row;
    if (row.kind === "rejected") {
      read += 1;
      const { code, field, reason } = row;
      if (rejected.length < rejectedShownMax) rejected.push({ lineNo: placeNo, reason });
      return { lineNo: rowNo, placeNo, text, outcome: "rejected", code, field, reason, line: null };
    }
    if (row.kind !== "line") {
      const reason = row.reason ?? null;
      return { lineNo: rowNo, placeNo, text, outcome: row.kind, code: null, field: null, reason, line: null };
    }
    read += 1;
    const { line, of } = row;
    of.sum = addDecimals(of.sum, line.direction === "credit" ? line.amount : negateDecimal(line.amount));
    of.lineCount += 1;
    if (first === null || line.valueDate < first) first = line.valueDate;
    if (last === null || line.valueDate > last) last = line.valueDate;
    const placed = zone === utc ? line : inItsDay(line, zone);
    const kept = version === 1 ? asVersion1(placed) : placed;
    const encoded = encodeReceipt(kept);
    const contentHash = hash("sha256", contentOf(encoded), "hex");
    // Without a number of the bank's, a booking is known by all that is said of it, and how often it is said. Said as earlier
    // versions read it: a booking that was imported then stays the same one.
    const before = asVersion1(row.was ?? line);
    const id =
      row.id ?? (before === kept ? contentHash : hash("sha256", contentOf(encodeReceipt(before)), "hex"));
    const key = id.length > keyCharsMax ? hash("sha256", id, "hex") : id;
    return {
      lineNo: rowNo,
      placeNo,
      text,
      outcome: null,
      code: null,
      field: null,
      reason: null,
      line: { key, occurrence: keys.count(key), contentHash, encoded },
    };
  }

  async function* batches(): AsyncGenerator<IncomingRow[]> {
    let batch: IncomingRow[] = [];
    async function* rowsOf(rows: Iterable<ReceiptRow>): AsyncGenerator<IncomingRow[]> {
      let sinceRest = 0;
      for (const row of rows) {
        batch.push(take(row));
        if (batch.length >= rowsPerBatch) {
          yield batch;
          batch = [];
        }
        if (++sinceRest % rowsPerTurn === 0) await setImmediate();
      }
    }
    for await (const text of texts()) {
      for (let at = 0; at < text.length; at += charsPerTurn) {
        signal?.throwIfAborted();
        yield* rowsOf(reader.push(text.slice(at, at + charsPerTurn)));
        // Others are served by this thread too.
        await setImmediate();
      }
    }
    yield* rowsOf(reader.end());
    if (batch.length > 0) yield batch;
  }

  return {
    batches,
    outcome: () => ({
      facts: reader.facts(),
      rows: { file: rowNo, read, other: rowNo - read },
      rejected,
      days: first !== null && last !== null ? { first, last } : null,
    }),
  };
}

/**
 * A bank's day is that day in UTC and in the zone of the account's months: west of Greenwich it begins later, or the first of a
 * month would count in the month before.
 */
function inItsDay(line: ReceiptLine, zone: Zone): ReceiptLine {
  const day = parseDay(line.bookingDate ?? line.valueDate);
  if (day === null || line.effectiveAt !== startOfDay(day, utc)) return line;
  const start = startOfDay(day, zone);
  return compareInstants(start, line.effectiveAt) > 0 ? { ...line, effectiveAt: start } : line;
}

/** Beyond this an index could not hold it. */
const keyCharsMax = 400;
