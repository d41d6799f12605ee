import { columnsMax, linesPerRowMax, lineCharsMax, rejectedTextCharsMax } from "./limits.ts";
import { splitCells } from "./split-cells.ts";

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
export function createRowReader({
  delimiter,
  lineBreak = "\n",
}: {
  delimiter: string;
  lineBreak?: "\n" | "\r";
}): RowReader {
  let rest = "";
  let lineNo = 0;
  let skipping = false;
  /** Lines of a row whose quote is still open. */
  let held: { lineNo: number; text: string; ended: boolean }[] = [];

  function takeLine(text: string, ended: boolean, rows: Row[]): void {
    lineNo += 1;
    const clean = text.endsWith("\r") ? text.slice(0, -1) : text;
    takeRow([...held, { lineNo, text: clean, ended }], rows);
  }

  function takeRow(lines: typeof held, rows: Row[]): void {
    const first = lines[0];
    if (!first) return;
    const text = lines.length === 1 ? first.text : lines.map((line) => line.text).join("\n");
    const ended = lines.at(-1)?.ended ?? true;
    const split = splitCells(text, delimiter);
    held = [];
    const reject = (code: RowProblem["code"], reason: string, open = false) => {
      const shown = (open ? first.text : text).slice(0, rejectedTextCharsMax);
      rows.push({ lineNo: first.lineNo, text: shown, cells: [], problem: { code, reason, open }, ended });
    };
    if (split.kind === "open" && ended && lines.length < linesPerRowMax && text.length < lineCharsMax) {
      held = lines;
    } else if (split.kind === "open") {
      reject("row_unparseable", "a quote is never closed", true);
      // What was held back is read again, each line for itself: one forgotten quote costs one row.
      for (const line of lines.slice(1)) takeRow([...held, line], rows);
    } else if (split.kind === "malformed") {
      reject("row_unparseable", split.why);
    } else if (split.cells.length > columnsMax) {
      reject("row_unparseable", `${split.cells.length} columns; at most ${columnsMax} are read`);
    } else {
      rows.push({ lineNo: first.lineNo, text, cells: split.cells, problem: null, ended });
    }
  }

  function takeTooLong(text: string, rows: Row[]): void {
    for (const line of held.splice(0)) takeRow([{ ...line, ended: false }], rows);
    lineNo += 1;
    const problem = {
      code: "row_too_long",
      reason: `longer than ${lineCharsMax} characters`,
      open: false,
    } as const;
    rows.push({ lineNo, text: text.slice(0, rejectedTextCharsMax), cells: [], problem, ended: true });
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
      // A quote that is open now will not be closed any more.
      const last = held.pop();
      if (last) takeRow([...held, { ...last, ended: false }], rows);
      return rows;
    },
  };
}
