import { comparableName } from "../../core/receipt-line.ts";
import type { AccountReader } from "../conditions.ts";

export interface FoundReceiptFile {
  id: number;
  file_name: string;
  state: string;
}

export interface FoundReceiptLine {
  id: number;
  file_name: string;
  line_no: number;
  value_date: string;
  direction: "credit" | "debit";
  amount: string;
  currency: string;
}

const foundMax = 20;

/** By the beginning of their name. */
export async function findReceiptFiles(reader: AccountReader, text: string): Promise<FoundReceiptFile[]> {
  return reader.database.query<FoundReceiptFile & Record<string, unknown>>(
    `select f.id::int, f.file_name, f.state
     from tieout.receipt_files as f
     where starts_with(lower(f.file_name), lower($1))
       and ($2::int[] is null or f.account_id = any ($2::int[]))
     order by f.id desc
     limit $3`,
    [text, reader.accountIds, foundMax],
  );
}

/** By a name that they carry, by the bank's own number of them, or by their amount. */
export async function findReceiptLines(
  reader: AccountReader,
  text: string,
  amount: string | null,
): Promise<FoundReceiptLine[]> {
  return reader.database.query<FoundReceiptLine & Record<string, unknown>>(
    `select l.id::int, f.file_name, w.line_no, l.value_date::text, l.direction, trim_scale(l.amount)::text as amount, l.currency
     from tieout.receipt_lines as l
     join tieout.receipt_files as f on f.id = l.file_id
     join tieout.receipt_rows as w on w.file_id = l.file_id and w.row_no = l.row_no
     where l.id in (
         select id from tieout.receipt_lines where keys @> array[$1::text]
         union
         select id from tieout.receipt_lines where lower(bank_reference) = lower($2) and bank_reference is not null
         union
         select id from tieout.receipt_lines where amount = abs($3::numeric)
       )
       and ($4::int[] is null or l.account_id = any ($4::int[]))
       and not exists (select from tieout.receipt_retirements as r where r.line_id = l.id and r.restored_at is null)
     order by l.effective_at desc, l.id desc
     limit $5`,
    [comparableName(text), text, amount, reader.accountIds, foundMax],
  );
}
