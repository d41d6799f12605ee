import type { Queryable } from "../database.ts";
import { receiptTables } from "../receipts/receipt-columns.ts";
import { type IntakeTables, statementTables } from "../statements/intake-tables.ts";
import type { Close } from "./closes.ts";

/** What the lines of a closed month have come to move, in one currency. */
export interface ClosedSum {
  month: string;
  lines: number;
  /** Their currencies, with what each adds to the claim. */
  sums: { currency: string; amount: string }[];
}

/** Where a kind of file keeps its lines, and what each of them (`l`) moves. */
export interface MovedBy {
  readonly tables: Pick<IntakeTables, "lines" | "retirements" | "fileId">;
  readonly amount: string;
  readonly currency: string;
  readonly isMoved: string;
}

/** Balances move nothing. */
export const movedByStatements: MovedBy = {
  tables: statementTables,
  amount: "case when l.line_type = 'payout' then -l.net_amount else l.net_amount end",
  currency: "coalesce(l.net_currency, l.fiat_currency)",
  isMoved: "l.line_type not in ('balance', 'commission_total')",
};

/** Money that came in, and what the bank took back of it: what else left the bank settles nothing. */
export const movedByReceipts: MovedBy = {
  tables: receiptTables,
  amount: "case when l.direction = 'credit' then l.amount else -l.amount end",
  currency: "l.currency",
  isMoved: "(l.direction = 'credit' or l.is_reversal)",
};

/**
 * What a file has changed of closed months, by the day of each line: what it brought, less the versions that it replaced or
 * withdrew. What lies before the first closed month goes with that one.
 */
export async function sumClosedMonths(
  tx: Queryable,
  movedBy: MovedBy,
  {
    accountId,
    fileId,
    at,
    closes,
  }: { accountId: number; fileId: number; at: string; closes: readonly Close[] },
): Promise<ClosedSum[]> {
  if (closes.length === 0) return [];
  return tx.query<ClosedSum>(changedSql(movedBy), [
    accountId,
    fileId,
    at,
    closes.map(({ month }) => month),
    closes.map(({ to }) => to),
  ]);
}

const changedSql = ({ tables, amount, currency, isMoved }: MovedBy) => `
with closes as (
  select c.month, c.to_at, lag(c.to_at, 1, '-infinity') over (order by c.to_at) as from_at
  from unnest($4::text[], $5::timestamptz[]) as c (month, to_at)
), touched as (
  select l.id from tieout.${tables.lines} as l where l.${tables.fileId} = $2::bigint
  union
  select r.line_id
  from tieout.${tables.retirements} as r
  where r.restored_at = $3::timestamptz
     or r.retired_at = $3::timestamptz and r.${tables.fileId} = $2::bigint
), moved as (
  select l.line_key, l.occurrence, l.effective_at, ${currency} as currency,
         ${amount} as amount,
         (not exists (
           select from tieout.${tables.retirements} as r where r.line_id = l.id and r.restored_at is null
         ))::int as stands,
         (l.${tables.fileId} <> $2::bigint and not exists (
           select
           from tieout.${tables.retirements} as r
           where r.line_id = l.id
             and r.retired_at < $3::timestamptz
             and (r.restored_at is null or r.restored_at >= $3::timestamptz)
         ))::int as stood
  from touched
  join tieout.${tables.lines} as l on l.id = touched.id
  where l.account_id = $1::int
    and ${isMoved}
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
