import type { AccountReader } from "../conditions.ts";

/** Two statements of a bank account that follow each other, with balances that do not. */
export interface BalanceGap {
  account: string;
  bankAccount: string;
  currency: string;
  fromFile: string;
  fromDay: string;
  closing: string;
  toFile: string;
  toDay: string;
  opening: string;
  missing: string;
}

/**
 * What is missing between the files of an account: the balance with which a statement opens is that with which the one before has
 * closed. Compared with all that end on the last day before it, because a day may have several statements and a month may come as a whole
 * and by days; not where another statement reaches over its beginning, and not where lines without balances (OFX, some CSV) make
 * up the difference. `fileId`: only beside this file.
 */
export async function listBalanceGaps(
  { database, accountIds }: AccountReader,
  { fileId = null, account }: { fileId?: number | null; account?: readonly string[] | undefined } = {},
): Promise<BalanceGap[]> {
  return database.query<BalanceGap>(gaps, [accountIds, fileId, account ?? null]);
}

export function describeGap(gap: BalanceGap): string {
  const { bankAccount, currency, fromFile, fromDay, closing, toFile, toDay, opening, missing } = gap;
  return (
    `${bankAccount}: ${fromFile} closes with ${closing} ${currency} (${fromDay}) and ${toFile} opens with ${opening} ${currency} (${toDay}). ` +
    `Bookings that come to ${missing} ${currency} are missing: import the statement between them, or ask the bank for it`
  );
}

const comparable = (name: string) => `upper(regexp_replace(${name}, '[^A-Za-z0-9]', '', 'g'))`;

const gaps = `
  with stated as materialized (
    select f.account_id, f.id as file_id, f.file_name, b.at, b.said ->> 'bank_account' as bank_account,
           ${comparable("b.said ->> 'bank_account'")} as number, upper(b.said ->> 'currency') as currency,
           (b.said ->> 'opening')::numeric as opening, (b.said ->> 'closing')::numeric as closing, d.last,
           -- MT940 dates the opening balance with the day on which the statement before has closed.
           case when f.format = 'mt940' and d.first < d.last then d.first + 1 else d.first end as first
    from tieout.receipt_files as f
    cross join lateral jsonb_array_elements(f.balances) with ordinality as b (said, at)
    cross join lateral (
      select coalesce((b.said ->> 'from')::date, f.period_from), coalesce((b.said ->> 'to')::date, f.period_to)
    ) as d (first, last)
    where f.state = 'imported'
      and ($1::int[] is null or f.account_id = any ($1::int[]))
      and f.account_id in (select a.id from tieout.accounts as a where $3::text[] is null or a.name = any ($3::text[]))
      and b.said ->> 'opening' is not null
      and b.said ->> 'closing' is not null
      -- Earlier versions did not keep the days of each statement.
      and (b.said ->> 'from' is not null or jsonb_array_length(f.balances) = 1)
  ), preceded as (                          -- each opening with the last closing before its day, in one pass: there may be thousands
    select e.*, max(array[e.day - date '1970-01-01', e.file_id, e.at]) filter (where not e.opens) over (
             partition by e.account_id, e.number, e.currency
             order by e.day, e.opens desc
             rows unbounded preceding
           ) as before_key
    from (
      select s.*, true as opens, s.first as day from stated as s
      union all
      select s.*, false, s.last from stated as s
    ) as e
  ), judged as (
    select s.*, before.file_id as before_id, before.file_name as before_name, before.last as before_day, before.closing as before_closing
    from preceded as s
    join stated as before on before.file_id = s.before_key[2] and before.at = s.before_key[3]
    where s.opens
      and s.opening <> before.closing
      and not exists (
        select
        from stated as p
        where (p.account_id, p.number, p.currency) = (s.account_id, s.number, s.currency)
          and (p.file_id, p.at) <> (s.file_id, s.at)
          and ((p.last between before.last and s.first and p.closing = s.opening) or (p.first < s.first and p.last >= s.first))
      )
  )
  select a.name as account, j.bank_account as "bankAccount", j.currency, j.before_name as "fromFile", j.before_day::text as "fromDay",
         trim_scale(j.before_closing)::text as closing, j.file_name as "toFile", j.first::text as "toDay",
         trim_scale(j.opening)::text as opening, trim_scale(j.opening - j.before_closing)::text as missing
  from judged as j
  join tieout.accounts as a on a.id = j.account_id
  cross join lateral (
    select coalesce(sum(case l.direction when 'credit' then l.amount else -l.amount end), 0)
    from tieout.receipt_lines as l
    where l.account_id = j.account_id
      and l.effective_at > j.before_day
      and l.effective_at < j.first
      and coalesce(l.booking_date, l.value_date) > j.before_day
      and ${comparable("l.bank_account")} = j.number
      and upper(l.currency) = j.currency
      and not exists (select from tieout.receipt_retirements as r where r.line_id = l.id and r.restored_at is null)
  ) as between_them (amount)
  where ($2::bigint is null or $2::bigint in (j.file_id, j.before_id))
    and j.opening - j.before_closing <> between_them.amount
  order by j.first desc, j.bank_account
  limit 20`;
