-- Question: Which transactions were completed once and are not any more?
-- Grain: one row per transaction
-- Columns:
--   account, transaction_id, provider, provider_transaction_id: the transaction
--   completed_at: when it was first completed
--   status, status_date: what it is now, and since when
--   source_currency, in_amount: what the customer gave
--   target_currency, out_amount: what was delivered, by the completed row

select distinct on (t.account, t.transaction_id)
       t.account,
       t.transaction_id,
       t.provider,
       t.provider_transaction_id,
       s.status_date as completed_at,
       t.status,
       t.status_date,
       t.source_currency,
       t.in_amount,
       s.target_currency,
       s.out_amount
from reporting.transactions as t
join reporting.transaction_statuses as s using (account, transaction_id)
where t.status <> 'completed'
  and s.status = 'completed'
order by t.account, t.transaction_id, s.status_date;
