/** What an import tells of rows beside their counts: which repeat another, and which of a replaced file are gone. */
import type { Queryable } from "../database.ts";

export interface RepeatedRow {
  readonly lineNo: number;
  /** The line of the same file that has it first. */
  readonly firstLineNo: number;
}

export interface RepeatedRows {
  readonly rows: number;
  /** The first ones. */
  readonly first: readonly RepeatedRow[];
}

export const nothingRepeated: RepeatedRows = { rows: 0, first: [] };

/** Rows that stand in their file before, word for word. */
export async function listRepeated(
  database: Queryable,
  { statementId, limit }: { statementId: number; limit: number },
): Promise<RepeatedRows> {
  const found = await database.query<RepeatedRow & { all: number } & Record<string, unknown>>(
    `select w.line_no as "lineNo",
            (select min(f.line_no)
             from tieout.statement_rows as f
             where f.line_id = w.line_id and f.statement_id = w.statement_id) as "firstLineNo",
            count(*) over ()::int as all
     from tieout.statement_rows as w
     where w.statement_id = $1::bigint
       and w.code = 'row_duplicate_in_file'
     order by w.line_no
     limit $2::int`,
    [statementId, limit],
  );
  return {
    rows: found[0]?.all ?? 0,
    first: found.map(({ lineNo, firstLineNo }) => ({ lineNo, firstLineNo })),
  };
}

export interface GoneLines {
  readonly lines: number;
  /** What they added to what is owed to us; payouts and balances are no part of that. */
  readonly sums: readonly { readonly currency: string; readonly amount: string }[];
  /** The first ones, each by its provider's id, else our reference, else its line in the old file. */
  readonly names: readonly string[];
}

const namesMax = 5;

/** Lines of a statement that was just replaced, of which no version counts any longer: the new file does not have them. */
export async function listGone(
  database: Queryable,
  { replacedId, at }: { replacedId: number; at: string },
): Promise<GoneLines> {
  const [gone] = await database.query<GoneLines & Record<string, unknown>>(goneSql, [
    replacedId,
    at,
    namesMax,
  ]);
  return gone ?? { lines: 0, sums: [], names: [] };
}

const goneSql = `
with gone as materialized (
  select l.id, min(w.line_no) as line_no,
         coalesce(l.provider_transaction_id, l.our_reference, 'line ' || min(w.line_no)) as name,
         coalesce(l.net_currency, '') as currency,
         case when l.line_type in ('payout', 'balance', 'commission_total') then 0 else l.net_amount end as amount
  from tieout.statement_rows as w
  join tieout.statement_lines as l on l.id = w.line_id
  join tieout.line_retirements as r on r.line_id = l.id and r.restored_at is null and r.retired_at = $2::timestamptz
  where w.statement_id = $1::bigint
    and not exists (
      select
      from tieout.statement_lines as other
      where (other.line_key, other.occurrence, other.account_id, other.provider)
          = (l.line_key, l.occurrence, l.account_id, l.provider)
        and other.id <> l.id
        and not exists (
          select from tieout.line_retirements as o where o.line_id = other.id and o.restored_at is null
        )
    )
  group by l.id
)
select (select count(*)::int from gone) as lines,
       coalesce((
         select jsonb_agg(jsonb_build_object('currency', currency, 'amount', trim_scale(amount)::text)
                          order by currency collate "C")
         from (select currency, sum(amount) as amount from gone group by currency having sum(amount) <> 0) as added
       ), '[]') as sums,
       array(select name from gone order by line_no limit $3::int) as names`;
