import { encodedColumns } from "./incoming-row.ts";

/** Where the rows and lines of a kind of file go. Names of our own: they become part of statements. */
export interface IntakeTables {
  /** The files themselves, and their bytes in parts. */
  readonly files: string;
  readonly parts: string;
  readonly rows: string;
  readonly lines: string;
  readonly retirements: string;
  /** Which file carries a line now, where that is written down. */
  readonly carriers: string | null;
  /** The columns that name a file, a row of it and, where rows are counted otherwise, its physical line. */
  readonly fileId: string;
  readonly rowNo: string;
  readonly placeNo: string | null;
  /** The columns of `encoded`. */
  readonly lineColumns: readonly string[];
  /** By which lines are known, beside their key and their occurrence. */
  readonly scopeColumns: readonly string[];
}

export const statementTables: IntakeTables = {
  files: "statements",
  parts: "statement_files",
  rows: "statement_rows",
  lines: "statement_lines",
  retirements: "line_retirements",
  carriers: "line_carriers",
  fileId: "statement_id",
  rowNo: "line_no",
  placeNo: null,
  lineColumns: encodedColumns,
  scopeColumns: ["account_id", "provider"],
};
