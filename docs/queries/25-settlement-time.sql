-- Question: How long after completion does each provider settle?
-- Grain: one row per provider
-- Columns:
--   provider: the provider
--   settled: how many transactions a line settles
--   median, slowest: from our time of completion to the time that the line took effect

select m.provider,
       count(*) as settled,
       percentile_cont(0.5) within group (order by extract(epoch from l.effective_at - t.status_date)) * interval '1 second' as median,
       max(l.effective_at - t.status_date) as slowest
from reporting.matches as m
join reporting.statement_lines as l on l.line_id = m.line_id
join reporting.transactions as t on t.account = m.account and t.transaction_id = m.transaction_id
where m.state = 'active'
  and m.role = 'settles'
group by m.provider
order by median desc;
