-- How well providers execute, without a row for each order in between: a month of a million orders took three passes over them, all
-- written to disk. The figures are the same.

create function tieout.order_starts(of_accounts integer[], from_at timestamptz, to_at timestamptz)
returns table (account_id integer, transaction_id text, started_at timestamptz)
language sql stable parallel safe as $$
  select s.account_id, s.transaction_id, min(s.status_date)
  from tieout.transaction_statuses as s
  where s.account_id = any(of_accounts)
    and s.status_date >= from_at - interval '30 days'
    and s.status_date < to_at
  group by s.account_id, s.transaction_id
$$;

comment on function tieout.order_starts(integer[], timestamptz, timestamptz) is 'When the orders of a period began, if that was at most 30 days before it.';

-- In whole seconds, as they are shown, so that these rows are few: the middle of rounded times is the middle, rounded.
create function tieout.order_outcomes(of_accounts integer[], from_at timestamptz, to_at timestamptz, step text default null)
returns table (
  account_id integer, provider text, transaction_type text, source_currency text, target_currency text,
  payment_method text, starts_on date, status text, is_final boolean, seconds bigint, orders bigint)
language sql stable parallel safe as $$
  select t.account_id, t.provider, t.transaction_type, t.source_currency, t.target_currency, t.payment_method,
         date_trunc(step, t.status_date at time zone 'UTC')::date, t.status, t.is_final,
         extract(epoch from t.status_date - s.started_at)::bigint, count(*)
  from tieout.transactions as t
  left join tieout.order_starts(of_accounts, from_at, to_at) as s
    on s.account_id = t.account_id and s.transaction_id = t.transaction_id
  where t.account_id = any(of_accounts)
    and t.status_date >= from_at
    and t.status_date < to_at
  group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
$$;

comment on function tieout.order_outcomes(integer[], timestamptz, timestamptz, text) is 'How many orders of a period ended how and after how many seconds; with a step, by the UTC week or month of the latest status.';

-- Completed orders beside the quotes that were asked for nearest to their start: same account, type, pair, method and country, within
-- a quarter of an hour, for an amount between half and twice their own. Prices are compared per unit given. The middle of an even
-- number of quotes is halfway between the two in the middle. An order without such quotes is not among them.
create function tieout.order_prices(of_accounts integer[], from_at timestamptz, to_at timestamptz)
returns table (
  account_id integer, provider text, transaction_type text, source_currency text, target_currency text,
  payment_method text, status_date timestamptz, quotes bigint, place bigint, executed numeric, quoted numeric,
  middle numeric, forgone numeric)
language sql stable parallel safe as $$
  with beside as (
    select o.*, asked.id as ask_id, asked.amount
    from (
      select t.account_id, t.provider, t.transaction_type, t.source_currency, t.target_currency, t.payment_method,
             t.country, t.in_amount, t.out_amount, t.status_date, s.started_at
      from tieout.transactions as t
      join tieout.order_starts(of_accounts, from_at, to_at) as s
        on s.account_id = t.account_id and s.transaction_id = t.transaction_id
      where t.account_id = any(of_accounts)
        and t.status_date >= from_at
        and t.status_date < to_at
        and t.status = 'completed'
        and t.in_amount > 0
        and t.out_amount > 0
        and t.transaction_type in ('buy', 'sell')
        -- Without this, every order would be looked up in vain until quotes have been asked for.
        and exists (
          select from tieout.quote_asks as a
          where a.account_id = any(of_accounts)
            and a.asked_at between from_at - interval '31 days' and to_at + interval '1 day')
    ) as o
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
  select b.account_id, b.provider, b.transaction_type, b.source_currency, b.target_currency, b.payment_method, b.status_date,
         boards.quotes, own.place,
         b.out_amount / b.in_amount,
         own.payout / b.amount,
         boards.middle / b.amount,
         greatest(boards.best / b.amount * b.in_amount - b.out_amount, 0)
  from beside as b
  join boards on boards.account_id = b.account_id and boards.ask_id = b.ask_id
  left join ranked as own
    on own.account_id = b.account_id and own.ask_id = b.ask_id and own.provider = lower(b.provider)
$$;

comment on function tieout.order_prices(integer[], timestamptz, timestamptz) is 'Completed orders of a period that can be compared with quotes of the moment at which they were placed.';

create or replace function tieout.execution_quality(of_accounts integer[], from_at timestamptz, to_at timestamptz)
returns table (
  account_id integer, provider text, transaction_type text, source_currency text, target_currency text,
  payment_method text, orders bigint, completed bigint, failed bigint, canceled bigint, open bigint,
  failure_reasons text, completed_percent numeric, median_seconds bigint, slow_seconds bigint, compared bigint,
  quoted bigint, slippage_bps numeric, cost_bps numeric, mean_place numeric, mean_quotes numeric, times_best bigint,
  forgone numeric)
-- With the owner's rights: readers see the view, and none of the tables beneath it. The rest is for periods of a million orders.
language sql stable security definer set search_path = pg_catalog, pg_temp set work_mem = '64MB' set parallel_tuple_cost = 0.01
as $$
  -- One array tells the groups apart, because a null equals a null in it: "is not distinct from" would compare every pair of groups.
  with outcomes as materialized (
    select array[o.account_id::text, o.provider, o.transaction_type, o.source_currency, o.target_currency, o.payment_method] as key, o.*
    from tieout.order_outcomes(of_accounts, from_at, to_at) as o
  ), counts as (
    select o.key, o.account_id, o.provider, o.transaction_type, o.source_currency, o.target_currency, o.payment_method,
           sum(o.orders)::bigint as orders,
           coalesce(sum(o.orders) filter (where o.status = 'completed'), 0)::bigint as completed,
           coalesce(sum(o.orders) filter (where o.status = 'failed'), 0)::bigint as failed,
           coalesce(sum(o.orders) filter (where o.status = 'canceled'), 0)::bigint as canceled,
           coalesce(sum(o.orders) filter (where not o.is_final), 0)::bigint as open,
           sum(o.orders) filter (where o.is_final) as ended
    from outcomes as o
    group by 1, 2, 3, 4, 5, 6, 7
  ), times as (
    select t.key,
           min(t.seconds) filter (where t.until_here * 2 >= t.of_all) as median_seconds,
           min(t.seconds) filter (where t.until_here * 10 >= t.of_all * 9) as slow_seconds
    from (
      select o.key, o.seconds,
             sum(o.orders) over (partition by o.key order by o.seconds) as until_here,
             sum(o.orders) over (partition by o.key) as of_all
      from outcomes as o
      where o.status = 'completed'
        and o.seconds is not null
    ) as t
    group by t.key
  ), reasons as (
    select r.key, string_agg(r.said || ' ' || r.orders, ', ' order by r.orders desc, r.said) as failure_reasons
    from (
      -- What the aggregator called the end of an order stands in its latest status row.
      select array[t.account_id::text, t.provider, t.transaction_type, t.source_currency, t.target_currency, t.payment_method] as key,
             lower(coalesce(s.received_status, t.status)) as said, count(*) as orders
      from tieout.transactions as t
      left join tieout.transaction_statuses as s
        on s.account_id = t.account_id and s.transaction_id = t.transaction_id
       and s.record_hash = t.record_hash and s.status_date = t.status_date
       and s.status_date >= from_at and s.status_date < to_at
      where t.account_id = any(of_accounts)
        and t.status_date >= from_at
        and t.status_date < to_at
        and t.is_final
        and t.status <> 'completed'
      group by 1, 2
    ) as r
    group by r.key
  ), prices as (
    select array[p.account_id::text, p.provider, p.transaction_type, p.source_currency, p.target_currency, p.payment_method] as key,
           count(*) as compared,
           count(p.quoted) as quoted,
           avg((p.quoted - p.executed) / p.quoted * 10000) as slippage_bps,
           avg((p.middle - p.executed) / p.middle * 10000) as cost_bps,
           avg(p.place::numeric) as mean_place,
           avg(p.quotes::numeric) as mean_quotes,
           count(*) filter (where p.place = 1) as times_best,
           sum(p.forgone) as forgone
    from tieout.order_prices(of_accounts, from_at, to_at) as p
    group by 1
  )
  select c.account_id, c.provider, c.transaction_type, c.source_currency, c.target_currency, c.payment_method,
         c.orders, c.completed, c.failed, c.canceled, c.open, r.failure_reasons,
         round(100.0 * c.completed / c.ended, 2),
         t.median_seconds, t.slow_seconds,
         coalesce(p.compared, 0), coalesce(p.quoted, 0),
         case when p.quoted >= tieout.least_comparisons() then round(p.slippage_bps, 2) end,
         case when p.compared >= tieout.least_comparisons() then round(p.cost_bps, 2) end,
         case when p.quoted >= tieout.least_comparisons() then round(p.mean_place, 2) end,
         case when p.compared >= tieout.least_comparisons() then round(p.mean_quotes, 2) end,
         case when p.quoted >= tieout.least_comparisons() then p.times_best end,
         case when p.compared >= tieout.least_comparisons() then trim_scale(round(p.forgone, 18)) end
  from counts as c
  left join times as t on t.key = c.key
  left join reasons as r on r.key = c.key
  left join prices as p on p.key = c.key
$$;

create or replace function tieout.execution_over_time(of_accounts integer[], from_at timestamptz, to_at timestamptz, step text)
returns table (
  provider text, starts_on date, orders bigint, ended bigint, completed bigint, completed_percent numeric,
  median_seconds bigint, compared bigint, quoted bigint, slippage_bps numeric, cost_bps numeric)
language sql stable set work_mem = '64MB' set parallel_tuple_cost = 0.01
as $$
  with outcomes as materialized (
    select array[o.provider, o.starts_on::text] as key, o.*
    from tieout.order_outcomes(of_accounts, from_at, to_at, step) as o
  ), counts as (
    select o.key, o.provider, o.starts_on,
           sum(o.orders)::bigint as orders,
           coalesce(sum(o.orders) filter (where o.is_final), 0)::bigint as ended,
           coalesce(sum(o.orders) filter (where o.status = 'completed'), 0)::bigint as completed
    from outcomes as o
    group by 1, 2, 3
  ), times as (
    select t.key, min(t.seconds) filter (where t.until_here * 2 >= t.of_all) as median_seconds
    from (
      select o.key, o.seconds,
             sum(o.orders) over (partition by o.key order by o.seconds) as until_here,
             sum(o.orders) over (partition by o.key) as of_all
      from outcomes as o
      where o.status = 'completed'
        and o.seconds is not null
    ) as t
    group by t.key
  ), prices as (
    select array[p.provider, date_trunc(step, p.status_date at time zone 'UTC')::date::text] as key,
           count(*) as compared,
           count(p.quoted) as quoted,
           avg((p.quoted - p.executed) / p.quoted * 10000) as slippage_bps,
           avg((p.middle - p.executed) / p.middle * 10000) as cost_bps
    from tieout.order_prices(of_accounts, from_at, to_at) as p
    group by 1
  )
  select c.provider, c.starts_on, c.orders, c.ended, c.completed,
         case when c.ended >= tieout.least_comparisons() then round(100.0 * c.completed / c.ended, 2) end,
         case when c.completed >= tieout.least_comparisons() then t.median_seconds end,
         coalesce(p.compared, 0), coalesce(p.quoted, 0),
         case when p.quoted >= tieout.least_comparisons() then round(p.slippage_bps, 2) end,
         case when p.compared >= tieout.least_comparisons() then round(p.cost_bps, 2) end
  from counts as c
  left join times as t on t.key = c.key
  left join prices as p on p.key = c.key
$$;

drop function tieout.order_executions(integer[], timestamptz, timestamptz);
