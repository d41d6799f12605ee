import { parseDecimal } from "../../core/decimal.ts";
import { rowsMax } from "./limits.ts";
import { createTextGatherer, type SheetInfo, type Workbook } from "./open-workbook.ts";
import { type Attributes, xmlPieces } from "./read-xml.ts";
import { WorkbookError } from "./workbook-error.ts";

export interface SheetRow {
  /** As the spreadsheet counts, from 1. */
  readonly rowNo: number;
  readonly cells: readonly string[];
}

/** How values that are not texts are to be written. */
export interface CellForms {
  /** `column` is counted from 0. */
  number(decimal: string, column: number): string;
  /** Of a number that is shown times a hundred, with a sign for percent. */
  percent(decimal: string, column: number): string;
  /** Of a day or a time on the wall clock, given as if it were UTC. */
  time(wallMs: number, column: number): string;
  readonly columnsMax: number;
}

/** What a reader should know of the rows beside what they say. */
export interface SheetNotes {
  formulas: number;
  hiddenRows: number;
}

/** The rows of a sheet, as many at a time as a piece of it brings. Rows without cells are left out. */
export async function* readSheet(
  book: Workbook,
  { part }: SheetInfo,
  forms: CellForms,
  notes: SheetNotes,
): AsyncGenerator<SheetRow[]> {
  let rows: SheetRow[] = [];
  const reader = createSheetReader(book, forms, notes, (row) => rows.push(row));
  for await (const _ of xmlPieces(book.archive.read(part), reader)) {
    if (rows.length === 0) continue;
    yield rows;
    rows = [];
  }
}

function createSheetReader(
  book: Workbook,
  forms: CellForms,
  notes: SheetNotes,
  take: (row: SheetRow) => void,
) {
  const gather = createTextGatherer();
  let rowNo = 0;
  let cells: string[] = [];
  let value: string | null = null;
  let isValue = false;
  let hasFormula = false;
  let type = "n";
  let style = 0;
  let column = 0;

  function beginCell(attribute: Attributes): void {
    const reference = attribute("r");
    const next = reference === null ? column + 1 : columnOf(reference);
    if (next === null || next <= column || next > forms.columnsMax)
      throw new WorkbookError(
        `row ${rowNo} has a cell ${JSON.stringify((reference ?? `in column ${next}`).slice(0, 12))} where none can be; at most ${forms.columnsMax} columns are read`,
      );
    column = next;
    type = attribute("t") ?? "n";
    style = Number(attribute("s") ?? 0);
    value = null;
    hasFormula = false;
    gather.clear();
  }

  function endCell(): void {
    if (hasFormula) {
      notes.formulas += 1;
      if (value === null && type !== "inlineStr")
        throw new WorkbookError(
          `the cell in row ${rowNo}, column ${column} is a formula without a saved value: open the workbook, save it, and send it again`,
        );
    }
    const text = textOf();
    if (text === "") return;
    while (cells.length < column - 1) cells.push("");
    cells.push(text);
  }

  function textOf(): string {
    if (type === "inlineStr") return gather.value();
    // Some programs write an empty value into an empty cell: as a number it would be the first shared text, or the first day.
    if (value === null || value === "") return "";
    if (type === "s") {
      const text = book.sharedTexts[Number(value)];
      if (text === undefined)
        throw new WorkbookError(
          `row ${rowNo}, column ${column} has a text that is not in the workbook: save it again`,
        );
      return text;
    }
    if (type === "b") return value === "1" ? "TRUE" : "FALSE";
    if (type !== "n") return value;
    const kind = book.kinds[style];
    if (kind === "time") {
      const wallMs = wallOf(Number(value), book.from1904);
      if (wallMs !== null) return forms.time(wallMs, column - 1);
    }
    const decimal = decimalOf(value);
    if (decimal === null) return value;
    return kind === "percent" ? forms.percent(decimal, column - 1) : forms.number(decimal, column - 1);
  }

  return {
    open(name: string, attribute: Attributes) {
      if (name === "row") {
        const stated = attribute("r");
        const next = stated === null ? rowNo + 1 : Number(stated);
        if (!Number.isInteger(next) || next <= rowNo || next > rowsMax)
          throw new WorkbookError(
            `row ${JSON.stringify(stated)} does not follow row ${rowNo}: save it again`,
          );
        rowNo = next;
        cells = [];
        column = 0;
        if (["1", "true"].includes(attribute("hidden") ?? "")) notes.hiddenRows += 1;
      } else if (name === "c") beginCell(attribute);
      else if (name === "f") hasFormula = true;
      else if (name === "v") {
        isValue = true;
        value = "";
      } else gather.open(name);
    },
    text(text: string) {
      if (isValue) {
        value = (value ?? "") + text;
        if (value.length > valueCharsMax)
          throw new WorkbookError(`row ${rowNo} has a value that is too long`);
      } else gather.text(text);
    },
    close(name: string) {
      if (name === "v") isValue = false;
      else if (name === "c") endCell();
      else if (name === "row") {
        if (cells.length > 0) take({ rowNo, cells });
      } else gather.close(name);
    },
  };
}

const valueCharsMax = 100_000;

/** `B7` is in column 2; `null` for what is not a cell. */
function columnOf(reference: string): number | null {
  const letters = /^([A-Z]{1,3})\d{1,7}$/.exec(reference)?.[1];
  if (letters === undefined) return null;
  let column = 0;
  for (const letter of letters) column = column * 26 + ((letter.codePointAt(0) ?? 0) - 64);
  return column;
}

/**
 * The number that was meant. Spreadsheets keep doubles and write 17 digits of them: 1.1 stands there as
 * 1.1000000000000001. What is exactly such a double is the number of 15 digits that people see; anything else was written by
 * a program that knew more digits, and keeps them. So does a whole number that is written out: nothing is left over in it, and it
 * may be an id.
 */
function decimalOf(text: string): string | null {
  const exact = parseDecimal(text);
  if (exact === null || /^-?\d+$/.test(text)) return exact;
  const digits = exact.replace("-", "").replace(".", "").replace(/^0+/, "").replace(/0+$/, "").length;
  if (digits <= digitsShown) return exact;
  const double = Number(text);
  const written = [double.toPrecision(17), String(double)].map(parseDecimal);
  return written.includes(exact) ? parseDecimal(double.toPrecision(digitsShown)) : exact;
}

const digitsShown = 15;
const dayMs = 86_400_000;
/** The days from 30 December 1899, and from 1 January 1904, to 1970. */
const daysTo1970 = { from1900: 25_569, from1904: 24_107 };
const lastDay = 2_958_466;

/** To the millisecond: the rest is the rounding error of a double. */
function wallOf(serial: number, from1904: boolean): number | null {
  if (!Number.isFinite(serial) || serial < 0 || serial >= lastDay) return null;
  return Math.round((serial - (from1904 ? daysTo1970.from1904 : daysTo1970.from1900)) * dayMs);
}
