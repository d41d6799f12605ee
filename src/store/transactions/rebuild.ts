import { recordColumns } from "../../core/record-fields.ts";
import { finalStatuses } from "../../core/status.ts";
import type { Database, Queryable } from "../database.ts";
import { columnsOf, inLines, namesOf } from "./record-columns.ts";

export interface RebuildCounts {
  transactions: number;
  /** Rows that were missing or not the latest. */
  mended: number;
  /** Rows without any status row. */
  removed: number;
  /** Names that were missing. */
  named: number;
}

const columns = [...recordColumns.filter((column) => column !== "transaction_id"), "is_final"];

/**
 * Makes `transactions` and its names again from `transaction_statuses`. Rows that are right are left alone, so that on a sound
 * database it changes nothing, and readers see every row all the time.
 */
export async function rebuildTransactions(database: Database): Promise<RebuildCounts> {
  return database.transaction(async (tx) => {
    await tx.query("set local statement_timeout = 0");
    // Writers of pages wait meanwhile: a row written after our snapshot would be taken for one without status rows.
    await tx.query("lock table tieout.transaction_statuses in share row exclusive mode");
    const mended = await tx.query(
      `with latest as (
         select distinct on (account_id, transaction_id) *,
                status = any($1::text[]) as is_final,
                min(first_seen_at) over (partition by account_id, transaction_id) as first_at
         from tieout.transaction_statuses
         order by account_id, transaction_id, status_date desc, status_rank desc, record_hash desc
       ), mended as (
         insert into tieout.transactions as held (
           account_id, transaction_id, first_seen_at, last_changed_at,
           ${inLines(11, columns)}
         )
         select account_id, transaction_id, first_at, clock_timestamp(),
           ${inLines(11, columns)}
         from latest
         where not exists (
           select from tieout.transactions as t
           where t.account_id = latest.account_id and t.transaction_id = latest.transaction_id
             and (
              ${inLines(14, columnsOf("t", columns))}
             ) is not distinct from (
              ${inLines(14, columnsOf("latest", columns))}
             )
         )
         on conflict on constraint transaction_is_kept_once do update
         set last_changed_at = excluded.last_changed_at,
             (${inLines(14, columns)})
           = (${inLines(14, columnsOf("excluded", columns))})
         returning held.account_id, held.transaction_id
       ), noted as (              -- what was completed before is found there now
         insert into tieout.odd_histories (account_id, transaction_id) select * from mended on conflict do nothing
       )
       select from mended`,
      [finalStatuses],
    );
    const removed = await tx.query(
      `delete from tieout.transactions as t
       where not exists (
         select from tieout.transaction_statuses as s
         where s.account_id = t.account_id and s.transaction_id = t.transaction_id
       )
       returning 1`,
    );
    const named = await addMissingNames(tx);
    const [count] = await tx.query<{ transactions: number }>(
      "select count(*)::int as transactions from tieout.transactions",
    );
    return { transactions: count?.transactions ?? 0, mended: mended.length, removed: removed.length, named };
  });
}

/** Whatever a status row brings that nothing in `transaction_keys` and `account_providers` says yet. */
export async function addMissingNames(
  tx: Queryable,
  only: { accountId: number; transactionIds: readonly string[] } | null = null,
): Promise<number> {
  const named = await tx.query(
    `insert into tieout.transaction_keys (account_id, month, kind, key, transaction_id)
     select distinct on (s.account_id, s.transaction_id, name.kind, name.key)
            s.account_id, date_trunc('month', s.status_date at time zone 'UTC'), name.kind, name.key, s.transaction_id
     from tieout.transaction_statuses as s
     cross join lateral tieout.names_of(${namesOf("s")}) as name
     where ($1::int is null or (s.account_id = $1 and s.transaction_id = any($2)))
       and not exists (
         select from tieout.transaction_keys as k
         where k.name_hash = tieout.name_hash(s.account_id, name.kind, name.key)
           and (k.account_id, k.kind, k.key, k.transaction_id) = (s.account_id, name.kind, name.key, s.transaction_id)
       )
     order by s.account_id, s.transaction_id, name.kind, name.key, s.status_date
     returning 1`,
    [only?.accountId ?? null, only?.transactionIds ?? []],
  );
  if (only) return named.length;
  await tx.query(
    `insert into tieout.account_providers (account_id, provider)
     select distinct account_id, lower(coalesce(provider, ''))
     from tieout.transaction_statuses
     on conflict do nothing`,
  );
  return named.length;
}
