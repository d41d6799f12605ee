-- Question: Which stretches of time have not been read, and what stands in the way?
-- Grain: one row per gap and open window in it
-- Columns:
--   account: the account
--   gap_from, gap_to: the gap, half-open
--   length: how long it is
--   state: what the window that has to close it is doing; empty when none is planned
--   error: why it failed last

select c.account,
       lower(gap) as gap_from,
       upper(gap) as gap_to,
       upper(gap) - lower(gap) as length,
       w.state,
       w.error
from reporting.sync_coverage as c
cross join unnest(c.gaps) as gap
left join reporting.sync_windows as w
  on w.account = c.account
 and w.state in ('planned', 'walking', 'failed')
 and w.kind in ('live', 'backfill')
 and tstzrange(w.range_from, w.range_to) && gap
order by c.account, gap, w.range_from;
