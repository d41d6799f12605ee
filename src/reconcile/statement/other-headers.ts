import { type Columns, fitHeader, headerNames } from "./columns.ts";
import type { Row } from "./read-rows.ts";
import type { Layout } from "./recognise-layout.ts";

export interface HeaderWatch {
  /** Rows above the header, and then the header itself. */
  above(row: Row): void;
  /** A row below it that is not a line. */
  below(row: Row): void;
  problem(): string | null;
}

/**
 * Notices a file of several tables with different columns. Only one of them can be read: the rows of the others would count as
 * text above the header, or be read with the columns of another table.
 */
export function watchHeaders({ profile, columns, headerLineNo }: Layout): HeaderWatch {
  let earlier: number | null = null;
  let hasRows = false;
  let problem: string | null = null;

  function columnsOf(row: Row): Columns | null {
    const fit = fitHeader(profile, headerNames(row.cells));
    return fit.missing.length === 0 ? fit.columns : null;
  }

  return {
    above(row) {
      if (row.lineNo === headerLineNo) {
        if (earlier !== null && hasRows) problem = severalTables(earlier, headerLineNo);
      } else if (columnsOf(row) !== null) earlier ??= row.lineNo;
      else if (earlier !== null) hasRows ||= filledCells(row) >= profile.required.length;
    },
    below(row) {
      const other = columnsOf(row);
      if (other !== null && !isSame(columns, other)) problem ??= severalTables(headerLineNo, row.lineNo);
    },
    problem: () => problem,
  };
}

function filledCells({ cells }: Row): number {
  return cells.filter((cell) => cell.trim() !== "").length;
}

function isSame({ indexes }: Columns, other: Columns): boolean {
  if (indexes.size !== other.indexes.size) return false;
  return [...indexes].every(([field, places]) => places.join() === other.indexes.get(field)?.join());
}

function severalTables(first: number, second: number): string {
  return `lines ${first} and ${second} are headers of two tables with different columns: make a file of each`;
}
