import type { Database } from "../../src/store/database.ts";

/** As records look: ids, hashes and addresses of their usual lengths. The indexes that the report does not use are left out. */
export async function fillTransactions(db: Database, count: number): Promise<void> {
  await db.session(async (client) => {
    await client.query(`set statement_timeout = 0; set search_path = tieout;
      truncate transactions;
      drop index if exists transactions_by_date, transactions_by_change, transactions_by_provider_id, transactions_by_hash, transactions_open;
      insert into accounts (name, base_url, sync_start, covered) values ('bench', 'https://a.example', '2026-01-01', '{[2026-01-01,2027-01-01)}')
        on conflict do nothing`);
    await client.query(
      `insert into transactions (account_id, transaction_id, record_hash, hash_version, status, status_rank, status_date,
         transaction_type, provider, provider_transaction_id, payment_method, country, source_currency, in_amount,
         target_currency, out_amount, transaction_hash, wallet_address, api_key, is_final, first_seen_at, last_changed_at)
       select (select id from accounts), '01H6DQWMRC' || lpad(n::text, 16, '0'), sha256(n::text::bytea), 1, 'completed', 60,
         timestamptz '2026-01-01Z' + n * interval '5 seconds', 'buy', 'provider' || n % 20, md5(n::text), 'creditcard', 'de',
         'eur', n % 100000 / 100.0, 'btc', n / 100000000.0, '0x' || encode(sha256(n::text::bytea), 'hex'),
         '0x' || left(encode(sha256((-n)::text::bytea), 'hex'), 40), 'pk_live_0123456789', true, now(), now()
       from generate_series(1, $1::int) as n`,
      [count],
    );
    await client.query(
      "create index transactions_by_date on transactions (status_date, transaction_id, account_id)",
    );
    await client.query("vacuum analyze transactions");
  });
}
