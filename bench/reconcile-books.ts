import type { Database } from "../src/store/database.ts";
import { ensureMonths } from "../src/store/transactions/months.ts";
import { addMissingNames } from "../src/store/transactions/rebuild.ts";

/** One account, one provider, five months; the statements tell about the last of them. Made by the database itself. */
export async function makeBooks(
  database: Database,
  { transactions, lines }: { transactions: number; lines: number },
): Promise<number> {
  const [account] = await database.query<{ id: number }>(
    `insert into tieout.accounts (name, base_url, sync_start, covered)
     values ('bench', 'http://127.0.0.1', '2026-01-01', '{[2026-01-01, 2026-06-10)}')
     returning id`,
  );
  const accountId = account?.id ?? 0;
  await ensureMonths(database);
  await addTransactions(database, accountId, { from: 1, to: transactions });
  await addMissingNames(database);
  await database.query("vacuum (analyze) tieout.transactions");
  await database.query("vacuum (analyze) tieout.transaction_keys");
  await database.query("vacuum (analyze) tieout.transaction_statuses");
  await addLines(database, accountId, { from: transactions - lines + 1, to: transactions, file: 1 });
  await database.query("vacuum (analyze) tieout.statement_lines");
  await database.query("vacuum (analyze) tieout.statement_rows");
  return accountId;
}

/** Numbers run with time: from 1 January to the end of May. Nine in ten are completed. */
async function addTransactions(
  database: Database,
  accountId: number,
  { from, to }: { from: number; to: number },
): Promise<void> {
  const columns = `account_id, transaction_id, record_hash, hash_version, status, status_rank, status_date, transaction_type,
    provider, provider_transaction_id, payment_method, country, source_currency, in_amount, target_currency, out_amount,
    transaction_hash, wallet_address, api_key`;
  const select = `
    select $1::int, '01BENCH' || lpad(n::text, 19, '0'), sha256(n::text::bytea), 1::smallint,
           case when n % 10 = 0 then 'failed' else 'completed' end,
           case when n % 10 = 0 then 50 else 60 end::smallint,
           timestamptz '2026-01-01' + interval '151 days' * (n::double precision / $3::int), 'buy', 'moonpay',
           md5(n::text)::uuid::text, 'creditcard', 'de', case n % 3 when 0 then 'usd' else 'eur' end, 50 + n % 400 + (n % 100) * 0.01,
           'btc', (50 + n % 400) * 0.00002, encode(sha256(('h' || n)::bytea), 'hex'), 'bc1q' || md5('w' || n), 'pk'`;
  const range = "from generate_series($2::int, $3::int) as n";
  const values = [accountId, from, to];
  await database.query(
    `insert into tieout.transaction_statuses (${columns}, window_id, first_seen_at) ${select}, 1, clock_timestamp() ${range}`,
    values,
  );
  await database.query(
    `insert into tieout.transactions (${columns}, is_final, first_seen_at, last_changed_at) ${select}, true, clock_timestamp(), clock_timestamp() ${range}`,
    values,
  );
}

/** One line for each completed transaction; one in two hundred is missing, as many are strange, as many are off. */
export async function addLines(
  database: Database,
  accountId: number,
  { from, to, file }: { from: number; to: number; file: number },
): Promise<void> {
  const [statement] = await database.query<{ id: string }>(
    `insert into tieout.statements (account_id, provider, file_name, sha256, byte_count, profile, profile_version, profile_used,
       parser_version, encoding, delimiter, generated_at, generated_at_from, period_from, period_to, period_basis, header_rows,
       rows_of_file, rows_read, rows_accepted, imported_at, imported_by)
     select $1, 'moonpay', 'bench-' || $2, sha256($2::text::bytea), 1, 'bench', 1, '{"model": "commission"}', 1, 'utf-8', ',',
            '2026-06-01', 'file', min(status_date), max(status_date) + interval '1 second', 'activity', 1, 1, 0, 0,
            clock_timestamp(), 'bench'
     from tieout.transactions
     where account_id = $1
       and transaction_id between '01BENCH' || lpad($3::text, 19, '0') and '01BENCH' || lpad($4::text, 19, '0')
     returning id::text`,
    [accountId, file, from, to],
  );
  await database.query(
    `with made as (
       insert into tieout.statement_lines (account_id, provider, line_key, occurrence, version, content_hash, statement_id, line_no,
         line_type, side, provider_status, status, provider_transaction_id, our_reference, payout_ref, fiat_currency,
         fiat_gross, fiat_net, asset, network, crypto_amount, fee_total, fee_currency, net_amount, net_currency,
         transaction_hash, wallet_address, created_at, effective_at, imported_at)
       select t.account_id, 'moonpay', 'charge:' || t.provider_transaction_id, 1, 1, t.record_hash, $2::bigint,
              row_number() over (order by t.transaction_id) + 1, 'charge', 'buy', 'completed', 'settled',
              case when n % 200 = 1 then 'strange-' || n else t.provider_transaction_id end,
              case when n % 200 = 1 then 'strange' else t.transaction_id end,
              'PO-' || upper(t.source_currency), upper(t.source_currency), t.in_amount + case when n % 200 = 3 then 5 else 0 end,
              t.in_amount - 2 + case when n % 200 = 3 then 5 else 0 end, 'btc', 'bitcoin', t.out_amount, 2, upper(t.source_currency),
              0.5, upper(t.source_currency), case when n % 200 = 1 then null else t.transaction_hash end, t.wallet_address,
              t.status_date, t.status_date, clock_timestamp()
       from tieout.transactions as t
       cross join lateral (select substr(t.transaction_id, 8)::int as n) as number
       where t.account_id = $1
         and t.status = 'completed'
         and n % 200 <> 2
         and t.transaction_id between '01BENCH' || lpad($3::text, 19, '0') and '01BENCH' || lpad($4::text, 19, '0')
       returning id, statement_id, line_no
     )
     insert into tieout.statement_rows (statement_id, line_no, outcome, original_text, line_id)
     select statement_id, line_no, 'accepted', '', id
     from made`,
    [accountId, statement?.id, from, to],
  );
  // What the lines add up to, declared a little later.
  await database.query(
    `insert into tieout.statement_lines (account_id, provider, line_key, occurrence, version, content_hash, statement_id, line_no,
       line_type, status, payout_ref, net_amount, net_currency, effective_at, imported_at)
     select account_id, provider, 'payout:' || net_currency || $2::text, 1, 1, sha256(net_currency::bytea), $2::bigint, 2000000 + row_number() over (order by net_currency), 'payout',
            'settled', payout_ref, sum(net_amount), net_currency, '2026-06-20', clock_timestamp()
     from tieout.statement_lines
     where account_id = $1
     group by account_id, provider, payout_ref, net_currency
     having count(*) filter (where line_type = 'payout') = 0`,
    [accountId, statement?.id],
  );
}
