-- Question: Which share of the transactions that ended was completed, per provider and payment method?
-- Grain: one row per provider and payment method, worst first
-- Columns:
--   provider, payment_method: the pair
--   ended: transactions in a final status
--   completed, failed, canceled: how they ended
--   still_open: transactions that have not ended; not part of the rate
--   completion_rate: completed of ended, in per cent

select provider,
       payment_method,
       count(*) filter (where is_final) as ended,
       count(*) filter (where status = 'completed') as completed,
       count(*) filter (where status = 'failed') as failed,
       count(*) filter (where status = 'canceled') as canceled,
       count(*) filter (where not is_final) as still_open,
       round(100.0 * count(*) filter (where status = 'completed')
             / nullif(count(*) filter (where is_final), 0), 1) as completion_rate
from reporting.transactions
where status_date >= timestamptz '2026-03-01T00:00:00Z'
  and status_date < timestamptz '2026-04-01T00:00:00Z'
group by provider, payment_method
order by completion_rate nulls last, provider, payment_method;
