import { type AskedForm, openReader, recogniseFile } from "../../../src/reconcile/receipts/recognise.ts";
import { readReceipts, receiptParserVersion } from "../../../src/reconcile/receipts/read-receipts.ts";
import type { ReceiptRow } from "../../../src/reconcile/receipts/reader.ts";
import { decodeText } from "../../../src/reconcile/statement/decode.ts";

export const askNothing: AskedForm = {
  format: null,
  profileName: null,
  encoding: null,
  given: { bankAccount: null, currency: null },
};

/** A file through recognising and reading, without a database; in pieces of `pieceBytes`. */
export async function readAll(
  bytes: Buffer,
  { asked = askNothing, pieceBytes = 1 << 16, version = receiptParserVersion } = {},
) {
  const recognised = await recogniseFile(bytes, asked);
  const reader = openReader(recognised, asked.given);
  const rows: ReceiptRow[] = [];
  const noting = {
    ...reader,
    *push(text: string) {
      for (const row of reader.push(text)) {
        rows.push(row);
        yield row;
      }
    },
    *end() {
      for (const row of reader.end()) {
        rows.push(row);
        yield row;
      }
    },
  };
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
  }
  const reading = readReceipts(() => decodeText(pieces(), recognised.encoding), noting, { version });
  const incoming = [];
  for await (const batch of reading.batches()) incoming.push(...batch);
  return { recognised, rows, incoming, outcome: reading.outcome() };
}
