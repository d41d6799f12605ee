import { receiptCodes } from "../../../src/core/discrepancy-codes.ts";
import { importReceipts } from "../../../src/reconcile/receipts/import-receipts.ts";
import type { Database } from "../../../src/store/database.ts";
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
  money: { compared: number; wrong: string[] };
}

interface ListedFile {
  bank: string;
  period: string;
  file: string;
  truth: string;
}

interface BankTruth {
  bookings: number;
  cases: { case: string; codes: string[]; lines: number[]; payoutIds: string[] }[];
  pays: { line: number; payouts: string[] }[];
}

/** Imports what the sandbox's banks say about the payouts, and holds what came of it against the truth. */
export async function importBankFiles(
  database: Database,
  account: { id: number; name: string },
  {
    get,
    rates,
    statementRates,
  }: { get: (path: string) => Promise<string>; rates: string; statementRates: string },
): Promise<() => Promise<BankResult>> {
  const { files } = JSON.parse(await get("/sandbox/banks")) as { files: ListedFile[] };
  const query = `?rates=${encodeURIComponent(rates)}&statement_rates=${encodeURIComponent(statementRates)}`;
  const cases: PlantedCase[] = [];
  const paid = new Set<string>();
  let bookings = 0;
  let imported = 0;
  for (const listed of files) {
    const truth = JSON.parse(await get(listed.truth + query)) as BankTruth;
    if (truth.bookings === 0) continue;
    const name = listed.file.split("/").slice(-2).join("-");
    const bytes = Buffer.from(await get(listed.file + query));
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
    imported += 1;
    bookings += truth.bookings;
    for (const each of truth.cases) cases.push({ ...each, file: name, transactionId: null });
    for (const { line, payouts } of truth.pays)
      for (const payout of payouts) paid.add(`${name} ${line} ${payout}`);
  }
  return async () => {
    const found = await readFindings(database, account.id);
    const matched = await readMatches(database, account.id);
    // A booking without a name pays a payout, and nobody can know it.
    const unnamed = new Set(cases.filter((each) => each.case === "paid_without_name").flatMap(placesOf));
    const wanted = [...paid].filter((each) => !unnamed.has(each));
    return {
      files: imported,
      bookings,
      matches: matched.length,
      falseMatches: matched.filter((each) => !paid.has(each)).length,
      missedMatches: wanted.filter((each) => !matched.includes(each)).length,
      scores: judgeCorpus(cases, found),
      money: judgeMoney(cases, found),
    };
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
