-- Question: What has the last import changed: what is matched since, what disagrees, and what has come to agree?
-- Grain: one row per kind of change, code or rule, and currency, since the newest statement was imported
-- Columns:
--   file_name: the newest statement
--   change: matched, unmatched, raised, or closed
--   what: the rule of the match, or the code of the discrepancy
--   currency, count, value: how much of it; of matches, what the line says the customer paid or got

with newest as (
  select file_name, imported_at
  from reporting.statements
  where state = 'imported'
  order by imported_at desc
  limit 1
), changes as (
  select case m.state when 'ended' then 'unmatched' else 'matched' end as change, m.rule as what, l.fiat_currency as currency,
         l.fiat_gross as value
  from newest
  join reporting.matches as m on coalesce(m.ended_at, m.matched_at) >= newest.imported_at
  join reporting.statement_lines as l on l.line_id = m.line_id
  union all
  select case when d.state in ('open', 'investigating') then 'raised' else 'closed' end, d.code, d.value_currency, d.value
  from newest
  join reporting.discrepancies as d on d.last_changed_at >= newest.imported_at
)
select newest.file_name, c.change, c.what, c.currency, count(*) as count, sum(c.value) as value
from newest
cross join changes as c
group by newest.file_name, c.change, c.what, c.currency
order by c.change, c.what, c.currency;
