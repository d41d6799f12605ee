-- Question: Which transactions does the aggregator not serve any more?
-- Grain: one row per transaction
-- Columns:
--   account, transaction_id, provider: the transaction
--   status, status_date: its last known status
--   first_seen_at: when we first read it
--   missing_since: since when it is neither listed nor served by its id
--   found_in_window: the window of the deep re-read that noticed

select t.account,
       t.transaction_id,
       t.provider,
       t.status,
       t.status_date,
       t.first_seen_at,
       t.missing_since,
       f.window_id as found_in_window
from reporting.transactions as t
left join lateral (
  select max(found.window_id) as window_id
  from reporting.sync_findings as found
  where found.account = t.account
    and found.transaction_id = t.transaction_id
    and found.finding = 'vanished'
) as f on true
where t.missing_since is not null
order by t.missing_since desc, t.account, t.transaction_id;
