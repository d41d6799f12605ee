/** The cells of a row; `open` when a quote is not closed, so that the row goes on in the next line. */
export type Cells =
  | { readonly kind: "cells"; readonly cells: string[] }
  | { readonly kind: "open" }
  | { readonly kind: "malformed"; readonly why: string };

/** Strictly RFC 4180: anything that would need guessing is malformed. Spaces around cells are left to the fields. */
export function splitCells(row: string, delimiter: string): Cells {
  return createCellSplitter(delimiter).push(row);
}

export interface CellSplitter {
  /** The next line of the row. Each line is looked at once, however many the row turns out to have. */
  push(line: string): Cells;
}

export function createCellSplitter(delimiter: string): CellSplitter {
  const cells: string[] = [];
  /** Of a quoted cell that goes on: its lines so far, without the quote that opens it. */
  let open: string[] | null = null;

  /** From the start of a cell to the end of the line. */
  function splitFrom(line: string, start: number): Cells {
    for (let at = start; ; at += 1) {
      if (line[at] === '"') {
        const close = closingQuote(line, at + 1);
        if (close < 0) {
          open = [line.slice(at + 1)];
          return { kind: "open" };
        }
        cells.push(unquoted(line.slice(at + 1, close)));
        at = close + 1;
        if (at < line.length && line[at] !== delimiter) return goesOn();
      } else {
        const end = endOf(line, delimiter, at);
        cells.push(line.slice(at, end));
        at = end;
      }
      if (at >= line.length) return { kind: "cells", cells };
    }
  }

  function goesOn(): Cells {
    return { kind: "malformed", why: `column ${cells.length} goes on after its closing quote` };
  }

  return {
    push(line) {
      if (open === null) {
        // Nearly all rows; splitting them is native code.
        if (!line.includes('"')) return { kind: "cells", cells: line.split(delimiter) };
        return splitFrom(line, 0);
      }
      const close = closingQuote(line, 0);
      if (close < 0) {
        open.push(line);
        return { kind: "open" };
      }
      cells.push(unquoted([...open, line.slice(0, close)].join("\n")));
      open = null;
      if (close + 1 >= line.length) return { kind: "cells", cells };
      if (line[close + 1] !== delimiter) return goesOn();
      return splitFrom(line, close + 2);
    },
  };
}

/** Of nothing but quotes, replacing them one by one takes several times as long. */
function unquoted(text: string): string {
  return text.includes('"') ? text.split('""').join('"') : text;
}

function endOf(row: string, delimiter: string, from: number): number {
  const found = row.indexOf(delimiter, from);
  return found < 0 ? row.length : found;
}

/** The quote that ends the cell: one that is not followed by another. Many in a row are not looked for one by one. */
function closingQuote(row: string, from: number): number {
  let at = row.indexOf('"', from);
  while (at >= 0 && row[at + 1] === '"') {
    at += 2;
    if (row[at] !== '"') at = row.indexOf('"', at);
  }
  return at;
}
