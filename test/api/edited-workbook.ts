import { csvOf } from "../../src/report/xlsx/report-workbook.ts";
import type { SheetColumn } from "../../src/report/xlsx/sheet.ts";
import { workbookOf } from "../../src/report/xlsx/workbook.ts";
import { readAll } from "../report/books.ts";

const columns: SheetColumn[] = ["discrepancy_id", "version", "decision", "owner", "note"].map((name) => ({
  name,
  type: "text",
}));

/** A workbook of discrepancies with no more than what is read of it: id, version, decision, owner and note. */
export function editedWorkbook(rows: readonly (string | null)[][], sheet = "discrepancies"): Promise<Buffer> {
  return readAll(workbookOf([{ name: sheet, columns, csv: csvOf(columns, rows) }]));
}
