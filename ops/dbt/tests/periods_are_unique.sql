-- Fails when two rows of reporting.periods have one key.
select account, month, count(*) as rows_with_this_key
from {{ source('reporting', 'periods') }}
group by account, month
having count(*) > 1
