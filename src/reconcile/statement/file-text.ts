import type { SheetNotes } from "../workbook/read-sheet.ts";
import { decodeHead, decodeText, isJson, isMadeIntoText, jsonEncoding } from "./decode.ts";
import { jsonText, recogniseJson } from "./json-text.ts";
import { type Layout, type LayoutQuestion, recogniseLayout } from "./recognise-layout.ts";
import type { TableChoice } from "./table-choice.ts";
import { recogniseWorkbook, workbookText } from "./workbook-text.ts";

/** Where the statement is in a file of cells, or in the text that was kept of one. */
export async function recogniseCells(
  bytes: () => AsyncIterable<Buffer>,
  { start, encoding }: { start: Buffer; encoding: string },
  question: Omit<LayoutQuestion, "head" | "isMadeOfCells">,
): Promise<TableChoice> {
  if (isWorkbook(start)) return recogniseWorkbook(bytes(), question);
  if (encoding === jsonEncoding && isJson(start)) return recogniseJson(bytes(), start, question);
  const head = decodeHead(start, "utf-8");
  return { head, layout: recogniseLayout({ ...question, head, isMadeOfCells: true }), warnings: [] };
}

/** The text of a file as its profile reads it, whatever the file is. */
export async function* readText(
  bytes: AsyncIterable<Buffer>,
  { encoding, layout, notes }: { encoding: string; layout: Layout; notes?: SheetNotes },
): AsyncGenerator<string> {
  if (!isMadeIntoText(encoding)) {
    yield* decodeText(bytes, encoding);
    return;
  }
  const [start, all] = await peek(bytes);
  if (isWorkbook(start)) yield* workbookText(all, layout, notes ?? { formulas: 0, hiddenRows: 0 });
  else if (isJson(start)) yield* jsonText(all, layout);
  else yield* decodeText(all, "utf-8");
}

/** Workbooks are ZIP archives, and those begin alike. */
function isWorkbook(start: Buffer): boolean {
  return start.subarray(0, 2).toString("latin1") === "PK";
}

async function peek(bytes: AsyncIterable<Buffer>): Promise<[Buffer, AsyncIterable<Buffer>]> {
  const pieces = bytes[Symbol.asyncIterator]();
  const first = await pieces.next();
  const start = first.done === true ? Buffer.alloc(0) : first.value;
  async function* all(): AsyncGenerator<Buffer> {
    yield start;
    for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) yield next.value;
  }
  return [start, all()];
}
