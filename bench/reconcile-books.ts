import type { Database } from "../src/store/database.ts";
import { ensureMonths } from "../src/store/transactions/months.ts";
import { addMissingNames } from "../src/store/transactions/rebuild.ts";
import { fillStatement } from "./support/fill-statement.ts";

/**
 * One account, five months, one provider unless more are asked for; the statements tell about the last of the months. Made
 * by the database itself.
 */
export async function makeBooks(
  database: Database,
  { transactions, lines, providers = 1 }: { transactions: number; lines: number; providers?: number },
): Promise<number> {
  const [account] = await database.query<{ id: number }>(
    `insert into tieout.accounts (name, base_url, sync_start, covered)
     values ('bench', 'http://127.0.0.1', '2026-01-01', '{[2026-01-01, 2026-06-10)}')
     returning id`,
  );
  const accountId = account?.id ?? 0;
  await ensureMonths(database);
  await addTransactions(database, accountId, { from: 1, to: transactions, providers });
  await addMissingNames(database);
  // All of it, as an administrator might: the tables that a run fills are then known to be empty.
  await database.query("vacuum (analyze)");
  for (let number = 0; number < providers; number += 1) {
    const provider = providerOf(number);
    await addLines(database, accountId, {
      from: transactions - lines + 1,
      to: transactions,
      file: 1,
      provider,
    });
  }
  await database.query("vacuum (analyze) tieout.statement_lines");
  await database.query("vacuum (analyze) tieout.statement_rows");
  return accountId;
}

/** Numbers run with time: from 1 January to the end of May. Nine in ten are completed. */
async function addTransactions(
  database: Database,
  accountId: number,
  { from, to, providers }: { from: number; to: number; providers: number },
): Promise<void> {
  const columns = `account_id, transaction_id, record_hash, hash_version, status, status_rank, status_date, transaction_type,
    provider, provider_transaction_id, payment_method, country, source_currency, in_amount, target_currency, out_amount,
    transaction_hash, wallet_address, api_key`;
  const select = `
    select $1::int, '01BENCH' || lpad(n::text, 19, '0'), sha256(n::text::bytea), 1::smallint,
           case when n % 10 = 0 then 'failed' else 'completed' end,
           case when n % 10 = 0 then 50 else 60 end::smallint,
           timestamptz '2026-01-01' + interval '151 days' * (n::double precision / $3::int), 'buy', ($4::text[])[1 + n % $5::int],
           md5(n::text)::uuid::text, 'creditcard', 'de', case n % 3 when 0 then 'usd' else 'eur' end, 50 + n % 400 + (n % 100) * 0.01,
           'btc', (50 + n % 400) * 0.00002, encode(sha256(('h' || n)::bytea), 'hex'), 'bc1q' || md5('w' || n), 'pk'`;
  const range = "from generate_series($2::int, $3::int) as n";
  const values = [accountId, from, to, Array.from({ length: providers }, (_, n) => providerOf(n)), providers];
  await database.query(
    `insert into tieout.transaction_statuses (${columns}, window_id, first_seen_at) ${select}, 1, clock_timestamp() ${range}`,
    values,
  );
  await database.query(
    `insert into tieout.transactions (${columns}, is_final, first_seen_at, last_changed_at) ${select}, true, clock_timestamp(), clock_timestamp() ${range}`,
    values,
  );
}

export async function addLines(
  database: Database,
  accountId: number,
  { provider = "moonpay", ...numbers }: { from: number; to: number; file: number; provider?: string },
): Promise<void> {
  const written = {
    provider,
    idPrefix: "01BENCH",
    generatedAt: "2026-06-01",
    paidAt: "2026-06-20",
  };
  await fillStatement(database, accountId, { ...numbers, ...written });
}

function providerOf(number: number): string {
  return number === 0 ? "moonpay" : `provider${number}`;
}
