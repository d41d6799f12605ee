-- Question: Which records reached us more than a day and a half after their status date?
-- Grain: one row per status row, latest first
-- Columns:
--   account, transaction_id, provider, status: the record
--   status_date: the aggregator's time of the status
--   first_seen_at: when we first read it
--   late_by: the time between the two
--   kind: the kind of window that brought it; deep means that only a re-read found it

select s.account,
       s.transaction_id,
       s.provider,
       s.status,
       s.status_date,
       s.first_seen_at,
       s.first_seen_at - s.status_date as late_by,
       w.kind
from reporting.transaction_statuses as s
left join reporting.sync_windows as w on w.window_id = s.window_id
where s.status_date >= timestamptz '2026-03-01T00:00:00Z'
  and s.first_seen_at - s.status_date > interval '36 hours'
order by late_by desc, s.account, s.transaction_id;
