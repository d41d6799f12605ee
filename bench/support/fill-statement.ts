import type { Database } from "../../src/store/database.ts";

interface StatementToFill {
  provider: string;
  /** What the ids of the transactions begin with; their number follows. */
  idPrefix: string;
  from: number;
  to: number;
  file: number;
  generatedAt: string;
  paidAt: string;
}

/** One line for each completed transaction; one in two hundred is missing, as many are strange, as many are off. */
export async function fillStatement(
  database: Database,
  accountId: number,
  { provider, idPrefix, from, to, file, generatedAt, paidAt }: StatementToFill,
): Promise<void> {
  const [first, last] = [from, to].map((n) => idPrefix + String(n).padStart(26 - idPrefix.length, "0"));
  const [statement] = await database.query<{ id: string }>(
    `insert into tieout.statements (account_id, provider, file_name, sha256, byte_count, profile, profile_version, profile_used,
       parser_version, encoding, delimiter, generated_at, generated_at_from, period_from, period_to, period_basis, header_rows,
       rows_of_file, rows_read, rows_accepted, imported_at, imported_by)
     select $1, $5, 'bench-' || $2, sha256($2::text::bytea), 1, 'bench', 1, '{"model": "commission"}', 1, 'utf-8', ',',
            $6::timestamptz, 'file', min(status_date), max(status_date) + interval '1 second', 'activity', 1, 1, 0, 0,
            clock_timestamp(), 'bench'
     from tieout.transactions
     where account_id = $1
       and provider = $5
       and transaction_id between $3 and $4
     returning id::text`,
    [accountId, file, first, last, provider, generatedAt],
  );
  await database.query(
    `with made as (
       insert into tieout.statement_lines (account_id, provider, line_key, occurrence, version, content_hash, statement_id, line_no,
         line_type, side, provider_status, status, provider_transaction_id, our_reference, payout_ref, fiat_currency,
         fiat_gross, fiat_net, asset, network, crypto_amount, fee_total, fee_currency, net_amount, net_currency,
         transaction_hash, wallet_address, created_at, effective_at, imported_at)
       select t.account_id, t.provider, 'charge:' || t.provider_transaction_id, 1, 1, t.record_hash, $2::bigint,
              row_number() over (order by t.transaction_id) + 1, 'charge', 'buy', 'completed', 'settled',
              case when n % 200 = 1 then 'strange-' || n else t.provider_transaction_id end,
              case when n % 200 = 1 then 'strange' else t.transaction_id end,
              'PO-' || $6::text || '-' || upper(t.source_currency), upper(t.source_currency), t.in_amount + case when n % 200 = 3 then 5 else 0 end,
              t.in_amount - 2 + case when n % 200 = 3 then 5 else 0 end, split_part(t.target_currency, '_', 1),
              (jsonb '{"btc": "bitcoin", "eth": "ethereum", "usdc_base": "base", "sol": "solana"}') ->> t.target_currency,
              t.out_amount, 2, upper(t.source_currency), 0.5, upper(t.source_currency), case when n % 200 = 1 then null else t.transaction_hash end, t.wallet_address,
              t.status_date, t.status_date, clock_timestamp()
       from tieout.transactions as t
       cross join lateral (select substr(t.transaction_id, 8)::int as n) as number
       where t.account_id = $1
         and t.status = 'completed'
         and n % 200 <> 2
         and t.provider = $5
         and t.transaction_id between $3 and $4
       returning id, statement_id, line_no
     )
     insert into tieout.statement_rows (statement_id, line_no, outcome, original_text, line_id)
     select statement_id, line_no, 'accepted', '', id
     from made`,
    [accountId, statement?.id, first, last, provider, file],
  );
  // What the lines add up to, declared a little later.
  await database.query(
    `insert into tieout.statement_lines (account_id, provider, line_key, occurrence, version, content_hash, statement_id, line_no,
       line_type, status, payout_ref, net_amount, net_currency, effective_at, imported_at)
     select account_id, provider, 'payout:' || payout_ref, 1, 1, sha256(payout_ref::bytea), statement_id,
            2000000 + row_number() over (order by payout_ref), 'payout', 'settled', payout_ref, sum(net_amount), net_currency,
            $2::timestamptz, clock_timestamp()
     from tieout.statement_lines
     where statement_id = $1::bigint
     group by account_id, provider, statement_id, payout_ref, net_currency`,
    [statement?.id, paidAt],
  );
}
