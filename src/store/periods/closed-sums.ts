import type { Queryable } from "../database.ts";
import type { Close } from "./closes.ts";

/** What the lines of a closed month have come to move, in one currency. */
export interface ClosedSum {
  month: string;
  lines: number;
  /** Their currencies, with what each adds to the claim. */
  sums: { currency: string; amount: string }[];
}

/**
 * What a file has changed of closed months, by the day of each line: what it brought, less the versions that it replaced or
 * withdrew. What lies before the first closed month goes with that one. Balances move nothing.
 */
export async function sumClosedMonths(
  tx: Queryable,
  {
    accountId,
    statementId,
    at,
    closes,
  }: { accountId: number; statementId: number; at: string; closes: readonly Close[] },
): Promise<ClosedSum[]> {
  if (closes.length === 0) return [];
  return tx.query<ClosedSum>(changedSql, [
    accountId,
    statementId,
    at,
    closes.map(({ month }) => month),
    closes.map(({ to }) => to),
  ]);
}

const changedSql = `
with closes as (
  select c.month, c.to_at, lag(c.to_at, 1, '-infinity') over (order by c.to_at) as from_at
  from unnest($4::text[], $5::timestamptz[]) as c (month, to_at)
), touched as (
  select l.id from tieout.statement_lines as l where l.statement_id = $2::bigint
  union
  select r.line_id
  from tieout.line_retirements as r
  where r.restored_at = $3::timestamptz
     or r.retired_at = $3::timestamptz and r.statement_id = $2::bigint
), moved as (
  select l.line_key, l.occurrence, l.effective_at, coalesce(l.net_currency, l.fiat_currency) as currency,
         case when l.line_type = 'payout' then -l.net_amount else l.net_amount end as amount,
         (not exists (
           select from tieout.line_retirements as r where r.line_id = l.id and r.restored_at is null
         ))::int as stands,
         (l.statement_id <> $2::bigint and not exists (
           select
           from tieout.line_retirements as r
           where r.line_id = l.id
             and r.retired_at < $3::timestamptz
             and (r.restored_at is null or r.restored_at >= $3::timestamptz)
         ))::int as stood
  from touched
  join tieout.statement_lines as l on l.id = touched.id
  where l.account_id = $1::int
    and l.line_type not in ('balance', 'commission_total')
    and l.effective_at < (select max(to_at) from closes)
), by_month as (
  select c.month, m.currency, sum(coalesce(m.amount, 0) * (m.stands - m.stood)) as amount,
         array_agg(distinct (m.line_key, m.occurrence)::text) as keys
  from moved as m
  join closes as c on m.effective_at >= c.from_at and m.effective_at < c.to_at
  where m.stands <> m.stood
  group by c.month, m.currency
)
select month, sum(cardinality(keys))::int as lines,
       jsonb_agg(jsonb_build_object('currency', coalesce(currency, ''), 'amount', trim_scale(amount)::text)
                 order by currency collate "C") as sums
from by_month
group by month
order by month`;
