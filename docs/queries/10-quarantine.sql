-- Question: What could not be understood, and why?
-- Grain: one row per distinct text, newest first
-- Columns:
--   first_seen_at: when it was first met
--   account: the account
--   reason: why, as a code
--   field: the field at fault, in the aggregator's spelling
--   transaction_id: the id inside the text, where it is readable
--   raw: the first 100 characters of the text

select first_seen_at,
       account,
       reason,
       field,
       nullif(split_part(split_part(raw, '"transactionId":"', 2), '"', 1), '') as transaction_id,
       left(raw, 100) as raw
from reporting.quarantined_records
order by first_seen_at desc, raw_hash;
