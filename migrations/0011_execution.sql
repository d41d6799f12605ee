-- How well the providers execute: what they quoted when an order was placed, and what became of the order.

create trigger refuse_change before update or delete on tieout.quote_asks
  for each row execute function tieout.refuse_change();
create trigger refuse_change before update or delete on tieout.quotes
  for each row execute function tieout.refuse_change();

comment on table tieout.quote_asks is 'Every time the providers were asked for quotes: for what the account really trades, a few times an hour. Append-only.';
comment on column tieout.quote_asks.id is 'Our number.';
comment on column tieout.quote_asks.account_id is 'Account that asked.';
comment on column tieout.quote_asks.asked_at is 'When, by the clock of the database.';
comment on column tieout.quote_asks.transaction_type is 'buy or sell.';
comment on column tieout.quote_asks.source_currency is 'What would be given; the currency of amount.';
comment on column tieout.quote_asks.target_currency is 'What would be got; the currency of every payout.';
comment on column tieout.quote_asks.amount is 'How much would be given: as much as in a recent transaction.';
comment on column tieout.quote_asks.payment_method is 'Payment method that was asked for; null for the aggregator''s own choice.';
comment on column tieout.quote_asks.country is 'Country that was asked for; null when none was.';
comment on column tieout.quote_asks.took_ms is 'How long the answer took, in milliseconds; what the budget counts.';
comment on column tieout.quote_asks.error is 'Why there is no answer; null when there is one.';

comment on table tieout.quotes is 'What each provider answered to an ask. Append-only.';
comment on column tieout.quotes.account_id is 'Account that asked.';
comment on column tieout.quotes.ask_id is 'The ask that it answers.';
comment on column tieout.quotes.provider is 'Provider, as the aggregator names it.';
comment on column tieout.quotes.payout is 'What it would pay, in the ask''s target_currency, all fees deducted; null when it would not.';
comment on column tieout.quotes.rate is 'The rate it states; of no uniform meaning between providers.';
comment on column tieout.quotes.network_fee is 'The network fee it states.';
comment on column tieout.quotes.transaction_fee is 'The fee it states for the transaction.';
comment on column tieout.quotes.refusal is 'Why it would not, in its own words; null when it would.';

-- Fewer comparisons than this say nothing about a provider: averages stay empty.
create function tieout.least_comparisons() returns integer
language sql immutable parallel safe return 10;

comment on function tieout.least_comparisons() is 'An average over fewer comparisons than this is not shown.';

-- Every order of the period with how it ended and how long it took; and completed ones beside the quotes that were asked for
-- nearest to their start: same account, type, pair, method and country, within a quarter of an hour, for an amount between half
-- and twice their own. Prices are compared per unit given. The middle of an even number of quotes is halfway between the two in
-- the middle. An order without such quotes has no ask_id.
create function tieout.order_executions(of_accounts integer[], from_at timestamptz, to_at timestamptz)
returns table (
  account_id integer, transaction_id text, provider text, transaction_type text, source_currency text,
  target_currency text, payment_method text, status text, is_final boolean, said text, status_date timestamptz,
  took interval, ask_id bigint, quotes bigint, place bigint, executed numeric, quoted numeric, middle numeric,
  forgone numeric)
language sql stable as $$
  with started as (
    select s.account_id, s.transaction_id, min(s.status_date) as started_at
    from tieout.transaction_statuses as s
    where s.account_id = any(of_accounts)
      and s.status_date >= from_at - interval '30 days'
      and s.status_date < to_at
    group by s.account_id, s.transaction_id
  ), orders as (                -- only the columns used below: these rows are many, and are written to disk
    select t.account_id, t.transaction_id, t.provider, t.transaction_type, t.source_currency, t.target_currency, t.payment_method,
           t.country, t.in_amount, t.out_amount, t.status, t.is_final, t.status_date, t.record_hash, s.started_at
    from tieout.transactions as t
    left join started as s on s.account_id = t.account_id and s.transaction_id = t.transaction_id
    where t.account_id = any(of_accounts)
      and t.status_date >= from_at
      and t.status_date < to_at
  ), endings as (
    -- What the aggregator called the end of an order stands in its latest status row.
    select o.account_id, o.transaction_id, s.received_status
    from orders as o
    join tieout.transaction_statuses as s
      on s.account_id = o.account_id and s.transaction_id = o.transaction_id
     and s.record_hash = o.record_hash and s.status_date = o.status_date
    where o.is_final
      and o.status <> 'completed'
      and s.status_date >= from_at
      and s.status_date < to_at
  ), beside as (
    select o.account_id, o.transaction_id, o.provider, o.in_amount, o.out_amount, asked.id as ask_id, asked.amount
    from orders as o
    cross join lateral (
      select a.id, a.amount
      from tieout.quote_asks as a
      where a.account_id = o.account_id
        and a.asked_at between o.started_at - interval '15 minutes' and o.started_at + interval '15 minutes'
        and a.error is null
        and a.transaction_type = o.transaction_type
        and a.source_currency = o.source_currency
        and a.target_currency = o.target_currency
        and a.payment_method is not distinct from o.payment_method
        and a.country is not distinct from o.country
        and a.amount between o.in_amount / 2 and o.in_amount * 2
      order by greatest(a.asked_at - o.started_at, o.started_at - a.asked_at), a.id
      limit 1
    ) as asked
    where o.status = 'completed'
      and o.in_amount > 0
      and o.out_amount > 0
      and o.transaction_type in ('buy', 'sell')
      -- Without this, every order would be looked up in vain until quotes have been asked for.
      and exists (
        select from tieout.quote_asks as a
        where a.account_id = any(of_accounts)
          and a.asked_at between from_at - interval '31 days' and to_at + interval '1 day')
  ), ranked as (
    select q.account_id, q.ask_id, lower(q.provider) as provider, q.payout,
           rank() over (partition by q.account_id, q.ask_id order by q.payout desc) as place
    from tieout.quotes as q
    where (q.account_id, q.ask_id) in (select b.account_id, b.ask_id from beside as b)
      and q.payout is not null
  ), boards as (
    select r.account_id, r.ask_id, count(*) as quotes, max(r.payout) as best,
           (percentile_disc(0.5) within group (order by r.payout)
            + percentile_disc(0.5) within group (order by r.payout desc)) / 2 as middle
    from ranked as r
    group by r.account_id, r.ask_id
  ), compared as (
    select b.account_id, b.transaction_id, b.ask_id, boards.quotes, own.place,
           b.out_amount / b.in_amount as executed,
           own.payout / b.amount as quoted,
           boards.middle / b.amount as middle,
           greatest(boards.best / b.amount * b.in_amount - b.out_amount, 0) as forgone
    from beside as b
    join boards on boards.account_id = b.account_id and boards.ask_id = b.ask_id
    left join ranked as own
      on own.account_id = b.account_id and own.ask_id = b.ask_id and own.provider = lower(b.provider)
  )
  select o.account_id, o.transaction_id, o.provider, o.transaction_type, o.source_currency, o.target_currency,
         o.payment_method, o.status, o.is_final, lower(coalesce(e.received_status, o.status)), o.status_date,
         o.status_date - o.started_at, c.ask_id, c.quotes, c.place, c.executed, c.quoted, c.middle, c.forgone
  from orders as o
  left join endings as e on e.account_id = o.account_id and e.transaction_id = o.transaction_id
  left join compared as c on c.account_id = o.account_id and c.transaction_id = o.transaction_id
$$;

comment on function tieout.order_executions(integer[], timestamptz, timestamptz) is 'Orders of a period: how each ended, and for completed ones the quotes of the moment at which they were placed.';

create function tieout.execution_quality(of_accounts integer[], from_at timestamptz, to_at timestamptz)
returns table (
  account_id integer, provider text, transaction_type text, source_currency text, target_currency text,
  payment_method text, orders bigint, completed bigint, failed bigint, canceled bigint, open bigint,
  failure_reasons text, completed_percent numeric, median_seconds bigint, slow_seconds bigint, compared bigint,
  quoted bigint, slippage_bps numeric, cost_bps numeric, mean_place numeric, mean_quotes numeric, times_best bigint,
  forgone numeric)
-- With the owner's rights: readers see the view, and none of the tables beneath it.
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  with orders as materialized (
    select * from tieout.order_executions(of_accounts, from_at, to_at)
  ), reasons as (
    select r.account_id, r.provider, r.transaction_type, r.source_currency, r.target_currency, r.payment_method,
           string_agg(r.said || ' ' || r.orders, ', ' order by r.orders desc, r.said) as failure_reasons
    from (
      select o.account_id, o.provider, o.transaction_type, o.source_currency, o.target_currency, o.payment_method,
             o.said, count(*) as orders
      from orders as o
      where o.is_final and o.status <> 'completed'
      group by 1, 2, 3, 4, 5, 6, 7
    ) as r
    group by 1, 2, 3, 4, 5, 6
  ), outcomes as (
    select o.account_id, o.provider, o.transaction_type, o.source_currency, o.target_currency, o.payment_method,
           count(*) as orders,
           count(*) filter (where o.status = 'completed') as completed,
           count(*) filter (where o.status = 'failed') as failed,
           count(*) filter (where o.status = 'canceled') as canceled,
           count(*) filter (where not o.is_final) as open,
           round(100.0 * count(*) filter (where o.status = 'completed')
                 / nullif(count(*) filter (where o.is_final), 0), 2) as completed_percent,
           percentile_disc(0.5) within group (order by o.took) filter (where o.status = 'completed') as median_took,
           percentile_disc(0.9) within group (order by o.took) filter (where o.status = 'completed') as slow_took,
           count(o.ask_id) as compared,
           count(o.quoted) as quoted,
           avg((o.quoted - o.executed) / o.quoted * 10000) as slippage_bps,
           avg((o.middle - o.executed) / o.middle * 10000) as cost_bps,
           avg(o.place::numeric) as mean_place,
           avg(o.quotes::numeric) as mean_quotes,
           count(*) filter (where o.place = 1) as times_best,
           sum(o.forgone) as forgone
    from orders as o
    group by 1, 2, 3, 4, 5, 6
  )
  select o.account_id, o.provider, o.transaction_type, o.source_currency, o.target_currency, o.payment_method,
         o.orders, o.completed, o.failed, o.canceled, o.open, r.failure_reasons, o.completed_percent,
         round(extract(epoch from o.median_took))::bigint,
         round(extract(epoch from o.slow_took))::bigint,
         o.compared, o.quoted,
         case when o.quoted >= tieout.least_comparisons() then round(o.slippage_bps, 2) end,
         case when o.compared >= tieout.least_comparisons() then round(o.cost_bps, 2) end,
         case when o.quoted >= tieout.least_comparisons() then round(o.mean_place, 2) end,
         case when o.compared >= tieout.least_comparisons() then round(o.mean_quotes, 2) end,
         case when o.quoted >= tieout.least_comparisons() then o.times_best end,
         case when o.compared >= tieout.least_comparisons() then trim_scale(round(o.forgone, 18)) end
  from outcomes as o
  left join reasons as r
    -- One array, because a null equals a null in it: "is not distinct from" would compare every pair of groups.
    on array[r.account_id::text, r.provider, r.transaction_type, r.source_currency, r.target_currency, r.payment_method]
     = array[o.account_id::text, o.provider, o.transaction_type, o.source_currency, o.target_currency, o.payment_method]
$$;

comment on function tieout.execution_quality(integer[], timestamptz, timestamptz) is 'How well each provider executed in a period, by type, pair and method: outcomes of all orders, and prices of those that can be compared with quotes.';

-- The same figures over time, by provider. A point from fewer orders than least_comparisons() is empty, whatever it says.
create function tieout.execution_over_time(of_accounts integer[], from_at timestamptz, to_at timestamptz, step text)
returns table (
  provider text, starts_on date, orders bigint, ended bigint, completed bigint, completed_percent numeric,
  median_seconds bigint, compared bigint, quoted bigint, slippage_bps numeric, cost_bps numeric)
language sql stable as $$
  select o.provider, (date_trunc(step, o.status_date at time zone 'UTC'))::date as starts_on,
         count(*),
         count(*) filter (where o.is_final),
         count(*) filter (where o.status = 'completed'),
         case when count(*) filter (where o.is_final) >= tieout.least_comparisons() then
           round(100.0 * count(*) filter (where o.status = 'completed') / count(*) filter (where o.is_final), 2) end,
         case when count(*) filter (where o.status = 'completed') >= tieout.least_comparisons() then
           round(extract(epoch from percentile_disc(0.5) within group (order by o.took) filter (where o.status = 'completed')))::bigint end,
         count(o.ask_id),
         count(o.quoted),
         case when count(o.quoted) >= tieout.least_comparisons() then
           round(avg((o.quoted - o.executed) / o.quoted * 10000), 2) end,
         case when count(o.ask_id) >= tieout.least_comparisons() then
           round(avg((o.middle - o.executed) / o.middle * 10000), 2) end
  from tieout.order_executions(of_accounts, from_at, to_at) as o
  group by 1, 2
$$;

comment on function tieout.execution_over_time(integer[], timestamptz, timestamptz, text) is 'How well each provider executed, by UTC week or month of the latest status; a figure that fewer than least_comparisons() orders stand behind is null.';

create view reporting.execution_quality as
select a.name as account,
       e.provider,
       e.transaction_type,
       e.source_currency,
       e.target_currency,
       e.payment_method,
       e.orders,
       e.completed,
       e.failed,
       e.canceled,
       e.open,
       e.failure_reasons,
       e.completed_percent,
       e.median_seconds,
       e.slow_seconds,
       e.compared,
       e.quoted,
       e.slippage_bps,
       e.cost_bps,
       e.mean_place,
       e.mean_quotes,
       e.times_best,
       e.forgone
from tieout.accounts as a
cross join lateral tieout.execution_quality(array[a.id], now() - interval '30 days', now()) as e
where (select tieout.reads_all()) or a.id = any ((select tieout.readable_accounts())::integer[]);

comment on view reporting.execution_quality is 'One row per account, provider, type, pair of currencies and payment method: how well orders of the last 30 days were executed, against what was quoted when they were placed. Other periods: the report execution-quality.';
comment on column reporting.execution_quality.account is 'Account, by its name in the configuration.';
comment on column reporting.execution_quality.provider is 'The provider: the aggregator''s onramp.';
comment on column reporting.execution_quality.transaction_type is 'buy or sell.';
comment on column reporting.execution_quality.source_currency is 'What customers paid with.';
comment on column reporting.execution_quality.target_currency is 'What customers received; the currency of forgone.';
comment on column reporting.execution_quality.payment_method is 'Payment method as received.';
comment on column reporting.execution_quality.orders is 'How many transactions have their latest status in the period.';
comment on column reporting.execution_quality.completed is 'How many of them were completed.';
comment on column reporting.execution_quality.failed is 'How many failed.';
comment on column reporting.execution_quality.canceled is 'How many were canceled.';
comment on column reporting.execution_quality.open is 'How many are still open.';
comment on column reporting.execution_quality.failure_reasons is 'How orders that were not completed ended, in the aggregator''s words, with the number of each.';
comment on column reporting.execution_quality.completed_percent is 'Completed orders as a percentage of orders that have ended; null when none has.';
comment on column reporting.execution_quality.median_seconds is 'Median seconds from the first status to completed.';
comment on column reporting.execution_quality.slow_seconds is '90th percentile of the same: nine in ten took no longer.';
comment on column reporting.execution_quality.compared is 'How many completed orders could be compared with quotes from when they were placed. Below 10, all price figures are null.';
comment on column reporting.execution_quality.quoted is 'How many of those the provider had itself quoted for. Below 10, slippage and rank are null.';
comment on column reporting.execution_quality.slippage_bps is 'Mean of (quoted - executed) / quoted in basis points: positive when customers received less than quoted.';
comment on column reporting.execution_quality.cost_bps is 'Mean of (median quote - executed) / median quote in basis points: what orders cost against the market at that moment.';
comment on column reporting.execution_quality.mean_place is 'Mean rank of the provider among the quotes at that moment; 1 is the best.';
comment on column reporting.execution_quality.mean_quotes is 'Mean number of quotes it was ranked among.';
comment on column reporting.execution_quality.times_best is 'How often its quote was the best.';
comment on column reporting.execution_quality.forgone is 'How much more customers would have received at the best quote, summed over the compared orders, in target_currency.';
