import type { ColumnType } from "../report.ts";
import { type CsvRow, readCsvRows } from "../csv-rows.ts";
import { type Output, put, writeCell } from "./cells.ts";

export interface SheetColumn {
  name: string;
  type: ColumnType;
  /** In characters; by its type when not said. */
  width?: number;
}

export interface Sheet {
  name: string;
  columns: readonly SheetColumn[];
  /** CSV as Postgres writes it, the line of names first. */
  csv: Iterable<Buffer> | AsyncIterable<Buffer>;
  /** For columns that people fill in: what they may choose from. */
  choices?: Readonly<Record<string, readonly string[]>>;
}

/** What was written of a sheet; known when its last row is. */
export interface SheetResult {
  /** With the line of names. */
  rows: number;
  cutCells: number;
}

/** With the line of names; the format has no room for more. */
const rowsMax = 1_048_576;
export const sheetRowsMax = rowsMax - 1;

const pieceBytes = 512 * 1024;

/** The markup of a sheet. Its pieces end after the same rows however the CSV was cut, so it always packs to the same bytes. */
export async function* sheetPart(sheet: Sheet, result: SheetResult): AsyncGenerator<Buffer> {
  yield Buffer.from(opening(sheet.columns));
  const types = sheet.columns.map(({ type }) => type);
  let out = newOutput();
  let pieces: Buffer[] = [];
  const flush = () => {
    if (out.at > 0) pieces.push(out.bytes.subarray(0, out.at));
    out = newOutput();
  };
  const rows = readCsvRows(sheet.csv, (row) => {
    writeRow(out, row, types, result);
    if (out.at >= pieceBytes) flush();
  });
  for await (const _ of rows) {
    yield* pieces;
    pieces = [];
  }
  flush();
  yield* pieces;
  yield Buffer.from(closing(sheet, result));
}

function newOutput(): Output {
  return { bytes: Buffer.allocUnsafeSlow(pieceBytes + pieceBytes / 8), at: 0 };
}

const rowOpen = Buffer.from("<row>");
const rowClose = Buffer.from("</row>");

function writeRow(out: Output, row: CsvRow, types: readonly ColumnType[], result: SheetResult): void {
  const { bytes, from, to, quoted, count } = row;
  const isHeader = result.rows === 0;
  put(out, rowOpen);
  for (let column = 0; column < count; column++) {
    const cell = { from: from[column] as number, to: to[column] as number, quoted: quoted[column] === 1 };
    if (writeCell(out, bytes, cell, isHeader ? "header" : (types[column] ?? "text"))) result.cutCells++;
  }
  put(out, rowClose);
  if (++result.rows > rowsMax) throw new RangeError(`a sheet holds ${sheetRowsMax} rows`);
}

const widths: Record<ColumnType, number> = {
  text: 22,
  amount: 18,
  time: 28,
  date: 12,
  integer: 12,
  boolean: 10,
};

function opening(columns: readonly SheetColumn[]): string {
  const cols = columns.map(({ type, name, width = Math.max(widths[type], name.length + 4) }, index) => {
    const place = index + 1;
    return `<col min="${place}" max="${place}" width="${width}" customWidth="1"/>`;
  });
  return `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>${cols.join("")}</cols><sheetData>`;
}

function closing(sheet: Sheet, { rows }: SheetResult): string {
  return `</sheetData><autoFilter ref="A1:${columnLetters(sheet.columns.length)}${rows}"/>${validations(sheet, rows)}</worksheet>`;
}

function validations({ columns, choices = {} }: Sheet, rows: number): string {
  const lists = Object.entries(choices).map(([name, words]) => {
    const letters = columnLetters(columns.findIndex((column) => column.name === name) + 1);
    return `<dataValidation type="list" allowBlank="1" showErrorMessage="1" sqref="${letters}2:${letters}${Math.max(rows, 2)}"><formula1>"${words.join(",")}"</formula1></dataValidation>`;
  });
  if (lists.length === 0) return "";
  return `<dataValidations count="${lists.length}">${lists.join("")}</dataValidations>`;
}

/** 1 is A, 27 is AA. */
export function columnLetters(place: number): string {
  let letters = "";
  for (let rest = place; rest > 0; rest = Math.floor((rest - 1) / 26))
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  return letters;
}
