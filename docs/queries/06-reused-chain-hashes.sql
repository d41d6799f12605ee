-- Question: Which chain hashes stand on more than one transaction, and is that a batch or a mistake?
-- Grain: one row per hash
-- Columns:
--   transaction_hash: the hash as received
--   transactions: how many transactions carry it
--   providers: their providers; payouts in batches have one, two are a reason to look
--   assets: what was delivered; a payment on a chain delivers one asset
--   transaction_ids: the transactions, with their account

select transaction_hash,
       count(*) as transactions,
       string_agg(distinct provider, ', ' order by provider) as providers,
       string_agg(distinct target_currency, ', ' order by target_currency) as assets,
       string_agg(account || '/' || transaction_id, ', ' order by account, transaction_id) as transaction_ids
from reporting.transactions
where transaction_hash <> ''
group by transaction_hash
having count(*) > 1
order by count(distinct provider) desc, transaction_hash;
