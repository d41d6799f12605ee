-- Fails when two rows of reporting.transactions have one key.
select account, transaction_id, count(*) as rows_with_this_key
from {{ source('reporting', 'transactions') }}
group by account, transaction_id
having count(*) > 1
