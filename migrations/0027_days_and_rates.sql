-- Lines that state no fee of the network are compared with fee schedules; months that were closed before stay as they were signed.
insert into tieout.rule_changes (rule, since) values ('fees_without_network', clock_timestamp()) on conflict do nothing;

-- The days that have transactions, each found by the index. It was every day between the earliest and the latest, so one record dated
-- in the year 1 made three million of them.
create or replace view reporting.daily_summary as
select a.name as account,
       days.day,
       t.provider,
       t.transaction_type,
       t.status,
       t.source_currency,
       t.target_currency,
       t.transactions,
       t.in_amount,
       t.out_amount
from (
  with recursive found (day) as (
    select (min(first.status_date) at time zone 'UTC')::date
    from tieout.transactions as first
    union all
    select (
      select (min(next.status_date) at time zone 'UTC')::date
      from tieout.transactions as next
      where next.status_date >= (found.day + 1)::timestamp at time zone 'UTC'
    )
    from found
    where found.day is not null
  )
  select found.day
  from found
  where found.day is not null
) as days
cross join lateral (
  select t.account_id, t.provider, t.transaction_type, t.status, t.source_currency, t.target_currency,
         count(*) as transactions, sum(t.in_amount) as in_amount, sum(t.out_amount) as out_amount
  from tieout.transactions as t
  where t.status_date >= days.day::timestamp at time zone 'UTC'
    and t.status_date < (days.day + 1)::timestamp at time zone 'UTC'
    and ((select tieout.reads_all()) or t.account_id = any ((select tieout.readable_accounts())::integer[]))
  group by t.account_id, t.provider, t.transaction_type, t.status, t.source_currency, t.target_currency
) as t
left join tieout.accounts as a on a.id = t.account_id;

-- A rate is found by its quote too: that of a cross was looked for in all rates of all years.
create index rates_by_quote on tieout.rates (quote, day, imported_at);

-- What a bank's file says is found by its name, by the bank's number, and by the amount.
create index receipt_files_by_file_name on tieout.receipt_files (lower(file_name));
create index receipt_lines_by_bank_reference on tieout.receipt_lines (lower(bank_reference)) where bank_reference is not null;
create index receipt_lines_by_amount on tieout.receipt_lines (amount);

-- As before, but each way ends with its own latest day, and where both sides of a cross were corrected, the correction of both
-- counts: the corrected one beside the old other was as good.
create or replace function tieout.exchange_rate(of_currency text, to_currency text, day date, known_at timestamptz)
returns table (rate numeric, rate_date date, source text)
language sql stable parallel safe as $$
  select found.rate, found.day, found.source
  from (
    select 1::numeric as rate, exchange_rate.day as day, 'same currency' as source, 0 as way, null::timestamptz as imported_at
    where exchange_rate.of_currency = exchange_rate.to_currency
    union all
    (
      select r.rate, r.day, r.source, 1, r.imported_at
      from tieout.rates as r
      where r.base = exchange_rate.of_currency
        and r.quote = exchange_rate.to_currency
        and r.day between exchange_rate.day - 7 and exchange_rate.day
        and r.imported_at <= exchange_rate.known_at
      order by r.day desc, r.imported_at desc, r.source
      limit 1
    )
    union all
    (
      select round(1 / r.rate, 12), r.day, r.source, 2, r.imported_at
      from tieout.rates as r
      where r.base = exchange_rate.to_currency
        and r.quote = exchange_rate.of_currency
        and r.day between exchange_rate.day - 7 and exchange_rate.day
        and r.imported_at <= exchange_rate.known_at
      order by r.day desc, r.imported_at desc, r.source
      limit 1
    )
    union all
    (
      select round(b.rate / a.rate, 12), a.day, a.source, 3, greatest(a.imported_at, b.imported_at)
      from tieout.rates as a
      cross join lateral (
        select other.rate, other.imported_at
        from tieout.rates as other
        where other.base = a.base
          and other.quote = exchange_rate.to_currency
          and other.day = a.day
          and other.source = a.source
          and other.imported_at <= exchange_rate.known_at
        order by other.imported_at desc
        limit 1
      ) as b
      where a.quote = exchange_rate.of_currency
        and a.day between exchange_rate.day - 7 and exchange_rate.day
        and a.imported_at <= exchange_rate.known_at
      order by a.day desc, greatest(a.imported_at, b.imported_at) desc, least(a.imported_at, b.imported_at) desc, a.source
      limit 1
    )
  ) as found
  order by found.day desc, found.way, found.imported_at desc, found.source
  limit 1
$$;

comment on column tieout.receipt_files.given is 'Bank account and currency that were given with a file that does not name them; and the zone of the account''s months, if that is not UTC: a day of the bank begins in it where that is later.';
