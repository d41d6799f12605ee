import { columnsMax, linesPerRowMax, lineCharsMax, rejectedTextCharsMax, unclosedRowsMax } from "./limits.ts";
import { unreadable } from "./refusal.ts";
import { type Cells, type CellSplitter, createCellSplitter } from "./split-cells.ts";

/** A row of the file, or what stands where a row should be. */
export interface Row {
  /** Of the physical line on which it begins, counted from 1. */
  readonly lineNo: number;
  /** As it stands in the file; cut when it is longer than a row may be. */
  readonly text: string;
  readonly cells: readonly string[];
  readonly problem: RowProblem | null;
  /** Whether a line break follows: without one, the file may have been cut off here. */
  readonly ended: boolean;
}

export interface RowProblem {
  readonly code: "row_unparseable" | "row_too_long";
  readonly reason: string;
  /** The quote never closes: at the end of a file this means that the rest is missing. */
  readonly open: boolean;
}

export interface RowReader {
  /** The rows that this piece of text completes. */
  push(text: string): Row[];
  /** The last row, when no line break follows it. */
  end(): Row[];
}

/** Rows from pieces of text. Holds one row at most, however large the file, and no bad row stops the next. */
export function createRowReader(
  { delimiter, lineBreak = "\n" }: { delimiter: string; lineBreak?: "\n" | "\r" },
  // Tests count its work, and so prove that no line is read over and over.
  createSplitter: typeof createCellSplitter = createCellSplitter,
): RowReader {
  let rest = "";
  let lineNo = 0;
  let skipping = false;
  let held: OpenRow | null = null;
  let unclosed = 0;

  function takeLine(text: string, ended: boolean, rows: Row[]): void {
    lineNo += 1;
    const clean = text.endsWith("\r") ? text.slice(0, -1) : text;
    const cells = held === null && !clean.includes('"') ? clean.split(delimiter) : null;
    // Nearly all rows: no quote, so nothing to hold.
    if (cells !== null && cells.length <= columnsMax)
      rows.push({ lineNo, text: clean, cells, problem: null, ended });
    else takeNext({ lineNo, text: clean, ended, tries: 0 }, rows);
  }

  /** The line ends the row that is open, or goes on with it, or begins one. */
  function takeNext(line: Line, rows: Row[]): void {
    const row = held ?? { lines: [], chars: 0, splitter: createSplitter(delimiter) };
    row.lines.push(line);
    row.chars += line.text.length + 1;
    const split = row.splitter.push(line.text);
    const mayGoOn = line.ended && row.lines.length < linesPerRowMax && row.chars < lineCharsMax;
    if (split.kind === "open" && mayGoOn) {
      held = row;
      return;
    }
    held = null;
    if (split.kind === "open") giveUp(row.lines, rows);
    else rows.push(rowOf(row.lines, split));
  }

  /**
   * The quote is never closed. What was held back is read again, so that one forgotten quote costs one row; but not over
   * and over: lines that all open a quote would otherwise cost the square of their number.
   */
  function giveUp([first, ...others]: Line[], rows: Row[]): void {
    if (!first) return;
    rows.push(neverClosed(first, others.at(-1)?.ended ?? first.ended));
    for (const line of others) {
      if (line.tries < triesMax || held !== null) {
        line.tries += 1;
        takeNext(line, rows);
      } else takeAlone(line, rows);
    }
  }

  /** `ended` of the last line that was held for it: a file that ends inside a quote was cut off. */
  function neverClosed({ lineNo: place, text }: Line, ended: boolean): Row {
    unclosed += 1;
    if (unclosed > unclosedRowsMax) {
      throw unreadable(
        `more than ${unclosedRowsMax} of its rows have a quote that is never closed: export it again as CSV`,
      );
    }
    return rejected({ lineNo: place, text, ended }, "row_unparseable", "a quote is never closed", true);
  }

  function takeAlone(line: Line, rows: Row[]): void {
    const split = createSplitter(delimiter).push(line.text);
    rows.push(split.kind === "open" ? neverClosed(line, line.ended) : rowOf([line], split));
  }

  function takeTooLong(text: string, rows: Row[]): void {
    const open = held?.lines ?? [];
    held = null;
    for (const line of open) takeAlone(line, rows);
    lineNo += 1;
    rows.push(
      rejected({ lineNo, text, ended: true }, "row_too_long", `longer than ${lineCharsMax} characters`),
    );
  }

  return {
    push(piece) {
      const rows: Row[] = [];
      let at = 0;
      // Looked for in the new piece only: a long line may come in many small ones.
      for (let end = piece.indexOf(lineBreak); end >= 0; end = piece.indexOf(lineBreak, at)) {
        const line = rest + piece.slice(at, end);
        rest = "";
        at = end + 1;
        if (skipping) skipping = false;
        else if (line.length > lineCharsMax) takeTooLong(line, rows);
        else takeLine(line, true, rows);
      }
      if (skipping) return rows;
      rest += at === 0 ? piece : piece.slice(at);
      if (rest.length > lineCharsMax) {
        takeTooLong(rest, rows);
        skipping = true;
        rest = "";
      }
      return rows;
    },
    end() {
      const rows: Row[] = [];
      if (rest !== "") takeLine(rest, false, rows);
      rest = "";
      // The file ends inside a quote. Each round gives up one line at least.
      while (held !== null) {
        const { lines }: OpenRow = held;
        const last = lines.at(-1);
        if (last) last.ended = false;
        held = null;
        giveUp(lines, rows);
      }
      return rows;
    },
  };
}

/** A physical line. */
interface Line {
  readonly lineNo: number;
  readonly text: string;
  ended: boolean;
  /** How often it was read as part of a row that was then given up. */
  tries: number;
}

/** A row whose quote is still open. */
interface OpenRow {
  readonly lines: Line[];
  chars: number;
  readonly splitter: CellSplitter;
}

const triesMax = 2;

function rowOf(lines: readonly Line[], split: Exclude<Cells, { kind: "open" }>): Row {
  const [first] = lines;
  const text = lines.length === 1 ? (first?.text ?? "") : lines.map((line) => line.text).join("\n");
  const lineNo = first?.lineNo ?? 0;
  const ended = lines.at(-1)?.ended ?? true;
  const whole = { lineNo, text, ended };
  if (split.kind === "malformed") return rejected(whole, "row_unparseable", split.why);
  if (split.cells.length > columnsMax)
    return rejected(
      whole,
      "row_unparseable",
      `${split.cells.length} columns; at most ${columnsMax} are read`,
    );
  return { lineNo, text, cells: split.cells, problem: null, ended };
}

function rejected(
  { lineNo, text, ended }: Pick<Row, "lineNo" | "text" | "ended">,
  code: RowProblem["code"],
  reason: string,
  open = false,
): Row {
  const problem = { code, reason, open };
  return { lineNo, text: startOf(text), cells: [], problem, ended };
}

/** Copied: a slice would keep the whole row in memory, and thousands of rows are held at once. */
function startOf(text: string): string {
  if (text.length <= rejectedTextCharsMax) return text;
  return Buffer.from(text.slice(0, rejectedTextCharsMax), "utf16le").toString("utf16le");
}
