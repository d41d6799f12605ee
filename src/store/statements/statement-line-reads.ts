import { type AccountReader, conditionsFor } from "../conditions.ts";

/** The line that a discrepancy is about, and where it stands. */
export interface LineOfDiscrepancy {
  statement_id: string;
  file_name: string;
  line_no: number;
  line_type: string;
  effective_at: string;
  provider_transaction_id: string | null;
  transaction_hash: string | null;
}

export async function lineOf(reader: AccountReader, lineId: string): Promise<LineOfDiscrepancy | null> {
  const conditions = conditionsFor(reader, "l.account_id");
  conditions.add(`l.id = ${conditions.bind(lineId)}::bigint`);
  const [row] = await reader.database.query<LineOfDiscrepancy & Record<string, unknown>>(
    `select l.statement_id::text, s.file_name, l.line_no, l.line_type, l.effective_at::text, l.provider_transaction_id,
            l.transaction_hash
     from tieout.statement_lines as l
     join tieout.statements as s on s.id = l.statement_id
     where ${conditions.toSql()}`,
    conditions.values,
  );
  return row ?? null;
}
