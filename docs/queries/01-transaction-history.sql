-- Question: What happened to one transaction, step by step, and when did we learn of it?
-- Grain: one row per status row of the transaction, oldest first
-- Columns:
--   status_date: the aggregator's time of the status
--   status: the status
--   out_amount: what the customer gets; an estimate or 0 before completed
--   transaction_hash: the chain's hash, empty until one exists
--   since_previous: time since the status before
--   first_seen_at: when we read it
--   is_latest: whether this is the row that reporting.transactions shows

select status_date,
       status,
       out_amount,
       transaction_hash,
       status_date - lag(status_date) over history as since_previous,
       first_seen_at,
       is_latest
from reporting.transaction_statuses
where account = 'acme'
  and transaction_id = 'T04'
window history as (order by status_date, status_rank, record_hash)
order by status_date, status_rank, record_hash;
