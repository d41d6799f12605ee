-- Question: Which status words do we not know, and what does our money do there?
-- Grain: one row per word and provider
-- Columns:
--   status: the word as received
--   provider: the provider
--   transactions: how many transactions ever had it
--   still_there: how many have it as their latest status
--   first_date, last_date: the aggregator's times of it
--   example: one of the transactions

select status,
       provider,
       count(distinct (account, transaction_id)) as transactions,
       count(*) filter (where is_latest) as still_there,
       min(status_date) as first_date,
       max(status_date) as last_date,
       min(account || '/' || transaction_id) as example
from reporting.transaction_statuses
where status_rank = 0
group by status, provider
order by transactions desc, status, provider;
