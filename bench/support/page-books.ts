import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import type { Database } from "../../src/store/database.ts";
import { ensureMonths } from "../../src/store/transactions/months.ts";
import { addMissingNames } from "../../src/store/transactions/rebuild.ts";
import { fillQuickly } from "./fill-quickly.ts";
import { fillStatement } from "./fill-statement.ts";

const providers = ["moonpay", "transak", "banxa", "ramp", "mercuryo", "simplex", "topper", "guardarian"];

/** Ninety days of transactions, written by the database itself: the screens are measured, and not the recording. */
export async function fillBooks(db: Database, sizes: { transactions: number; lines: number }): Promise<void> {
  await db.query(
    `insert into tieout.accounts (name, base_url, sync_start, covered, last_success_at)
     select name, 'https://bench.example', clock_timestamp() - interval '90 days',
            tstzmultirange(tstzrange(clock_timestamp() - interval '90 days', clock_timestamp() - interval '1 minute')),
            clock_timestamp()
     from unnest(array['bench-eu', 'bench-us']) as name`,
  );
  await db.query(
    `insert into tieout.sync_windows (account_id, kind, range_from, range_to, state, sealed_at, ended_by, pages, read, added)
     select 1 + g % 2, 'backfill', at, at + interval '10 minutes', 'sealed', at + interval '1 hour', 'absent', 4, 190, 180
     from generate_series(0, 12000) as g
     cross join lateral (select clock_timestamp() - interval '90 days' + g * interval '10 minutes' as at) as time`,
  );
  await ensureMonths(db);
  await fillQuickly(db, ["transaction_statuses", "transactions"], () =>
    fillTransactions(db, sizes.transactions),
  );
  await addMissingNames(db);
  await db.query("vacuum (analyze)");
  await fillStatements(db, sizes);
  // As the database itself would have done by the time that anyone looks.
  await db.query("vacuum (analyze)");
}

/** In two halves at once: the machine has two cores, and this is most of the waiting. */
async function fillTransactions(db: Database, transactions: number): Promise<void> {
  const half = Math.floor(transactions / 2);
  const halves = [
    { from: 1, to: half },
    { from: half + 1, to: transactions },
  ];
  await Promise.all(halves.map((part) => fillPart(db, transactions, part)));
}

async function fillPart(
  db: Database,
  transactions: number,
  { from, to }: { from: number; to: number },
): Promise<void> {
  await db.query(
    `insert into tieout.transaction_statuses
       (account_id, transaction_id, record_hash, hash_version, status, status_rank, status_date, transaction_type, provider,
        provider_transaction_id, payment_method, country, source_currency, in_amount, target_currency, out_amount,
        transaction_hash, wallet_address, window_id, first_seen_at)
     select 1 + (g % 5 = 0)::int, '01K' || lpad(g::text, 23, '0'), sha256(g::text::bytea), 1, status, 60,
            clock_timestamp() - (g::double precision / $1) * interval '90 days', 'buy',
            ($4::text[])[1 + g / 3 % 8],
            md5(g::text)::uuid::text, (array['creditcard','applepay','sepainstant'])[1 + g % 3],
            (array['de','us','gb','fr','jp'])[1 + g % 5], (array['eur','usd','gbp','jpy'])[1 + g / 7 % 4],
            (20 + g % 1000)::numeric + 0.25, (array['btc','eth','usdc_base','sol'])[1 + g / 11 % 4],
            (g % 997)::numeric / 100000, '0x' || encode(sha256(('h' || g)::bytea), 'hex'),
            '0x' || substr(encode(sha256(('w' || g)::bytea), 'hex'), 1, 40), 1,
            clock_timestamp() - (g::double precision / $1) * interval '90 days'
     from generate_series($2::int, $3::int) as g
     cross join lateral (
       select case g % 10
         when 6 then 'failed'
         when 7 then 'canceled'
         when 8 then case when g * 100.0 <= $1 then 'pending' else 'completed' end     -- the newest are still open
         else 'completed'
       end as status
     ) as s`,
    [transactions, from, to, providers],
  );
  await db.query(
    `insert into tieout.transactions
       (account_id, transaction_id, record_hash, hash_version, status, status_rank, status_date, transaction_type, provider,
        provider_transaction_id, payment_method, country, source_currency, in_amount, target_currency, out_amount,
        transaction_hash, wallet_address, is_final, first_seen_at, last_changed_at)
     select account_id, transaction_id, record_hash, hash_version, status, status_rank, status_date, transaction_type, provider,
            provider_transaction_id, payment_method, country, source_currency, in_amount, target_currency, out_amount,
            transaction_hash, wallet_address, status <> 'pending', first_seen_at, first_seen_at
     from tieout.transaction_statuses
     where transaction_id between '01K' || lpad($1::text, 23, '0') and '01K' || lpad($2::text, 23, '0')
     order by status_date`,
    [from, to],
  );
}

/** A file a week of each provider and account, for as many weeks as there are lines; then matched by the rules. */
async function fillStatements(
  db: Database,
  { transactions, lines }: { transactions: number; lines: number },
): Promise<void> {
  if (lines === 0) return;
  // Eight in ten transactions are completed, and numbers run back in time: the last five days have no statement yet.
  const newest = Math.ceil((transactions * 5) / 90);
  const oldest = Math.min(transactions, newest + Math.ceil(lines / 0.8));
  const week = Math.ceil((transactions * 7) / 90);
  let file = 0;
  for (let from = newest; from < oldest; from += week) {
    const to = Math.min(from + week, oldest) - 1;
    const daysAgo = (n: number) => new Date(Date.now() - (n / transactions) * 90 * 86_400_000).toISOString();
    for (const accountId of [1, 2]) {
      for (const provider of providers) {
        file++;
        const told = {
          provider,
          idPrefix: "01K",
          from,
          to,
          file,
          generatedAt: daysAgo(from),
          paidAt: daysAgo(from / 2),
        };
        await fillStatement(db, accountId, told);
      }
    }
  }
  await db.query("vacuum (analyze) tieout.statement_lines, tieout.statement_rows");
  for (const accountId of [1, 2]) await reconcileAccount(db, accountId);
}
