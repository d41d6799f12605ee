import {
  type DecisionWord,
  decisionWords,
  discrepancySheet,
  editedColumns,
  rowColumns,
  sheetRowsMax,
} from "../core/discrepancy-sheet.ts";
import { TieoutError } from "../core/errors.ts";
import type { RefusedChange } from "../store/books/discrepancy-changes.ts";
import { openWorkbook } from "./workbook/open-workbook.ts";
import { readSheet } from "./workbook/read-sheet.ts";
import { WorkbookError } from "./workbook/workbook-error.ts";

export interface RefusedRow {
  readonly row: number;
  readonly id: number | null;
  readonly code: ReviewRefusal;
  readonly reason: string;
}

type ReviewRefusal = RefusedChange["why"] | "invalid_row" | "given_twice";

export interface Edit {
  readonly row: number;
  readonly id: number;
  readonly version: number;
  readonly decision: DecisionWord | null;
  readonly owner: string | null;
  readonly note: string | null;
}

type ReadRow = { edit: Edit } | { refused: RefusedRow };

/** The rows of a workbook that was sent back, each as it asks to be changed, or why it cannot be read. */
export async function readReviewRows(bytes: AsyncIterable<Buffer>): Promise<ReadRow[]> {
  try {
    const book = await openWorkbook(bytes);
    const sheet = book.sheets.find(({ name }) => name === discrepancySheet);
    if (sheet === undefined)
      throw new WorkbookError(`it has no sheet ${discrepancySheet}: send back the one that was downloaded`);
    const notes = { formulas: 0, hiddenRows: 0 };
    const found: ReadRow[] = [];
    const given = new Set<number>();
    let columns: Columns | null = null;
    for await (const rows of readSheet(book, sheet, forms, notes)) {
      for (const { rowNo, cells } of rows) {
        if (columns === null) columns = findColumns(cells);
        else found.push(readRow(rowNo, cells, columns, given));
        if (found.length > sheetRowsMax)
          throw new WorkbookError(`it has more than ${sheetRowsMax} rows: send it back in parts`);
      }
    }
    if (columns === null) throw new WorkbookError("it is empty: send back the one that was downloaded");
    return found;
  } catch (error) {
    if (!(error instanceof WorkbookError)) throw error;
    throw new TieoutError("review_refused", `the workbook was not read: ${error.message}`);
  }
}

const forms = {
  columnsMax: 100,
  number: (decimal: string) => decimal,
  percent: (decimal: string) => decimal,
  time: (wallMs: number) => new Date(wallMs).toISOString(),
};

type Columns = Readonly<Record<keyof typeof rowColumns | keyof typeof editedColumns, number>>;

/** By their names: columns may have been moved, added or taken out, but for these. */
function findColumns(header: readonly string[]): Columns {
  const place = (name: string) => {
    const found = header.indexOf(name);
    if (found === -1)
      throw new WorkbookError(
        `the column ${name} is missing in its first row: send back the one that was downloaded`,
      );
    return found;
  };
  return {
    id: place(rowColumns.id),
    version: place(rowColumns.version),
    decision: place(editedColumns.decision),
    owner: place(editedColumns.owner),
    note: place(editedColumns.note),
  };
}

function readRow(row: number, cells: readonly string[], columns: Columns, given: Set<number>): ReadRow {
  const long = Object.values(columns).find((at) => (cells[at]?.length ?? 0) > cellCharsMax);
  const cell = (name: keyof Columns) => (cells[columns[name]] ?? "").trim() || null;
  // Before anything is built from it: thousands of cells may share one long text.
  if (long !== undefined)
    return {
      refused: {
        row,
        id: null,
        code: "invalid_row",
        reason: `column ${long + 1} has more than ${cellCharsMax} characters`,
      },
    };
  const id = /^dis_([1-9]\d{0,14})$/.exec(cell("id") ?? "")?.[1];
  const refuse = (reason: string, code: ReviewRefusal = "invalid_row"): ReadRow => ({
    refused: { row, id: id === undefined ? null : Number(id), code, reason },
  });
  if (id === undefined) return refuse(`${rowColumns.id} is not an id such as dis_12`);
  const version = cell("version") ?? "";
  if (!/^[1-9]\d{0,8}$/.test(version))
    return refuse(`${rowColumns.version} is not the number that was downloaded`);
  if (given.has(Number(id))) return refuse("the same discrepancy is in a row further up", "given_twice");
  given.add(Number(id));
  const word = cell("decision")?.toLowerCase() ?? null;
  const decision = decisionWords.find((one) => one === word) ?? null;
  if (word !== null && decision === null)
    return refuse(
      `${JSON.stringify(word.slice(0, 40))} is not a decision: choose one of ${decisionWords.join(", ")}`,
    );
  const [owner, note] = [cell("owner"), cell("note")];
  if ((decision === "resolve" || decision === "write_off") && note === null)
    return refuse(`${decision} needs a reason: write it into ${editedColumns.note}`);
  if ((owner?.length ?? 0) > ownerCharsMax)
    return refuse(`${editedColumns.owner} has more than ${ownerCharsMax} characters`);
  if ((note?.length ?? 0) > noteCharsMax)
    return refuse(`${editedColumns.note} has more than ${noteCharsMax} characters`);
  return { edit: { row, id: Number(id), version: Number(version), decision, owner, note } };
}

const ownerCharsMax = 100;
const noteCharsMax = 2_000;
/** Spaces around a text are ignored, but a cell this long is not a typing mistake. */
const cellCharsMax = 10_000;
