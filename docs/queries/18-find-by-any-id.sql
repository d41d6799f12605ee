-- Question: A customer or a provider names an id, a hash or an address: which transaction is it?
-- Grain: one row per transaction that carries the text anywhere
-- Columns:
--   account, transaction_id: the transaction
--   provider, provider_transaction_id, transaction_hash, wallet_address: where the text may stand
--   status, status_date: its latest status
-- Addresses have no index: leave the last branch out when the tables are large. Before Postgres 18 the first one needs
-- the account too, because its index begins with it.

select account, transaction_id, provider, provider_transaction_id, transaction_hash, wallet_address, status, status_date
from reporting.transactions
where transaction_id = 'moonpay-T02'
union
select account, transaction_id, provider, provider_transaction_id, transaction_hash, wallet_address, status, status_date
from reporting.transactions
where provider_transaction_id = 'moonpay-T02'
union
select account, transaction_id, provider, provider_transaction_id, transaction_hash, wallet_address, status, status_date
from reporting.transactions
where transaction_hash = 'moonpay-T02'
union
select account, transaction_id, provider, provider_transaction_id, transaction_hash, wallet_address, status, status_date
from reporting.transactions
where wallet_address = 'moonpay-T02'
order by account, transaction_id;
