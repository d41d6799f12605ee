-- Fails when two rows of reporting.sync_findings have one key.
select window_id, account, transaction_id, finding, count(*) as rows_with_this_key
from {{ source('reporting', 'sync_findings') }}
group by window_id, account, transaction_id, finding
having count(*) > 1
