-- Question: Which completed transactions should be in a statement by now and are in none?
-- Grain: one row per transaction, the longest overdue first
-- Columns:
--   account, provider, transaction_id, provider_transaction_id: the transaction
--   status_date: when it was completed
--   currency, amount: its fiat leg
--   code: missing_from_statement (a statement tells of its time and not of it), or statement_overdue (none tells of it)
--   due_at: when a statement was due

with completed as (
  select account,
         lower(provider) as provider,
         transaction_id,
         provider_transaction_id,
         status_date,
         upper(case transaction_type when 'sell' then target_currency else source_currency end) as currency,
         case transaction_type when 'sell' then out_amount else in_amount end as amount
  from reporting.transactions
  where status = 'completed'
)
select c.*, d.code, d.since as due_at
from reporting.discrepancies as d
join completed as c on c.account = d.account and c.transaction_id = d.transaction_id
where d.code = 'missing_from_statement'
  and d.state in ('open', 'investigating')
union all
select c.*, d.code, d.since
from reporting.discrepancies as d
join completed as c
  on c.account = d.account
 and c.provider = d.provider
 and c.currency = d.currency
 and c.status_date >= d.period_from
 and c.status_date < d.period_to
where d.code = 'statement_overdue'
  and d.state in ('open', 'investigating')
  and not exists (
    select 1
    from reporting.matches as m
    where m.account = c.account
      and m.transaction_id = c.transaction_id
      and m.state = 'active'
      and m.role = 'settles'
  )
order by due_at, account, transaction_id;
