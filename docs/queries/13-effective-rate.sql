-- Question: What did one unit of crypto really cost or bring, per pair and provider?
-- Grain: one row per transaction type, pair and provider
-- Columns:
--   transaction_type: buy or sell
--   source_currency, target_currency: the pair
--   provider: the provider
--   transactions: completed transactions with both amounts
--   effective_rate: fiat for one unit of crypto over all of them, fees included; weighted by amount
--   lowest, highest: the same of the single transactions

with legs as (
  select transaction_type,
         source_currency,
         target_currency,
         provider,
         case transaction_type when 'sell' then out_amount else in_amount end as fiat,
         case transaction_type when 'sell' then in_amount else out_amount end as crypto
  from reporting.transactions
  where status = 'completed'
    and in_amount > 0
    and out_amount > 0
)
select transaction_type,
       source_currency,
       target_currency,
       provider,
       count(*) as transactions,
       round(sum(fiat) / sum(crypto), 6) as effective_rate,
       round(min(fiat / crypto), 6) as lowest,
       round(max(fiat / crypto), 6) as highest
from legs
group by transaction_type, source_currency, target_currency, provider
order by transaction_type, source_currency, target_currency, effective_rate;
