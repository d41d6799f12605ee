import type { Transaction } from "../database.ts";

/**
 * Which lines settle which transactions. A line with several candidates is ambiguous and gets none. Of several charges
 * for one transaction one settles it: a person's choice, then the stronger key, then one that moved money, then the
 * earliest; never the order of arrival. The others stay behind as duplicates.
 */
export async function settle(tx: Transaction): Promise<void> {
  await tx.query("drop table if exists pg_temp.reconcile_ambiguous, pg_temp.reconcile_duplicates");
  await tx.query(
    `create temp table reconcile_ambiguous on commit drop as
     select line_id, min(pass) as pass, array_agg(transaction_id order by transaction_id) as transaction_ids
     from reconcile_pairs
     where line_id in (
       select line_id
       from reconcile_pairs
       group by line_id
       having min(transaction_id) <> max(transaction_id)
     )
     group by line_id`,
  );
  await tx.query(
    "delete from reconcile_pairs as p using reconcile_ambiguous as a where a.line_id = p.line_id",
  );
  await tx.query(
    `create temp table reconcile_duplicates on commit drop as
     select line_id, transaction_id, settled_by
     from (
       select p.line_id, p.transaction_id, first_value(p.line_id) over claim as settled_by
       from reconcile_pairs as p
       join (                        -- few: only these need an order
         select transaction_id
         from reconcile_pairs
         where line_type = 'charge'
         group by transaction_id
         having count(*) > 1
       ) as contested using (transaction_id)
       where p.line_type = 'charge'
       window claim as (
         partition by p.transaction_id
         order by p.pass, not p.moved_money, p.effective_at, p.line_key, p.occurrence
       )
     ) as claims
     where line_id <> settled_by`,
  );
  await tx.query(
    "delete from reconcile_pairs as p using reconcile_duplicates as d where d.line_id = p.line_id",
  );
  // By which the later passes see that a transaction is settled.
  await tx.query("create index on reconcile_pairs (transaction_id)");
}
