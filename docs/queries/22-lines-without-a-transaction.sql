-- Question: Which lines of statements stand for no transaction of ours?
-- Grain: one row per line that counts, the largest first
-- Columns:
--   account, provider, file_name, line_no: where it stands
--   provider_transaction_id: what to ask the provider about
--   fiat_currency, fiat_gross: how much
--   effective_at: when
--   class, codes: where it stands with us, and what was noted about it

select l.account,
       l.provider,
       l.file_name,
       l.line_no,
       l.provider_transaction_id,
       l.fiat_currency,
       l.fiat_gross,
       l.effective_at,
       l.class,
       string_agg(d.code, ' ' order by d.code) as codes
from reporting.statement_lines as l
left join reporting.discrepancies as d
  on d.line_id = l.line_id
 and d.state in ('open', 'investigating')
where l.is_current
  and l.line_type = 'charge'
  and not exists (select 1 from reporting.matches as m where m.line_id = l.line_id and m.state = 'active')
group by l.account, l.provider, l.file_name, l.line_no, l.provider_transaction_id, l.fiat_currency, l.fiat_gross,
         l.effective_at, l.class
order by l.fiat_currency, l.fiat_gross desc, l.file_name, l.line_no;
