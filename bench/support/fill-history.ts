import type { Database } from "../../src/store/database.ts";

/**
 * Twelve months of transactions, four statuses each, evenly spread and with random ids, written by the database itself: what
 * comes afterwards is measured, and not this. The indexes are built when the rows are there, which is many times quicker.
 */
export async function fillHistory(
  db: Database,
  { accountId, statusRows }: { accountId: number; statusRows: number },
): Promise<void> {
  const transactions = Math.floor(statusRows / 4);
  await db.query(
    "select tieout.make_months(clock_timestamp() - interval '13 months', clock_timestamp() + interval '3 months')",
  );
  await withoutIndexes(db, ["transaction_statuses", "transaction_keys", "transactions"], async () => {
    await db.query(
      `insert into tieout.transaction_statuses
         (account_id, transaction_id, record_hash, hash_version, status, status_rank, status_date, transaction_type, provider,
          provider_transaction_id, payment_method, country, source_currency, in_amount, target_currency, out_amount,
          transaction_hash, wallet_address, api_key, window_id, first_seen_at)
       select $1, md5('held ' || g)::uuid::text, sha256((g || ':' || step)::bytea), 1,
              (array['new', 'pending', 'paid', 'completed'])[step], (array[10, 20, 30, 60])[step], status_date, 'buy', 'moonpay',
              md5('own ' || g)::uuid::text, 'creditcard', 'de', 'eur', 100 + g % 900, 'usdc_base',
              case step when 4 then 0.01234567 + g else 0 end,
              case step when 4 then '0x' || encode(sha256(('hash ' || g)::bytea), 'hex') else '' end,
              '0x' || substr(encode(sha256(('wallet ' || g)::bytea), 'hex'), 1, 40), 'pk_bench_0123456789', 1, status_date
       from generate_series(1, $2::int) as g
       cross join generate_series(1, 4) as step
       cross join lateral (
         select clock_timestamp() - interval '1 hour' - (1 - g::double precision / $2) * interval '365 days'
                + step * interval '2 minutes' as status_date
       ) as time`,
      [accountId, transactions],
    );
    await db.query(
      `insert into tieout.transactions
         (account_id, transaction_id, record_hash, hash_version, status, status_rank, status_date, transaction_type, provider,
          provider_transaction_id, payment_method, country, source_currency, in_amount, target_currency, out_amount,
          transaction_hash, wallet_address, api_key, is_final, first_seen_at, last_changed_at)
       select account_id, transaction_id, record_hash, hash_version, status, status_rank, status_date, transaction_type,
              provider, provider_transaction_id, payment_method, country, source_currency, in_amount, target_currency,
              out_amount, transaction_hash, wallet_address, api_key, true, first_seen_at, first_seen_at
       from tieout.transaction_statuses
       where status = 'completed'
       order by status_date`,
    );
    await db.query(
      `insert into tieout.transaction_keys (account_id, month, kind, key, transaction_id)
       select t.account_id, date_trunc('month', t.status_date at time zone 'UTC'), name.kind, name.key, t.transaction_id
       from tieout.transactions as t
       cross join lateral tieout.names_of(t.transaction_id, t.provider_transaction_id, null, t.transaction_hash, t.wallet_address)
         as name`,
    );
    await db.query("insert into tieout.account_providers (account_id, provider) values ($1, 'moonpay')", [
      accountId,
    ]);
  });
  await db.query("vacuum (analyze)");
}

async function withoutIndexes(
  db: Database,
  tables: readonly string[],
  fill: () => Promise<void>,
): Promise<void> {
  const indexes = await db.query<{ drop: string; create: string }>(
    `select case when c.oid is null then 'drop index ' || i.indexrelid::regclass
                 else format('alter table %s drop constraint %I', i.indrelid::regclass, c.conname) end as drop,
            case when c.oid is null then replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ')
                 else format('alter table %s add constraint %I %s', i.indrelid::regclass, c.conname,
                             pg_get_constraintdef(c.oid)) end as create
     from pg_index as i
     left join pg_constraint as c on c.conindid = i.indexrelid and c.conrelid = i.indrelid
     where i.indrelid = any ($1::regclass[])`,
    [tables.map((table) => `tieout.${table}`)],
  );
  for (const { drop } of indexes) await db.query(drop);
  await fill();
  for (const { create } of indexes) await db.query(create);
}
