-- Fails when two rows of reporting.daily_summary have one key.
select account, day, provider, transaction_type, status, source_currency, target_currency, count(*) as rows_with_this_key
from {{ source('reporting', 'daily_summary') }}
group by account, day, provider, transaction_type, status, source_currency, target_currency
having count(*) > 1
