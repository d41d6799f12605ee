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

-- Each completed order of the period beside the quotes that were asked for nearest to its start: same account, type, pair,
-- method and country, within a quarter of an hour, for an amount between half and twice its own. Prices are compared per
-- unit given. The middle of an even number of quotes is halfway between the two in the middle.
create function tieout.executions_compared(of_accounts integer[], from_at timestamptz, to_at timestamptz)
returns table (
  account_id integer, transaction_id text, provider text, transaction_type text, source_currency text,
  target_currency text, payment_method text, started_at timestamptz, ask_id bigint, quotes bigint, place bigint,
  executed numeric, quoted numeric, best numeric, middle numeric, forgone numeric)
language sql stable as $$
  with orders as (
    select t.account_id, t.transaction_id, t.provider, t.transaction_type, t.source_currency, t.target_currency,
           t.payment_method, t.country, t.in_amount, t.out_amount, s.started_at
    from tieout.transactions as t
    join (
      select s.account_id, s.transaction_id, min(s.status_date) as started_at
      from tieout.transaction_statuses as s
      where s.account_id = any(of_accounts)
        and s.status_date >= from_at - interval '30 days'
        and s.status_date < to_at
      group by s.account_id, s.transaction_id
    ) as s on s.account_id = t.account_id and s.transaction_id = t.transaction_id
    where t.account_id = any(of_accounts)
      and t.status_date >= from_at
      and t.status_date < to_at
      and t.status = 'completed'
      and t.in_amount > 0
      and t.out_amount > 0
      and t.transaction_type in ('buy', 'sell')
  ), beside as (
    select o.*, asked.id as ask_id, asked.amount
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
  )
  select b.account_id, b.transaction_id, b.provider, b.transaction_type, b.source_currency, b.target_currency,
         b.payment_method, b.started_at, b.ask_id, boards.quotes, own.place,
         b.out_amount / b.in_amount,
         own.payout / b.amount,
         boards.best / b.amount,
         boards.middle / b.amount,
         greatest(boards.best / b.amount * b.in_amount - b.out_amount, 0)
  from beside as b
  join boards on boards.account_id = b.account_id and boards.ask_id = b.ask_id
  left join ranked as own
    on own.account_id = b.account_id and own.ask_id = b.ask_id and own.provider = lower(b.provider)
$$;

comment on function tieout.executions_compared(integer[], timestamptz, timestamptz) is 'Completed orders of a period, each beside the quotes of the moment at which it was placed; orders without such quotes are left out.';

create function tieout.execution_quality(of_accounts integer[], from_at timestamptz, to_at timestamptz)
returns table (
  account_id integer, provider text, transaction_type text, source_currency text, target_currency text,
  payment_method text, orders bigint, completed bigint, failed bigint, canceled bigint, open bigint,
  failure_reasons text, completed_percent numeric, median_seconds bigint, slow_seconds bigint, compared bigint,
  quoted bigint, slippage_bps numeric, cost_bps numeric, mean_place numeric, mean_quotes numeric, times_best bigint,
  forgone numeric)
-- With the owner's rights: readers see the view, and none of the tables beneath it.
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  with orders as (
    select t.account_id, t.provider, t.transaction_type, t.source_currency, t.target_currency, t.payment_method,
           t.status, t.is_final, coalesce(s.received_status, t.status) as said, t.status_date - s.started_at as took
    from tieout.transactions as t
    left join (
      select s.account_id, s.transaction_id, min(s.status_date) as started_at,
             (array_agg(s.received_status order by s.status_date desc, s.status_rank desc))[1] as received_status
      from tieout.transaction_statuses as s
      where s.account_id = any(of_accounts)
        and s.status_date >= from_at - interval '30 days'
        and s.status_date < to_at
      group by s.account_id, s.transaction_id
    ) as s on s.account_id = t.account_id and s.transaction_id = t.transaction_id
    where t.account_id = any(of_accounts)
      and t.status_date >= from_at
      and t.status_date < to_at
  ), reasons as (
    select r.account_id, r.provider, r.transaction_type, r.source_currency, r.target_currency, r.payment_method,
           string_agg(r.said || ' ' || r.orders, ', ' order by r.orders desc, r.said) as failure_reasons
    from (
      select o.account_id, o.provider, o.transaction_type, o.source_currency, o.target_currency, o.payment_method,
             lower(o.said) as said, count(*) as orders
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
           percentile_disc(0.9) within group (order by o.took) filter (where o.status = 'completed') as slow_took
    from orders as o
    group by 1, 2, 3, 4, 5, 6
  ), comparisons as (
    select c.account_id, c.provider, c.transaction_type, c.source_currency, c.target_currency, c.payment_method,
           count(*) as compared,
           count(c.quoted) as quoted,
           avg((c.quoted - c.executed) / c.quoted * 10000) as slippage_bps,
           avg((c.middle - c.executed) / c.middle * 10000) as cost_bps,
           avg(c.place::numeric) as mean_place,
           avg(c.quotes::numeric) as mean_quotes,
           count(*) filter (where c.place = 1) as times_best,
           sum(c.forgone) as forgone
    from tieout.executions_compared(of_accounts, from_at, to_at) as c
    group by 1, 2, 3, 4, 5, 6
  )
  select o.account_id, o.provider, o.transaction_type, o.source_currency, o.target_currency, o.payment_method,
         o.orders, o.completed, o.failed, o.canceled, o.open, r.failure_reasons, o.completed_percent,
         round(extract(epoch from o.median_took))::bigint,
         round(extract(epoch from o.slow_took))::bigint,
         coalesce(c.compared, 0), coalesce(c.quoted, 0),
         case when c.quoted >= tieout.least_comparisons() then round(c.slippage_bps, 2) end,
         case when c.compared >= tieout.least_comparisons() then round(c.cost_bps, 2) end,
         case when c.quoted >= tieout.least_comparisons() then round(c.mean_place, 2) end,
         case when c.compared >= tieout.least_comparisons() then round(c.mean_quotes, 2) end,
         case when c.quoted >= tieout.least_comparisons() then c.times_best end,
         case when c.compared >= tieout.least_comparisons() then trim_scale(round(c.forgone, 18)) end
  from outcomes as o
  left join reasons as r
    on r.account_id = o.account_id and r.provider is not distinct from o.provider
   and r.transaction_type is not distinct from o.transaction_type
   and r.source_currency is not distinct from o.source_currency
   and r.target_currency is not distinct from o.target_currency
   and r.payment_method is not distinct from o.payment_method
  left join comparisons as c
    on c.account_id = o.account_id and c.provider is not distinct from o.provider
   and c.transaction_type = o.transaction_type
   and c.source_currency = o.source_currency
   and c.target_currency = o.target_currency
   and c.payment_method is not distinct from o.payment_method
$$;

comment on function tieout.execution_quality(integer[], timestamptz, timestamptz) is 'How well each provider executed in a period, by type, pair and method: outcomes of all orders, and prices of those that can be compared with quotes.';

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
comment on column reporting.execution_quality.source_currency is 'What customers gave.';
comment on column reporting.execution_quality.target_currency is 'What customers got; the currency of forgone.';
comment on column reporting.execution_quality.payment_method is 'Payment method as received.';
comment on column reporting.execution_quality.orders is 'How many transactions have their latest status in the period.';
comment on column reporting.execution_quality.completed is 'How many of them are completed.';
comment on column reporting.execution_quality.failed is 'How many have failed.';
comment on column reporting.execution_quality.canceled is 'How many were canceled.';
comment on column reporting.execution_quality.open is 'How many may still change.';
comment on column reporting.execution_quality.failure_reasons is 'What the aggregator called the end of those that failed or were canceled, with the number of each.';
comment on column reporting.execution_quality.completed_percent is 'Completed ones among those that are final, in percent; null when none is.';
comment on column reporting.execution_quality.median_seconds is 'Seconds from the first status to completed: half of them took no longer.';
comment on column reporting.execution_quality.slow_seconds is 'The same: nine of ten took no longer.';
comment on column reporting.execution_quality.compared is 'How many completed orders have quotes of their moment beside them. With fewer than 10 nothing is said about prices.';
comment on column reporting.execution_quality.quoted is 'How many of those the chosen provider itself had quoted for. With fewer than 10 slippage and place stay empty.';
comment on column reporting.execution_quality.slippage_bps is 'Mean of (quoted - executed) / quoted in basis points: positive when customers got less than quoted.';
comment on column reporting.execution_quality.cost_bps is 'Mean of (middle of all quotes - executed) / middle in basis points: what the order cost against the market of that moment.';
comment on column reporting.execution_quality.mean_place is 'Mean place of the provider among the quotes when it was chosen; 1 is the best.';
comment on column reporting.execution_quality.mean_quotes is 'Mean number of quotes it was chosen from.';
comment on column reporting.execution_quality.times_best is 'How often it was the best.';
comment on column reporting.execution_quality.forgone is 'What customers would have got more from the best quote, summed over the compared orders, in target_currency.';
