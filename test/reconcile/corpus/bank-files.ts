import { receiptCodes } from "../../../src/core/discrepancy-codes.ts";
import { importReceipts } from "../../../src/reconcile/receipts/import-receipts.ts";
import type { Database } from "../../../src/store/database.ts";
import type { CollectedReceipts } from "./collect-corpus.ts";
import {
  type FoundDiscrepancy,
  judgeCorpus,
  judgeMoney,
  type PlantedCase,
  type Score,
} from "./judge-corpus.ts";

export interface BankResult {
  files: number;
  bookings: number;
  /** Of a line with a payout. */
  matches: number;
  /** With a payout that the line does not pay. There must be none. */
  falseMatches: number;
  /** Of lines that pay a payout, and are not matched with it. */
  missedMatches: number;
  scores: Score[];
  found: FoundDiscrepancy[];
  money: { compared: number; wrong: string[] };
}

/** Imports what banks say about the payouts. */
export async function importBankFiles(
  database: Database,
  account: { id: number; name: string },
  files: CollectedReceipts["receipts"],
): Promise<void> {
  for (const { file: name, text } of files) {
    const bytes = Buffer.from(text);
    const source = {
      name,
      async *bytes() {
        yield bytes;
      },
    };
    const asked = { format: null, profileName: null, encoding: null, acceptReason: null, actor: "corpus" };
    const { file } = await importReceipts({ database, reconcile: false }, source, {
      ...asked,
      account,
      given: { bankAccount: null, currency: null },
    });
    if (file.rowsRejected > 0) throw new Error(`${name}: ${file.rowsRejected} rows rejected`);
  }
}

/** Compares what came of the banks' files with the truth. */
export async function judgeBankFiles(
  database: Database,
  accountId: number,
  { receipts, receiptCases: cases, pays }: CollectedReceipts,
): Promise<BankResult> {
  const found = await readFindings(database, accountId);
  const matched = await readMatches(database, accountId);
  const paid = new Set(
    pays.flatMap(({ file, line, payouts }) => payouts.map((payout) => `${file} ${line} ${payout}`)),
  );
  // A booking without a name pays a payout, and nothing in it says so.
  const unnamed = new Set(cases.filter((each) => each.case === "paid_without_name").flatMap(placesOf));
  const wanted = [...paid].filter((each) => !unnamed.has(each));
  return {
    files: receipts.length,
    bookings: receipts.reduce((sum, { bookings }) => sum + bookings, 0),
    matches: matched.length,
    falseMatches: matched.filter((each) => !paid.has(each)).length,
    missedMatches: wanted.filter((each) => !matched.includes(each)).length,
    scores: judgeCorpus(cases, found),
    money: judgeMoney(cases, found),
    found,
  };
}

function placesOf({ file, lines, payoutIds = [] }: PlantedCase): string[] {
  return lines.flatMap((line) => payoutIds.map((payout) => `${file} ${line} ${payout}`));
}

/** Every stretch of time that is known to have held, also those that are over: what came late was not there before. */
async function readFindings(database: Database, accountId: number): Promise<FoundDiscrepancy[]> {
  return database.query<FoundDiscrepancy & Record<string, unknown>>(
    `select f.code, f.subject_kind as kind, null as "transactionId", file.file_name as file, w.line_no as line,
            f.payout_ref as "payoutRef", trim_scale(f.actual - f.expected)::text as delta, f.currency
     from tieout.findings as f
     left join tieout.receipt_lines as l on l.id = f.receipt_line_id
     left join tieout.receipt_files as file on file.id = l.file_id
     left join tieout.receipt_rows as w on w.file_id = l.file_id and w.row_no = l.row_no
     where f.account_id = $1
       and f.code = any ($2::text[])
       and f.known_to is null`,
    [accountId, receiptCodes],
  );
}

async function readMatches(database: Database, accountId: number): Promise<string[]> {
  const rows = await database.query<{ place: string }>(
    `select concat_ws(' ', f.file_name, w.line_no, p.payout_ref) as place
     from tieout.receipt_matches as m
     join tieout.receipt_lines as l on l.id = m.receipt_line_id
     join tieout.receipt_files as f on f.id = l.file_id
     join tieout.receipt_rows as w on w.file_id = l.file_id and w.row_no = l.row_no
     join tieout.payouts as p on p.id = m.payout_id
     where m.account_id = $1
       and m.state = 'active'`,
    [accountId],
  );
  return rows.map(({ place }) => place);
}
