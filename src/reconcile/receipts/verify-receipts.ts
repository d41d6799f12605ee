import { createHash } from "node:crypto";
import type { ReceiptFormat } from "../../core/receipt-line.ts";
import { utc, zoneNamed } from "../../core/zone.ts";
import type { Database } from "../../store/database.ts";
import { sealOfReceipts } from "../../store/erasure/erasure-integrity.ts";
import { unhurried } from "../../store/large-statements.ts";
import { receiptTables } from "../../store/receipts/receipt-columns.ts";
import {
  findReceiptFile,
  listReceiptFileIds,
  type StoredReceiptFile,
} from "../../store/receipts/receipt-files.ts";
import { findStrangeReceipts } from "../../store/receipts/receipt-integrity.ts";
import { compareRows } from "../../store/statements/statement-integrity.ts";
import type { Mismatch } from "../../store/transactions/integrity.ts";
import { decodeText } from "../statement/decode.ts";
import { keptBytes } from "../statement/kept-file.ts";
import { FileProblemError } from "../statement/refusal.ts";
import { readOtherwise } from "../statement/verify-statements.ts";
import type { CsvProfile } from "./csv-profile.ts";
import { readReceipts, receiptParserVersion } from "./read-receipts.ts";
import { openReader } from "./recognise.ts";

/** Reads every bank file that was kept once more, as it was read then, and compares all that came of it. */
export async function verifyReceipts(database: Database): Promise<Mismatch[]> {
  const mismatches = await unhurried(database, findStrangeReceipts);
  for (const id of await listReceiptFileIds(database)) {
    const file = await findReceiptFile(database, id);
    if (file) mismatches.push(...(await verifyFile(database, file)));
  }
  return mismatches;
}

async function verifyFile(database: Database, file: StoredReceiptFile): Promise<Mismatch[]> {
  const subject = `receipts ${file.id}`;
  const sha256 = createHash("sha256");
  for await (const piece of keptBytes(database, file.id, receiptTables)) sha256.update(piece);
  const kept = (await sealOfReceipts(database, file.id)) ?? file.sha256;
  if (!sha256.digest().equals(kept)) {
    return [{ subject, problem: "its bytes are not those of the file that was imported" }];
  }
  const recognised = {
    format: file.format as ReceiptFormat,
    profile: file.profile as CsvProfile | null,
    encoding: file.encoding,
  };
  const isFormer = file.parserVersion < receiptParserVersion;
  const given = { bankAccount: file.given.bank_account, currency: file.given.currency };
  try {
    return await compareRows(
      database,
      file.id,
      async (comparison) => {
        const texts = () => decodeText(keptBytes(database, file.id, receiptTables), file.encoding);
        const reading = readReceipts(texts, openReader(recognised, given), {
          version: file.parserVersion,
          zone: zoneNamed(file.given.zone ?? utc.name),
        });
        for await (const batch of reading.batches()) await comparison.add(batch);
        const { rows } = reading.outcome();
        const isSame = rows.file === file.rowsOfFile && rows.read === file.rowsRead;
        const counted = isSame ? [] : [{ subject, problem: "its counts are not those of its file" }];
        const differences = [...(await comparison.differences()), ...counted];
        return isFormer ? differences.map(readOtherwise) : differences;
      },
      // Later versions find more names in a text: those that are kept are still among them.
      { tables: receiptTables, word: "receipts", grown: isFormer ? ["keys"] : [] },
    );
  } catch (error) {
    if (!(error instanceof FileProblemError)) throw error;
    const refused = { subject, problem: `its bytes cannot be read as they were: ${error.message}` };
    return [isFormer ? readOtherwise(refused) : refused];
  }
}
