import { setImmediate } from "node:timers/promises";
import { openWorkbook, type SheetInfo, type Workbook } from "../workbook/open-workbook.ts";
import { type CellForms, readSheet, type SheetNotes } from "../workbook/read-sheet.ts";
import { WorkbookError } from "../workbook/workbook-error.ts";
import { cellText } from "./cell-text.ts";
import { fileBytesMax, headerLinesMax, lineCharsMax, linesPerRowMax, uploadBytesMax } from "./limits.ts";
import { type Layout, type LayoutQuestion, recogniseLayout } from "./recognise-layout.ts";
import { FileProblemError, unreadable } from "./refusal.ts";
import { type FileWarning, type TableChoice, warnIf } from "./table-choice.ts";
import { formsOf, notingForms, plainForms } from "./workbook-forms.ts";

const noSheet = "it has no sheet that can be seen: show the one with the statement";

/**
 * Looks for the statement among the sheets that people see, in their order: the first whose header a profile knows is it.
 * A hidden one is never read, and said to be there.
 */
export async function recogniseWorkbook(
  bytes: AsyncIterable<Buffer>,
  question: Omit<LayoutQuestion, "head" | "isMadeOfCells">,
): Promise<TableChoice> {
  return asFileProblem(async () => {
    const book = await openWorkbook(bytes);
    let refused: unknown = new WorkbookError(noSheet);
    const visible = book.sheets.filter(({ isHidden }) => !isHidden);
    for (const [at, sheet] of visible.entries()) {
      const exactColumns = new Set<number>();
      const head = await headOf(book, sheet, notingForms(exactColumns));
      try {
        const layout = recogniseLayout({ ...question, head, isMadeOfCells: true });
        const alike: string[] = [];
        for (const other of visible.slice(at + 1))
          if (hasRowsBelow(await headOf(book, other), layout.headerText)) alike.push(other.name);
        return {
          layout: { ...layout, sheet: sheet.name, exactColumns },
          head,
          warnings: aboutSheets(book, sheet),
          alike,
        };
      } catch (error) {
        if (!(error instanceof FileProblemError)) throw error;
        refused = refused instanceof WorkbookError ? error : refused;
      }
    }
    throw refused;
  });
}

/** The start of the first sheet that people see, for a person about to say what its columns are. */
export async function firstSheetText(bytes: AsyncIterable<Buffer>): Promise<string> {
  return asFileProblem(async () => {
    const book = await openWorkbook(bytes);
    const sheet = book.sheets.find(({ isHidden }) => !isHidden);
    if (sheet === undefined) throw new WorkbookError(noSheet);
    return headOf(book, sheet);
  });
}

export function aboutRows({ formulas, hiddenRows }: SheetNotes): FileWarning[] {
  return [
    ...warnIf(
      formulas > 0,
      "workbook_formulas",
      `${formulas} cells are formulas: they count as what was saved of them, and nothing is computed`,
    ),
    ...warnIf(
      hiddenRows > 0,
      "workbook_hidden_rows",
      `${hiddenRows} rows are hidden in the workbook, and are read`,
    ),
  ];
}

/** The text of the sheet as the profile reads it. */
export async function* workbookText(
  bytes: AsyncIterable<Buffer>,
  layout: Layout,
  notes: SheetNotes,
): AsyncGenerator<string> {
  const { sheet: name, columns } = layout;
  try {
    const book = await openWorkbook(bytes);
    const sheet = book.sheets.find((one) => one.name === name);
    if (sheet === undefined) throw new WorkbookError(`the sheet ${JSON.stringify(name)} is missing`);
    yield* sheetText(book, sheet, { ...formsOf(layout), width: columns.count }, notes);
  } catch (error) {
    throw asFileProblemError(error);
  }
}

/**
 * One line for each row, so that a line's number is that of its row; a line break in a cell becomes a space. Empty cells at
 * the end of a row are not in the file, and are written up to the width of the header.
 *
 * A few letters may stand for a text of any length that cells share, so the text is handed on in pieces before it is long.
 * A row that is longer than a row may be is given up there and then: its reader rejects it by its length.
 */
async function* sheetText(
  book: Workbook,
  sheet: SheetInfo,
  forms: CellForms & { width?: number },
  notes: SheetNotes,
): AsyncGenerator<string> {
  const { width = 0 } = forms;
  let rowNo = 0;
  let text = "";
  let chars = 0;

  async function handOn(): Promise<string> {
    const piece = text;
    text = "";
    chars += piece.length;
    if (chars > charsMaxOf(book)) throw new WorkbookError(tooMuchText);
    // Others are served by this thread too.
    await setImmediate();
    return piece;
  }

  for await (const rows of readSheet(book, sheet, forms, notes)) {
    for (const row of rows) {
      text += "\n".repeat(row.rowNo - rowNo - 1);
      rowNo = row.rowNo;
      let lineChars = 0;
      for (const [at, value] of row.cells.entries()) {
        const written = at === 0 ? cellText(value) : `,${cellText(value)}`;
        text += written;
        lineChars += written.length;
        if (text.length >= charsPerPiece) yield await handOn();
        if (lineChars > lineCharsMax) break;
      }
      text += `${",".repeat(Math.max(0, width - row.cells.length))}\n`;
    }
    if (text !== "") yield await handOn();
  }
}

const charsPerPiece = 64 * 1024;
const tooMuchText = "its cells repeat more text than is read: export the statement as CSV";

/** As much as a CSV that is sent may hold, or many times what was unpacked: cells that share a text say it all again. */
function charsMaxOf({ archive }: Workbook): number {
  return Math.min(fileBytesMax, uploadBytesMax + charsPerByteMax * archive.unpackedBytes());
}

const charsPerByteMax = 16;

async function headOf(book: Workbook, sheet: SheetInfo, forms: CellForms = plainForms): Promise<string> {
  let head = "";
  for await (const text of sheetText(book, sheet, forms, { formulas: 0, hiddenRows: 0 })) {
    head += text;
    if (head.length > headCharsMax || head.split("\n", headLines).length === headLines) break;
  }
  // A piece may end in the middle of a row, and half a row says something else than the whole.
  return head.slice(0, head.lastIndexOf("\n") + 1);
}

/** Whether a sheet has this header, and anything below it. */
function hasRowsBelow(head: string, header: string): boolean {
  const lines = head.split("\n");
  const at = lines.findIndex((line) => bare(line) === bare(header));
  return at >= 0 && lines.slice(at + 1).some((line) => bare(line) !== "");
}

/** Without the empty cells at its end. Not by an expression, which would begin anew at each comma of a long run. */
function bare(line: string): string {
  let end = line.length;
  while (line[end - 1] === ",") end -= 1;
  return line.slice(0, end);
}

const headCharsMax = 256 * 1024;
const headLines = headerLinesMax + linesPerRowMax;

function aboutSheets({ sheets, linkCount }: Workbook, chosen: SheetInfo): FileWarning[] {
  const others = sheets.filter((sheet) => sheet !== chosen);
  const names = others.map(({ name, isHidden }) => JSON.stringify(name) + (isHidden ? " (hidden)" : ""));
  return [
    ...warnIf(
      others.length > 0,
      "workbook_sheets",
      `only the sheet ${JSON.stringify(chosen.name)} is read, and not ${names.join(", ")}`,
    ),
    ...warnIf(
      linkCount > 0,
      "workbook_links",
      `it points to ${linkCount} other files: none of them is opened, and cells count as they were saved`,
    ),
  ];
}

async function asFileProblem<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asFileProblemError(error);
  }
}

function asFileProblemError(error: unknown): unknown {
  return error instanceof WorkbookError ? unreadable(error.message) : error;
}
