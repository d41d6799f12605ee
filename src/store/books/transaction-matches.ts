import { type AccountReader, conditionsFor } from "../conditions.ts";

/** A match of a transaction, and the line of the statement on the other side. */
export interface MatchedLine {
  match_id: string;
  role: string;
  rule: string;
  state: string;
  made_by: string;
  matched_at: string;
  ended_at: string | null;
  ended_reason: string | null;
  in_expected: string | null;
  in_actual: string | null;
  in_difference: string | null;
  out_expected: string | null;
  out_actual: string | null;
  out_difference: string | null;
  difference_name: string | null;
  statement_id: string;
  file_name: string;
  line_no: number;
  line_type: string;
  side: string | null;
  provider_status: string | null;
  line_status: string;
  provider_transaction_id: string | null;
  our_reference: string | null;
  payout_ref: string | null;
  payout_id: string | null;
  fiat_currency: string | null;
  fiat_gross: string | null;
  fiat_net: string | null;
  asset: string | null;
  network: string | null;
  crypto_amount: string | null;
  fee_total: string | null;
  fee_currency: string | null;
  transaction_hash: string | null;
  wallet_address: string | null;
  effective_at: string;
  raw_text: string | null;
}

export interface TransactionKey {
  accountId: number;
  transactionId: string;
}

const linesMax = 50;

/** Matches that hold or are suggested first, those that ended after them. */
export async function matchedLines(reader: AccountReader, key: TransactionKey): Promise<MatchedLine[]> {
  const conditions = conditionsFor(reader, "m.account_id");
  conditions.add(`m.account_id = ${conditions.bind(key.accountId)}`);
  conditions.add(`m.transaction_id = ${conditions.bind(key.transactionId)}`);
  return reader.database.query<MatchedLine & Record<string, unknown>>(
    `select m.id::text as match_id, m.role, m.rule, m.state, m.made_by, m.matched_at::text, m.ended_at::text, m.ended_reason,
            m.in_expected, m.in_actual, trim_scale(m.in_difference) as in_difference, m.out_expected, m.out_actual,
            trim_scale(m.out_difference) as out_difference, m.difference_name,
            l.statement_id::text, s.file_name, l.line_no, l.line_type, l.side, l.provider_status, l.status as line_status,
            l.provider_transaction_id, l.our_reference, l.payout_ref,
            (select p.id::text
             from tieout.payouts as p
             where p.account_id = l.account_id and p.provider = l.provider and p.payout_ref = l.payout_ref
             order by p.id
             limit 1) as payout_id,
            l.fiat_currency, l.fiat_gross, l.fiat_net, l.asset, l.network, l.crypto_amount, l.fee_total, l.fee_currency,
            l.transaction_hash, l.wallet_address, l.effective_at::text,
            (select r.original_text
             from tieout.statement_rows as r
             where r.statement_id = l.statement_id and r.line_no = l.line_no) as raw_text
     from tieout.matches as m
     join tieout.statement_lines as l on l.id = m.line_id
     join tieout.statements as s on s.id = l.statement_id
     where ${conditions.toSql()}
     order by m.state = 'ended', m.matched_at desc
     limit ${linesMax}`,
    conditions.values,
  );
}
