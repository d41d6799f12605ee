import { usageError } from "../../core/errors.ts";
import type { ErasureKey } from "../../core/erasure.ts";
import type { ReceiptFormat } from "../../core/receipt-line.ts";
import { utc, zoneNamed } from "../../core/zone.ts";
import type { Transaction } from "../../store/database.ts";
import type { ErasureChanges } from "../../store/erasure/apply-erasure.ts";
import { receiptTables } from "../../store/receipts/receipt-columns.ts";
import {
  findReceiptFile,
  listReceiptFileIds,
  listReceiptRows,
  type StoredReceiptFile,
} from "../../store/receipts/receipt-files.ts";
import type { IncomingRow } from "../../store/statements/incoming-row.ts";
import { decodeText } from "../statement/decode.ts";
import { keptBytes } from "../statement/kept-file.ts";
import type { CsvProfile } from "../receipts/csv-profile.ts";
import { readReceipts } from "../receipts/read-receipts.ts";
import { openReader } from "../receipts/recognise.ts";
import { encodeText } from "./encode-text.ts";
import { compress, copiedText, once, sha256Of } from "./rewrite-statement.ts";

type ReceiptChanges = Pick<ErasureChanges, "receipt_rows" | "receipt_lines" | "receipt_files">;
type Changed<T> = T extends readonly (infer One)[] ? One[] : never;

interface ReceiptRule {
  key: ErasureKey;
  accountId: number;
  replaceWords: (text: string) => string;
  /** New bytes are put at the end of these. */
  contents: Buffer[];
}

/**
 * Every bank file of the account that quotes the wallet, written again without it and read as it was read when it came.
 * All bytes are looked at: what is not a row of a file, such as the head of a camt.053, is kept nowhere else.
 */
export async function eraseReceipts(
  tx: Transaction,
  rule: ReceiptRule,
): Promise<{ changes: ReceiptChanges; seals: Changed<ErasureChanges["seals"]> }> {
  const changes = {
    receipt_files: [] as Changed<ErasureChanges["receipt_files"]>,
    receipt_rows: [] as Changed<ErasureChanges["receipt_rows"]>,
    receipt_lines: [] as Changed<ErasureChanges["receipt_lines"]>,
  };
  const seals: Changed<ErasureChanges["seals"]> = [];
  for (const id of await listReceiptFileIds(tx)) {
    const file = await findReceiptFile(tx, id, [rule.accountId]);
    if (file === null) continue;
    const pieces: Buffer[] = [];
    for await (const piece of keptBytes(tx, id, receiptTables)) pieces.push(piece);
    const before = Buffer.concat(pieces);
    const text = await textOf(before, file.encoding);
    const left = rule.replaceWords(text);
    if (left === text) continue;
    const after = encodeText(left, file.encoding, before);
    (await compress(after, pieces.length)).forEach((content, at) => {
      rule.contents.push(content);
      changes.receipt_files.push({ file_id: id, part: at + 1, at: rule.contents.length });
    });
    seals.push({
      relation: "receipt_file_bytes",
      row_key: String(id),
      commitment: rule.key.digest(rule.accountId, "text", sha256Of(before)),
      seal: sha256Of(after),
    });
    const kept = new Map((await listReceiptRows(tx, id)).map((row) => [row.rowNo, row]));
    const read = await readRows(file, after, rule);
    if (read.length !== kept.size)
      throw usageError(
        `receipts ${id} cannot be read any longer without the wallet: withdraw it, and erase again`,
      );
    for (const row of read) {
      const held = kept.get(row.lineNo);
      if (held === undefined || held.originalText === row.text) continue;
      // Of a row that was rejected: the reason may quote it.
      const reason = held.reason === null ? null : (row.reason ?? held.reason);
      changes.receipt_rows.push({ file_id: id, row_no: row.lineNo, text: row.text, reason });
      if (held.originLineId !== null && row.line !== null)
        changes.receipt_lines.push(lineOf(held.originLineId, row.line));
    }
  }
  return { changes, seals };
}

async function textOf(bytes: Buffer, encoding: string): Promise<string> {
  let text = "";
  for await (const piece of decodeText(once(bytes), encoding)) text += piece;
  return text;
}

async function readRows(
  file: StoredReceiptFile,
  bytes: Buffer,
  { replaceWords }: ReceiptRule,
): Promise<IncomingRow[]> {
  const recognised = {
    format: file.format as ReceiptFormat,
    profile: file.profile as CsvProfile | null,
    encoding: file.encoding,
  };
  const { bank_account: bankAccount, currency } = file.given;
  const given = { bankAccount: bankAccount === null ? null : replaceWords(bankAccount), currency };
  const reading = readReceipts(() => decodeText(once(bytes), file.encoding), openReader(recognised, given), {
    version: file.parserVersion,
    zone: zoneNamed(file.given.zone ?? utc.name),
  });
  const rows: IncomingRow[] = [];
  for await (const batch of reading.batches()) rows.push(...batch);
  return rows;
}

function lineOf(id: number, line: NonNullable<IncomingRow["line"]>) {
  const values = line.encoded.split("\t").map(copiedText);
  const columns = Object.fromEntries(receiptTables.lineColumns.map((name, at) => [name, values[at] ?? null]));
  return { ...columns, id, line_key: line.key, content_hash: line.contentHash };
}
