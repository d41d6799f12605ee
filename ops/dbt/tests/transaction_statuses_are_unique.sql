-- Fails when two rows of reporting.transaction_statuses have one key.
select account, transaction_id, record_hash, count(*) as rows_with_this_key
from {{ source('reporting', 'transaction_statuses') }}
group by account, transaction_id, record_hash
having count(*) > 1
