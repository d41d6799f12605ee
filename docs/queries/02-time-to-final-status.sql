-- Question: How long does each provider take from the first status to a final one?
-- Grain: one row per provider
-- Columns:
--   provider: the provider
--   transactions: transactions that have reached a final status and whose beginning we saw
--   median: half of them took no longer than this
--   p95: 95 % of them took no longer than this
--   slowest: the longest
-- A transaction of which only the final status was ever read has no duration and is left out.

with spans as (
  select provider,
         min(status_date) as first_at,
         min(status_date) filter (where is_final) as final_at
  from reporting.transaction_statuses
  group by account, transaction_id, provider
)
select provider,
       count(*) as transactions,
       percentile_cont(0.5) within group (order by extract(epoch from final_at - first_at)) * interval '1 second' as median,
       percentile_cont(0.95) within group (order by extract(epoch from final_at - first_at)) * interval '1 second' as p95,
       max(final_at - first_at) as slowest
from spans
where final_at > first_at
group by provider
order by median desc, provider;
