-- Fails when two rows of reporting.execution_quality have one key.
select account, provider, transaction_type, source_currency, target_currency, payment_method, count(*) as rows_with_this_key
from {{ source('reporting', 'execution_quality') }}
group by account, provider, transaction_type, source_currency, target_currency, payment_method
having count(*) > 1
