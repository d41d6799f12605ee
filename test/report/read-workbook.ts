import { type CellObject, read, type WorkBook } from "@e965/xlsx";

/** A workbook as someone else's program reads it. */
export function readWorkbook(bytes: Buffer): WorkBook {
  return read(bytes, { dense: true, cellNF: true, cellStyles: true, bookFiles: true });
}

type Cell = CellObject | undefined;

export function cellsOf(book: WorkBook, sheet: string): Cell[][] {
  return book.Sheets[sheet]?.["!data"] ?? [];
}

/** The text of a part of the file itself. */
export function partOf(book: WorkBook, name: string): string {
  const { files } = book as unknown as { files: Record<string, { content: Uint8Array }> };
  return Buffer.from(files[name]?.content ?? []).toString("utf8");
}

/** What a cell stands for, as CSV writes it: `null` is nothing. Numbers have the decimals that they are shown with. */
export function cellText(cell: Cell): string | null {
  if (cell === undefined || cell.t === "z") return null;
  if (cell.t === "b") return String(cell.v);
  if (cell.t !== "n") return String(cell.v);
  const value = cell.v as number;
  const format = String(cell.z);
  if (format.includes("hh:mm")) return new Date(Math.round((value - 25_569) * 86_400_000)).toISOString();
  if (format.includes("yyyy")) return new Date((value - 25_569) * 86_400_000).toISOString().slice(0, 10);
  return plainDigits(value, /\.(0+)$/.exec(format)?.[1]?.length ?? 0);
}

/** A double has an exact decimal of its own; the one with 15 digits is what was written. */
function plainDigits(value: number, decimals: number): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(value.toExponential(14)) ?? [];
  const digits = whole + fraction;
  const point = 1 + Number(exponent);
  const padded = digits.padEnd(Math.max(point, 0), "0");
  const integer = point <= 0 ? "0" : padded.slice(0, point);
  const rest = point <= 0 ? "0".repeat(-point) + digits : padded.slice(point);
  return `${sign}${integer}${decimals === 0 ? "" : `.${rest.padEnd(decimals, "0").slice(0, decimals)}`}`;
}
