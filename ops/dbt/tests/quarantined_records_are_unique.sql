-- Fails when two rows of reporting.quarantined_records have one key.
select account, raw_hash, count(*) as rows_with_this_key
from {{ source('reporting', 'quarantined_records') }}
group by account, raw_hash
having count(*) > 1
