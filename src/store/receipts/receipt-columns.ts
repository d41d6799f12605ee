import type { ReceiptLine } from "../../core/receipt-line.ts";
import { copyText } from "../statements/incoming-row.ts";
import type { IntakeTables } from "../statements/intake-tables.ts";

// In the order in which they are sent.
const valueColumns: readonly (readonly [name: string, of: keyof ReceiptLine])[] = [
  ["bank_account", "bankAccount"],
  ["value_date", "valueDate"],
  ["booking_date", "bookingDate"],
  ["effective_at", "effectiveAt"],
  ["amount", "amount"],
  ["currency", "currency"],
  ["direction", "direction"],
  ["is_reversal", "isReversal"],
  ["reference", "reference"],
  ["end_to_end_id", "endToEndId"],
  ["bank_reference", "bankReference"],
  ["hash", "hash"],
  ["remittance", "remittance"],
  ["counterparty", "counterparty"],
  ["charges", "charges"],
  ["original_amount", "originalAmount"],
  ["original_currency", "originalCurrency"],
  ["keys", "keys"],
];

/** A line's own values in COPY's text format: one text for one content, and so what its hash is taken of. */
export function encodeReceipt(line: ReceiptLine): string {
  return valueColumns.map(([, of]) => encode(line[of])).join("\t");
}

function encode(value: ReceiptLine[keyof ReceiptLine]): string {
  // Comparable names hold letters and digits only, so an array of them needs no quotes.
  if (typeof value === "object" && value !== null) return `{${value.join(",")}}`;
  return copyText(typeof value === "boolean" ? String(value) : value);
}

/** Without the names: how those are read may get better, and the line is the same. */
export function contentOf(encoded: string): string {
  return encoded.slice(0, encoded.lastIndexOf("\t"));
}

export const receiptTables: IntakeTables = {
  files: "receipt_files",
  parts: "receipt_file_bytes",
  rows: "receipt_rows",
  lines: "receipt_lines",
  retirements: "receipt_retirements",
  carriers: null,
  fileId: "file_id",
  rowNo: "row_no",
  placeNo: "line_no",
  lineColumns: valueColumns.map(([name]) => name),
  scopeColumns: ["account_id"],
};
