-- Question: Which steps do transactions take from status to status, and how often?
-- Grain: one row per pair of neighbouring statuses
-- Columns:
--   from_status: the status before; empty for the first one that we know
--   to_status: the status after
--   transactions: how many transactions took the step
--   median_time: half of them took no longer for it than this

with steps as (
  select account,
         transaction_id,
         status_date,
         lag(status) over history as from_status,
         lag(status_date) over history as from_date,
         status as to_status
  from reporting.transaction_statuses
  window history as (partition by account, transaction_id order by status_date, status_rank, record_hash)
)
select from_status,
       to_status,
       count(distinct (account, transaction_id)) as transactions,
       percentile_cont(0.5) within group (order by extract(epoch from status_date - from_date)) * interval '1 second' as median_time
from steps
where from_status is distinct from to_status
group by from_status, to_status
order by from_status nulls first, transactions desc, to_status;
