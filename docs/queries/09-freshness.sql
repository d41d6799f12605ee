-- Question: How current is the data, and does anything need a hand?
-- Grain: one row per account
-- Columns:
--   account: the account
--   data_as_of: everything listed up to this time has been read
--   is_late: whether that is more than 15 minutes ago
--   last_success_at: when the aggregator last answered a request for records
--   open_windows, failed_windows: windows to be read; windows given up for now
--   quarantined: records that could not be understood
--   state, state_reason: active, or else failing, refused or paused, and why

select account,
       data_as_of,
       lag_seconds > 15 * 60 as is_late,
       last_success_at,
       open_windows,
       failed_windows,
       quarantined,
       state,
       state_reason
from reporting.data_freshness
order by account;
