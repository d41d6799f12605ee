import { recordColumns } from "../../core/record-fields.ts";
import { finalStatuses } from "../../core/status.ts";
import type { Database } from "../database.ts";
import { columnsOf, inLines } from "./record-columns.ts";

export interface RebuildCounts {
  transactions: number;
  /** Rows that were missing or not the latest. */
  mended: number;
  /** Rows without any status row. */
  removed: number;
}

const columns = [...recordColumns.filter((column) => column !== "transaction_id"), "is_final"];

/**
 * Makes `transactions` again from `transaction_statuses`. Rows that are right are left alone, so that on a sound
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
       )
       insert into tieout.transactions as held (
         account_id, transaction_id, first_seen_at, last_changed_at,
         ${inLines(9, columns)}
       )
       select account_id, transaction_id, first_at, clock_timestamp(),
         ${inLines(9, columns)}
       from latest
       where not exists (
         select from tieout.transactions as t
         where t.account_id = latest.account_id and t.transaction_id = latest.transaction_id
           and (
            ${inLines(12, columnsOf("t", columns))}
           ) is not distinct from (
            ${inLines(12, columnsOf("latest", columns))}
           )
       )
       on conflict on constraint transaction_is_kept_once do update
       set last_changed_at = excluded.last_changed_at,
           (${inLines(12, columns)})
         = (${inLines(12, columnsOf("excluded", columns))})
       returning 1`,
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
    const [count] = await tx.query<{ transactions: number }>(
      "select count(*)::int as transactions from tieout.transactions",
    );
    return { transactions: count?.transactions ?? 0, mended: mended.length, removed: removed.length };
  });
}
