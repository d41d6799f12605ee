-- Question: Which are the largest completed transactions in each currency?
-- Grain: one row per transaction, the three largest per source currency
-- Columns:
--   source_currency: the currency that customers gave
--   place: 1 for the largest
--   in_amount: how much
--   account, transaction_id, provider, transaction_type: the transaction
--   target_currency, out_amount: what the customer got

with ranked as (
  select source_currency,
         row_number() over (partition by source_currency order by in_amount desc, account, transaction_id) as place,
         in_amount,
         account,
         transaction_id,
         provider,
         transaction_type,
         target_currency,
         out_amount
  from reporting.transactions
  where status = 'completed'
    and in_amount is not null
)
select *
from ranked
where place <= 3
order by source_currency, place;
