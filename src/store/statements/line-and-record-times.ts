import type { Queryable } from "../database.ts";

export interface TimePair {
  readonly lineMs: number;
  readonly recordMs: number;
}

/**
 * When charges of a statement took effect, beside the status date of the one transaction that their id or reference
 * names: a sample from the start of the file. Not from the matches, because those come after the import.
 */
export async function sampleTimes(
  tx: Queryable,
  { statementId, limit }: { statementId: number; limit: number },
): Promise<TimePair[]> {
  return tx.query<TimePair>(
    `select extract(epoch from l.effective_at)::float8 * 1000 as "lineMs",
            extract(epoch from named.status_date)::float8 * 1000 as "recordMs"
     from (
       select account_id, provider, provider_transaction_id, our_reference, effective_at
       from tieout.statement_lines
       where statement_id = $1
         and line_type = 'charge'
         and coalesce(provider_transaction_id, our_reference) is not null
       order by id
       limit $2
     ) as l
     cross join lateral (
       select min(t.status_date) as status_date
       from (
         select transaction_id from tieout.named(l.account_id, 'provider_id', tieout.comparable_id(l.provider_transaction_id))
         union
         select transaction_id from tieout.named(l.account_id, 'reference', tieout.comparable_id(l.our_reference))
         union
         select l.our_reference
       ) as name
       join tieout.transactions as t on t.account_id = l.account_id and t.transaction_id = name.transaction_id
       where lower(t.provider) = l.provider
         and t.status = 'completed'
       having count(*) = 1
     ) as named`,
    [statementId, limit],
  );
}
