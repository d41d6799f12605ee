import { setImmediate } from "node:timers/promises";
import type { RowRejectionCode } from "../../core/import-codes.ts";
import { compareInstants, type Instant } from "../../core/instant.ts";
import { isActivity } from "../../core/statement-line.ts";
import {
  copyText,
  encodeValues,
  type IncomingRow,
  type RowOutcome,
} from "../../store/statements/incoming-row.ts";
import type { RejectedFor } from "./describe-rejections.ts";
import { createFactCollector, type FileFacts } from "./file-facts.ts";
import { createKeyTable } from "./key-table.ts";
import { blankRowsMax, charsPerBatch, charsPerTurn, rowsMax, rowsPerBatch, rowsPerTurn } from "./limits.ts";
import { createIdentifier } from "./line-key.ts";
import type { Field, Profile } from "./profile.ts";
import { watchHeaders } from "./other-headers.ts";
import { createLineReader } from "./read-line.ts";
import { providerOf, type ProviderNames } from "./provider-names.ts";
import { createRowReader, type Row } from "./read-rows.ts";
import type { Layout } from "./recognise-layout.ts";
import { unreadable } from "./refusal.ts";
import { createTotalKeeper, type TotalKeeper } from "./statement-totals.ts";

export interface FileReading {
  /** Rows in batches, ready for the tables. */
  batches(): AsyncGenerator<IncomingRow[]>;
  /** After the last batch. */
  outcome(): FileOutcome;
}

export interface FileOutcome {
  readonly counts: Readonly<Record<Exclude<RowOutcome, "duplicate" | "rejected"> | "read" | "file", number>>;
  readonly facts: FileFacts;
  readonly totals: TotalKeeper;
  /** Unique keys that the file has with several contents. Known only afterwards, so the file is then read again. */
  readonly conflicts: ReadonlySet<string>;
  readonly greatestTime: Instant | null;
  /** Times at which the lines took effect, payouts apart, which come later than what they pay for, and balances. */
  readonly activity: { readonly first: Instant; readonly last: Instant } | null;
  /** Rows that were rejected, by reason. */
  readonly rejections: readonly RejectedFor[];
  /** Why the file seems to end too early. */
  readonly cutOff: string | null;
  /** Why it seems to hold several tables. */
  readonly otherTable: string | null;
}

export interface ReadingOptions {
  readonly layout: Layout;
  readonly provider: string;
  readonly providerNames?: ProviderNames | undefined;
  /** Keys of which an earlier reading has shown that they are not unique. */
  readonly conflicts: ReadonlySet<string>;
  /** Ends the reading with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Reads a file from its first row to its last, in constant memory except for a small table of the keys seen. */
export function readFile(
  texts: () => AsyncIterable<string>,
  { layout, provider, providerNames, conflicts, signal }: ReadingOptions,
): FileReading {
  const { profile, headerLineNo, headerText, columns } = layout;
  const facts = createFactCollector(profile);
  const readLine = createLineReader(
    profile,
    columns,
    (word) => providerOf(word, providerNames) === provider,
    provider,
  );
  const identify = createIdentifier(profile);
  const isSkipped = createSkipRule(profile, layout);
  const headers = watchHeaders(layout);
  const totals = createTotalKeeper(profile);
  const keys = createKeyTable();
  const found = new Set<string>();
  const counts = { preamble: 0, header: 0, blank: 0, skipped: 0, trailer: 0, read: 0, file: 0 };
  let greatestTime: Instant | null = null;
  let first: Instant | null = null;
  let last: Instant | null = null;
  let cutOff: string | null = null;
  const rejections = new Map<string, RejectedFor>();

  function reject(row: Row, code: RowRejectionCode, field: Field | null, reason: string): IncomingRow {
    const key = `${code} ${field}`;
    const known = rejections.get(key);
    if (known) known.rows += 1;
    else rejections.set(key, { code, field, reason, lineNo: row.lineNo, rows: 1 });
    return set(row, "rejected", code, field, reason);
  }

  function take(row: Row): IncomingRow {
    counts.file += 1;
    const kind = kindOf(row);
    counts[kind] += 1;
    if (counts.file > rowsMax) {
      throw unreadable(`it has more than ${rowsMax} rows: split it`);
    }
    if (counts.blank > blankRowsMax) {
      throw unreadable(`it has more than ${blankRowsMax} rows without anything in them: remove them`);
    }
    if (kind !== "read") return set(row, kind, null, null, null);
    cutOff = cutOffAt(row, columns.namedCount);
    if (row.problem) return reject(row, row.problem.code, null, row.problem.reason);
    const reading = readLine(row.cells);
    if (reading.kind === "rejection") {
      headers.below(row);
      const { code, field, reason } = reading.rejection;
      return reject(row, code, field, reason);
    }
    const { line, extra, lineId, categoryWord } = reading;
    const values = encodeValues(line, row.text);
    // What is known of a word may change; the word in the file does not, and so it identifies.
    const printed = categoryWord === line.category ? line : { ...line, category: categoryWord };
    const printedValues = printed === line ? values : encodeValues(printed, row.text);
    const { key, contentHash, isCounted } = identify(printed, printedValues, lineId);
    if (key === null) {
      return reject(row, "row_missing_key", null, "the columns that identify a line are empty");
    }
    const occurrence = isCounted ? keys.count(key) : 1;
    const met = isCounted ? "new" : keys.compare(key, contentHash);
    totals.add(line, { repeated: met !== "new" || conflicts.has(key) });
    if (met === "other") found.add(key);
    if (met === "other" || conflicts.has(key)) {
      return reject(row, "row_key_conflict", null, "the file has this key with several contents");
    }
    // Only of rows that become lines: what was rejected proves nothing about the days it lies on.
    noteTimes(isActivity(line.lineType), line.effectiveAt, line.createdAt);
    const encoded = `${values}\t${extra === null ? "\\N" : copyText(JSON.stringify(extra))}`;
    const { lineNo, text } = row;
    const isNew = met === "new";
    return {
      lineNo,
      text,
      outcome: isNew ? null : "duplicate",
      code: isNew ? null : "row_duplicate_in_file",
      field: null,
      reason: isNew ? null : "the same row again",
      line: { key, occurrence, contentHash, encoded },
    };
  }

  function kindOf(row: Row): keyof typeof counts & (RowOutcome | "read") {
    const isBlank = row.problem === null && row.cells.every((cell) => cell.trim() === "");
    if (isBlank) return "blank";
    if (row.lineNo <= headerLineNo) headers.above(row);
    if (row.lineNo < headerLineNo) {
      facts.take(row.cells);
      return "preamble";
    }
    if (row.text === headerText) return "header";
    if (row.problem === null && facts.take(row.cells)) return "trailer";
    return row.problem === null && isSkipped(row.cells) ? "skipped" : "read";
  }

  function noteTimes(countsForPeriod: boolean, effectiveAt: Instant, createdAt: Instant | null): void {
    if (isLater(effectiveAt, greatestTime)) greatestTime = effectiveAt;
    if (createdAt !== null && isLater(createdAt, greatestTime)) greatestTime = createdAt;
    if (!countsForPeriod) return;
    if (first === null || isLater(first, effectiveAt)) first = effectiveAt;
    if (isLater(effectiveAt, last)) last = effectiveAt;
  }

  async function* batches(): AsyncGenerator<IncomingRow[]> {
    const rows = createRowReader(layout);
    let batch: IncomingRow[] = [];
    let chars = 0;
    for await (const text of texts()) {
      for (let at = 0; at < text.length; at += charsPerTurn) {
        signal?.throwIfAborted();
        for (const row of rows.push(text.slice(at, at + charsPerTurn))) {
          batch.push(take(row));
          chars += row.text.length;
          if (batch.length % rowsPerTurn === 0) await setImmediate();
        }
        if (batch.length >= rowsPerBatch || chars > charsPerBatch) {
          yield batch;
          batch = [];
          chars = 0;
        }
        // Others are served by this thread too.
        await setImmediate();
      }
    }
    for (const row of rows.end()) batch.push(take(row));
    if (batch.length > 0) yield batch;
  }

  return {
    batches,
    outcome: () => ({
      counts,
      facts: facts.facts(),
      totals,
      conflicts: found,
      greatestTime,
      activity: first !== null && last !== null ? { first, last } : null,
      rejections: [...rejections.values()],
      cutOff,
      otherTable: headers.problem(),
    }),
  };
}

function isLater(a: Instant, b: Instant | null): boolean {
  if (b === null) return true;
  // Of the same length, as nearly all are, texts of times are in the order of time.
  return a.length === b.length ? a > b : compareInstants(a, b) > 0;
}

function set(
  { lineNo, text }: Row,
  outcome: RowOutcome | null,
  code: string | null,
  field: string | null,
  reason: string | null,
): IncomingRow {
  return { lineNo, text, outcome, code, field, reason, line: null };
}

/** A last row without its line break and with too few columns was cut, and so was all that stood below it. */
function cutOffAt(row: Row, columnCount: number): string | null {
  if (row.ended) return null;
  if (row.problem?.open === true) return `line ${row.lineNo}, the last, ends inside a quoted cell`;
  if (row.problem !== null || row.cells.length >= columnCount) return null;
  return `line ${row.lineNo}, the last, has ${row.cells.length} of ${columnCount} columns`;
}

function createSkipRule(profile: Profile, { columns }: Layout): (cells: readonly string[]) => boolean {
  const rules = profile.skip.map(({ field, values }) => ({
    indexes: columns.indexes.get(field) ?? [],
    values: new Set(values.map((value) => value.toLowerCase())),
  }));
  return (cells) =>
    rules.some(({ indexes, values }) =>
      indexes.some((index) => values.has((cells[index] ?? "").trim().toLowerCase())),
    );
}
