import { erasedText, type ErasureKey, erasedWallet } from "../../core/erasure.ts";
import { createRowReader, type Row } from "../statement/read-rows.ts";
import type { Layout } from "../statement/recognise-layout.ts";

export interface RowRule {
  readonly key: ErasureKey;
  readonly accountId: number;
  /** Whether the row is about someone who is erased. */
  isErased(row: Row): boolean;
  /** Wallets that stand anywhere else. */
  replaceWords(text: string): string;
}

/**
 * A file without the personal data of some of its rows: of such a row every column that the profile does not know, the
 * wallet and its tag. All else stays in its place, so the file can be read as before, and gives the same figures.
 */
export function eraseRows(text: string, layout: Layout, rule: RowRule): { text: string; lineNos: number[] } {
  const { lineBreak, headerLineNo } = layout;
  const reader = createRowReader(layout);
  const rows = [...reader.push(text), ...reader.end()].toSorted((a, b) => a.lineNo - b.lineNo);
  const lines = text.split(lineBreak);
  const lineNos: number[] = [];
  const kept = rows.map((row, at) => {
    const end = (rows[at + 1]?.lineNo ?? lines.length + 1) - 1;
    // Nothing but the end of the file follows the last line break.
    const isLast = at === rows.length - 1;
    const own = lines.slice(row.lineNo - 1, isLast && lines.at(-1) === "" ? -1 : end);
    const before = own.join(lineBreak);
    const isOfRow = row.lineNo > headerLineNo && row.problem === null && rule.isErased(row);
    const after = isOfRow
      ? rowText(row, layout, rule) + (before.endsWith("\r") ? "\r" : "")
      : rule.replaceWords(before);
    if (after !== before) lineNos.push(row.lineNo);
    return after;
  });
  const tail = lines.at(-1) === "" ? lineBreak : "";
  return { text: rows.length === 0 ? text : kept.join(lineBreak) + tail, lineNos };
}

function rowText({ cells }: Row, { delimiter, columns }: Layout, rule: RowRule): string {
  const wallets = new Set(columns.indexes.get("wallet_address"));
  const hidden = new Set([
    ...columns.unmapped.map(({ index }) => index),
    ...(columns.indexes.get("address_tag") ?? []),
  ]);
  return cells
    .map((cell, index) => {
      const value = cell.trim();
      if (value === "") return cell;
      if (wallets.has(index)) return erasedWallet(rule.key, rule.accountId, value);
      return hidden.has(index) ? erasedText : rule.replaceWords(cell);
    })
    .map((cell) => quoted(cell, delimiter))
    .join(delimiter);
}

function quoted(cell: string, delimiter: string): string {
  const isPlain = !cell.includes('"') && !cell.includes(delimiter) && !/[\r\n]/.test(cell);
  return isPlain ? cell : `"${cell.replaceAll('"', '""')}"`;
}
