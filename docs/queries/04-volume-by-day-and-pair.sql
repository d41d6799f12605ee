-- Question: How much was completed per day and pair of currencies?
-- Grain: one row per UTC day, transaction type and pair
-- Columns:
--   day: UTC day on which the transactions were completed
--   transaction_type: buy or sell
--   source_currency, target_currency: the pair
--   transactions: how many
--   in_amount: sum of what customers gave, in source_currency
--   out_amount: sum of what customers got, in target_currency

select day,
       transaction_type,
       source_currency,
       target_currency,
       sum(transactions) as transactions,
       sum(in_amount) as in_amount,
       sum(out_amount) as out_amount
from reporting.daily_summary
where day >= date '2026-03-01'
  and day < date '2026-03-09'
  and status = 'completed'
group by day, transaction_type, source_currency, target_currency
order by day, transaction_type, source_currency, target_currency;
