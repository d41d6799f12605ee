import { splitCells } from "./statement/split-cells.ts";

/** A small CSV table with a header, such as a person makes or a bank publishes; every cell trimmed. */
export function readTable(
  text: string,
): { header: string[]; rows: Record<string, string>[] } | { problem: string } {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  const table: { cells: string[]; lineNo: number }[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.trim() === "") continue;
    const split = splitCells(line, ",");
    if (split.kind !== "cells")
      return { problem: `line ${index + 1}: ${split.kind === "open" ? "a quote is not closed" : split.why}` };
    table.push({ cells: split.cells.map((cell) => cell.trim()), lineNo: index + 1 });
  }
  const [first, ...rest] = table;
  if (!first || rest.length === 0) return { problem: "there is no row in it" };
  // Some publishers end every line with a comma.
  const header = first.cells.at(-1) === "" ? first.cells.slice(0, -1) : first.cells;
  const delimiter = header.length === 1 ? /[;\t|]/.exec(header[0] ?? "")?.[0] : undefined;
  if (delimiter !== undefined)
    return { problem: `its cells are separated by ${JSON.stringify(delimiter)}: separate them by commas` };
  const repeated = header.find((name, at) => header.indexOf(name) !== at);
  if (repeated !== undefined) return { problem: `the column ${repeated} is there twice` };
  const rows: Record<string, string>[] = [];
  for (const { cells, lineNo } of rest) {
    const kept = cells.length > header.length && cells.at(-1) === "" ? cells.slice(0, -1) : cells;
    if (kept.length !== header.length)
      return { problem: `line ${lineNo}: has ${kept.length} cells, and the header has ${header.length}` };
    rows.push(Object.fromEntries(header.map((name, at) => [name, kept[at] ?? ""])));
  }
  return { header, rows };
}
